"""Clouds for the engine, in virtual time: attempts take a while, end as the world says, and are watched.

What is checked here is checked by brute force over everything that was ever learned, never by the engine's own index.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from engine_blocks import Spot, at, covers, in_the_way, spot
from engine_gates import WatchedGate, closed_by
from skyx_core.failover.engine import Cancel, CleanUp, Done, Engine, GiveUp, Locate, Skip, Start, WaitUntil
from skyx_core.models import (
    Block,
    BlockKey,
    Category,
    Event,
    EventKind,
    Retry,
    Scope,
    Skipped,
    Verdict,
    ZoneOption,
)
from skyx_core.plan.planner import Choice

End = Done | GiveUp
AT_ONE_TIME = 60  # actions for each candidate at one moment; more is a loop


@dataclass(frozen=True)
class Answer:
    """What an attempt comes to. ``wide``: the fields that its block fixes; ``lasts`` None: until the launch ends."""

    kind: str = "full"  # up, full, retry, abort, careless
    takes: float = 0.0
    cleaning: float = 0.0
    cancelling: float = 0.0
    late: bool = False  # comes up although it was cancelled
    wide: str = "spot"
    lasts: float | None = 300.0
    grows: bool = False
    prefer: tuple[str, ...] = ()
    from_time: float | None = None  # up from then on
    retries: int = 2

    def is_up(self, now: float) -> bool:
        return self.kind == "up" or (self.from_time is not None and now >= self.from_time)


WIDTHS = {
    "spot": ("cloud", "region", "zone", "instance_type", "use_spot"),
    "zone": ("cloud", "region", "zone"),
    "type": ("cloud", "instance_type"),
    "region": ("cloud", "region"),
    "spots": ("cloud", "use_spot"),
    "cloud": ("cloud",),
}


def verdict(answer: Answer, start: Start, now: float) -> Verdict:
    zones = start.zones or (start.choice.candidate.zone,)
    keys = dict.fromkeys(
        BlockKey(**{name: getattr(at(start.choice, zone), name) for name in WIDTHS[answer.wide]}) for zone in zones
    )
    until = None if answer.lasts is None else now + answer.lasts
    grows = answer.lasts * 4 if answer.grows and answer.lasts else None
    blocks = tuple(Block(key=key, rule="w", reason="w", since=now, until=until, grows_to=grows) for key in keys)
    made = Verdict(category=Category.CAPACITY, block=Scope.NONE, rule="w", prefer=answer.prefer)
    match answer.kind:
        case "retry":
            return made.model_copy(update={"retry": Retry(max=answer.retries, wait=5), "blocks_after": blocks})
        case "abort":
            return made.model_copy(update={"abort": True})
        case "careless":  # neither block, retry nor abort
            return made
        case _:
            return made.model_copy(update={"blocks": blocks})


@dataclass
class Running:
    start: Start
    answer: Answer
    ends: int  # the event that ends it; a cancelled attempt gets another
    state: str = "running"  # running, cancelled, returned, cleaning, up


@dataclass
class World:
    zones: dict[tuple[str, str], list[ZoneOption] | Verdict]
    answers: dict[Spot, Answer]
    usual: Answer = Answer()
    blocks: list[Block] = field(default_factory=list)  # every block that was ever given, with the first ones
    grown: list[Block] = field(default_factory=list)  # as the engine keeps them: some last longer when met again
    now: float = 0.0
    starts: list[Start] = field(default_factory=list)
    started_at: list[float] = field(default_factory=list)
    located: dict[int, Choice] = field(default_factory=dict)
    asked: Counter[int] = field(default_factory=Counter)  # in vain, in a row
    live: dict[int, Running] = field(default_factory=dict)
    skipped: int = 0
    met: Counter[str] = field(default_factory=Counter)
    on_start: Callable[[World, Start], None] | None = None
    limit: float = float("inf")
    gate: WatchedGate | None = None
    recording: bool = False
    told: int = 200  # of the candidates skipped at once, those that the record names
    events: list[Event] = field(default_factory=list)  # as a launch records them
    _events: list[tuple[float, int, int]] = field(default_factory=list)
    _ids: count[int] = field(default_factory=count)
    _last: tuple[float, int] = (-1.0, 0)

    @property
    def spots(self) -> list[Spot]:
        """Each place that was tried, in order; several zones tried together are several."""
        return [spot(s.choice, z) for s in self.starts for z in s.zones or (s.choice.candidate.zone,)]

    def answer(self, start: Start) -> Answer:
        zones = start.zones or (start.choice.candidate.zone,)
        given = [self.answers.get(spot(start.choice, zone), self.usual) for zone in zones]
        return next((each for each in given if each.is_up(self.now)), given[0])

    def run(self, engine: Engine) -> End | None:
        """Do what the engine says until it ends; None = ``limit`` was reached."""
        while self.now <= self.limit:
            actions = engine.next(self.now)
            self._watch(len(actions))
            wake = float("inf")
            immediate = False
            for action in actions:
                if isinstance(action, Done | GiveUp):
                    self._ended(action)
                    return action
                if isinstance(action, WaitUntil):
                    assert action.time > self.now, "waits for the past"
                    wake = action.time
                    self._record(EventKind.RETRY_WAIT)
                else:
                    immediate = True
                    self._do(engine, action)
            if not immediate or wake < float("inf"):
                self._advance(engine, wake)
        return None

    def _watch(self, actions: int) -> None:
        time, done = self._last
        done = done + max(actions, 1) if time == self.now else 0
        self._last = (self.now, done)
        allowed = AT_ONE_TIME * (len(self.answers) + len(self.zones) + 5)
        assert done < allowed, f"{done} actions at one moment"

    def _do(self, engine: Engine, action: object) -> None:
        match action:
            case Skip():
                self._skip(action)
            case Locate():
                self._locate(engine, action)
            case Start():
                self._start(action)
            case Cancel(attempt=number):
                running = self.live[number]
                assert running.state == "running"
                running.state = "cancelled"
                running.ends = self._later(running.answer.cancelling, number)
            case CleanUp(attempt=number):
                running = self.live[number]
                assert running.state == "returned", "cleaned before it returned"
                running.state = "cleaning"
                self._later(running.answer.cleaning, number)

    def _skip(self, skip: Skip) -> None:
        self.skipped += len(skip.skipped)
        for choice, block in skip.skipped:
            assert block.until is None or block.until > self.now
            assert covers(block.key, choice.candidate) or choice.candidate.zone is None
        for cloud, block in skip.clouds:
            self.met["held"] += 1
            assert block.key == BlockKey(cloud=cloud)
            assert closed_by([*self.blocks, *self.grown], cloud, self.now)
        rows = [Skipped(candidate=c.candidate, block=b, alternative=c.alternative) for c, b in skip.skipped]
        held = tuple(block for _, block in skip.clouds)
        assert len(skip.numbers) == len(skip.skipped)
        data = {"opened": ",".join(skip.opened), "numbers": ",".join(map(str, skip.numbers[: self.told]))}
        self._record(
            EventKind.CANDIDATES_SKIPPED, skipped=tuple(rows[: self.told]), total=len(rows), blocks=held, data=data
        )

    def _locate(self, engine: Engine, action: Locate) -> None:
        choice = action.choice
        assert not in_the_way(self.blocks, choice.candidate, self.now), "asked for zones of what is blocked"
        self.located[id(choice)] = choice
        found = self.zones[choice.candidate.cloud, choice.candidate.region]
        told = {"verdict": found} if isinstance(found, Verdict) else {"zones": tuple(found)}
        told |= {"alternative": choice.alternative, "data": {"number": str(action.number)}}
        self._record(EventKind.ZONES_LOCATED, candidate=choice.candidate, **told)
        if isinstance(found, Verdict):
            self.met["locate failed"] += 1
            self.asked[id(choice)] += 1
            if found.retry is None or self.asked[id(choice)] > found.retry.max:
                self.asked[id(choice)] = 0
                self.blocks += [*found.blocks, *found.blocks_after]
            else:
                self.met["asked again"] += 1
            engine.locate_failed(found, self.now)
            self.grown += engine.blocks.take_learned()
        else:
            engine.located(found)

    def _start(self, start: Start) -> None:
        for zone in start.zones or (start.choice.candidate.zone,):
            blocks = in_the_way(self.blocks, at(start.choice, zone), self.now, start.choice.digest)
            assert not blocks, f"tried while blocked: {start} {blocks}"
        assert start.attempt not in self.live
        if self.on_start is not None:
            self.on_start(self, start)
        self.met["overlaps"] += any(each.state == "running" for each in self.live.values())
        self.met["retries"] += start.retry > 0
        zones = tuple(ZoneOption(zone=zone) for zone in start.zones)
        self._record(EventKind.ATTEMPT_STARTED, attempt=start.attempt, candidate=start.choice.candidate, zones=zones)
        self.starts.append(start)
        self.started_at.append(self.now)
        answer = self.answer(start)
        self.live[start.attempt] = Running(start, answer, self._later(answer.takes, start.attempt))

    def _later(self, seconds: float, number: int) -> int:
        event = next(self._ids)
        heapq.heappush(self._events, (self.now + seconds, event, number))
        return event

    def _advance(self, engine: Engine, wake: float) -> None:
        next_event = self._events[0][0] if self._events else float("inf")
        assert min(next_event, wake) < float("inf"), "the engine waits for a report although nothing runs"
        if wake < next_event:
            self.now = wake
            return
        self.now, event, number = heapq.heappop(self._events)
        running = self.live.get(number)
        if running is None or (running.state in ("running", "cancelled") and running.ends != event):
            return
        if running.state == "cleaning":
            del self.live[number]
            engine.cleaned(number)
        elif running.state in ("running", "cancelled"):
            self._outcome(engine, running)

    def _outcome(self, engine: Engine, running: Running) -> None:
        cancelled, answer = running.state == "cancelled", running.answer
        up = answer.is_up(self.now) and (not cancelled or answer.late)
        others_up = any(each.state == "up" for each in self.live.values())
        if up and not cancelled and not others_up:
            running.state = "up"
        else:
            running.state = "returned"
            self.met["second winners"] += up
            self.met["cancelled"] += cancelled
        given = None if up else verdict(answer, running.start, self.now)
        if given is not None and not cancelled:
            self._learn(given, running.start)
        self._record(
            EventKind.CLUSTER_UP if given is None else EventKind.ATTEMPT_FAILED,
            attempt=running.start.attempt,
            verdict=given,
        )
        engine.outcome(running.start.attempt, given, self.now)
        self.grown += engine.blocks.take_learned()

    def _record(self, kind: EventKind, **fields: object) -> None:
        if self.recording:
            self.events.append(Event.model_validate({"kind": kind, "time": self.now, "decided_at": self.now, **fields}))

    def _learn(self, given: Verdict, start: Start) -> None:
        self.met["aborts"] += given.abort
        self.met["prefers"] += bool(given.prefer)
        used_up = given.retry is not None and start.retry >= given.retry.max
        if not given.abort:
            self.blocks += given.blocks_after if used_up else () if given.retry else given.blocks

    def _ended(self, end: End) -> None:
        self.met[type(end).__name__] += 1
        self.met["reopened"] += sum(self.gate.reopened.values()) if self.gate else 0
        if isinstance(end, GiveUp):
            self._record(EventKind.GAVE_UP)
            assert not self.live, "gave up with attempts that were not cleaned"
            return
        assert list(self.live) == [end.attempt], "done with other attempts about"
        assert self.live[end.attempt].state == "up"
