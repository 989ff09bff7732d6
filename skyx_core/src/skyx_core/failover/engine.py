"""The search for capacity, as a state machine over data. It never sleeps, logs or talks.

The caller asks ``next(now)`` what to do, does it, and reports back: ``located``, ``outcome``, ``cleaned``. The real
launch, simulations and property tests drive the same object.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import groupby

from skyx_core.failover.actions import (
    Action,
    Cancel,
    CleanUp,
    Done,
    GiveUp,
    Locate,
    Skip,
    Start,
    WaitUntil,
)
from skyx_core.failover.blocklist import Blocklist
from skyx_core.models import Block, Candidate, Verdict, ZoneOption
from skyx_core.plan.gate import Gate
from skyx_core.plan.planner import Choice
from skyx_core.plan.ranking import rank

__all__ = ["Cancel", "CleanUp", "Done", "Engine", "GiveUp", "Locate", "Skip", "Start", "WaitUntil"]

RETRY_PAUSE_S = 30.0
LEAST_PAUSE_S = 0.01  # between rounds, so that time goes on
LOOK_AHEAD = 200  # candidates searched for a place that an error names
SLOW_S = 240.0


class Phase(Enum):
    """Of one attempt."""

    RUNNING = auto()
    FAILED = auto()  # to be cleaned
    CLEANING = auto()
    WON = auto()


@dataclass
class _Live:
    start: Start
    since: float
    phase: Phase = Phase.RUNNING
    cancelled: bool = False


@dataclass
class _Try:
    """One concrete thing to try: a choice with its zones. ``number``: its place in the plan."""

    choice: Choice
    zones: tuple[str, ...] | None  # None: not located yet
    number: tuple[int, int]
    retries: int = 0
    not_before: float = 0.0
    tried: bool = False  # in this round


def always_slow(_: Candidate) -> float:
    """The usual limit after which an attempt counts as slow."""
    return SLOW_S


class Engine:
    """One search.

    ``max_live``: attempts at a time (1 = no hedging). With more, the next candidate is started once the one started
    last has run for ``slow_after(candidate)`` seconds; the first to come up wins, the others are cancelled and cleaned.
    ``zones_together``: clouds whose attempts may name several zones. ``keep_order``: the alternatives of the request
    keep their order whatever errors say about capacity elsewhere. ``gate``: of the plan that the choices are from; a
    cloud that is blocked as a whole is then not read to its end.
    """

    def __init__(
        self,
        choices: Iterator[Choice],
        *,
        blocks: Blocklist,
        zones_together: frozenset[str] = frozenset(),
        max_live: int = 1,
        slow_after: Callable[[Candidate], float] = always_slow,
        retry_until_up: bool = False,
        retry_pause: float = RETRY_PAUSE_S,
        keep_order: bool = False,
        gate: Gate | None = None,
    ) -> None:
        self.blocks = blocks
        self._choices = choices
        self._together = zones_together
        self._max_live = max_live
        self._slow_after = slow_after
        self._retry_until_up = retry_until_up
        self._pause = retry_pause
        self._keep_order = keep_order
        self._queue: deque[_Try] = deque()
        self._parked: list[_Try] = []
        self._locating: _Try | None = None
        self._live: dict[int, _Live] = {}
        self._tries: dict[int, _Try] = {}
        self._skipped: list[tuple[Choice, Block, int]] = []
        self._opened: list[str] = []
        self._drawn = 0
        self._met: set[tuple[object, ...]] = set()
        self._regions: dict[tuple[str, str], str] = {}  # of zones, by cloud, as far as drivers told
        self._count = 0
        self._stop = ""
        self._now = 0.0
        self._gate = gate or Gate()
        self._gate.watch(lambda cloud: self.blocks.of_cloud(cloud, self._now) is not None)

    @property
    def attempts(self) -> int:
        """How many attempts were started."""
        return self._count

    @property
    def running(self) -> tuple[int, ...]:
        """Attempts whose ``outcome`` is still to be reported."""
        return self._in(Phase.RUNNING)

    @property
    def cleaning(self) -> tuple[int, ...]:
        """Attempts for which ``cleaned`` is still to be called."""
        return self._in(Phase.CLEANING)

    def _in(self, phase: Phase) -> tuple[int, ...]:
        return tuple(number for number, live in self._live.items() if live.phase is phase)

    def options(self) -> dict[str, str]:
        """What it was made with, as a record of the search keeps it."""
        return {
            "zones_together": ",".join(sorted(self._together)),
            "retry_until_up": "1" if self._retry_until_up else "",
            "retry_pause": f"{self._pause:g}",
            "keep_order": "1" if self._keep_order else "",
        }

    def next(self, now: float) -> list[Action]:
        """What to do now; an empty list = wait for a report. ``Skip`` only tells; the other actions are to be done in
        their order. A ``WaitUntil`` while attempts run ends with the next report, or at its time.
        """
        self._now = now
        actions: list[Action] = list(self._chores())
        winner = self._winner()
        if winner is not None:
            return actions or ([Done(winner)] if len(self._live) == 1 else [])
        if self._stop:
            return actions or ([] if self._live else [GiveUp(self._stop)])
        if actions or self._locating or len(self._live) >= self._max_live:
            return actions
        slow_at = self._slow_at()
        if slow_at is not None and now < slow_at:
            return [WaitUntil(slow_at)] if self._may_go_on() else []
        found = self._advance(now)
        return [*self._take_skipped(now), *found]

    def _take_skipped(self, now: float) -> Iterator[Skip]:
        skipped, self._skipped = self._skipped, []
        opened, self._opened = tuple(self._opened), []
        clouds = [(cloud, self.blocks.of_cloud(cloud, now)) for cloud in self._gate.newly_held()]
        held = tuple((cloud, block) for cloud, block in clouds if block is not None)
        if skipped or held or opened:
            pairs = tuple((choice, block) for choice, block, _ in skipped)
            yield Skip(pairs, held, opened, tuple(number for _, _, number in skipped))

    @property
    def locating(self) -> bool:
        """Whether a ``Locate`` is to be answered."""
        return self._locating is not None

    def located(self, options: Sequence[ZoneOption]) -> None:
        """The driver's answer to ``Locate``. No option that isn't skipped: the region is left out."""
        trial = self._end_locating()
        wanted, only = trial.choice.candidate.zone, trial.choice.candidate.zones
        usable = [option.zone for option in options if not option.skip and wanted in (None, option.zone)]
        usable = [zone for zone in usable if zone is None or not only or zone in only]
        zones = tuple(dict.fromkeys(zone for zone in usable if zone is not None))
        place = trial.choice.candidate
        self._regions.update({(place.cloud, zone): place.region for zone in zones})
        if not usable:
            self._park(trial)
        elif not zones or self._at_once(trial.choice.candidate):
            self._queue.appendleft(replace(trial, zones=zones, retries=0, not_before=0.0))
        else:
            plan = trial.number[0]
            tries = [_Try(_in_zone(trial.choice, zone), (zone,), (plan, place)) for place, zone in enumerate(zones)]
            self._queue.extendleft(reversed(tries))

    def _at_once(self, candidate: Candidate) -> bool:
        """Whether one attempt takes all zones; spot is tried zone by zone."""
        return candidate.cloud in self._together and not candidate.use_spot

    def locate_failed(self, verdict: Verdict, now: float) -> None:
        """The driver could not answer ``Locate``; it is asked again as often as the verdict says."""
        trial = self._end_locating()
        if verdict.abort:
            self.stop(verdict.reason or "the request can't be satisfied anywhere")
        if verdict.retry and not verdict.abort and trial.retries < verdict.retry.max:
            pause = verdict.retry.pause(trial.retries + 1)
            self._queue.appendleft(replace(trial, retries=trial.retries + 1, not_before=now + pause))
            return
        self._learn_blocks((*verdict.blocks, *verdict.blocks_after), now)
        self._park(trial)

    def outcome(self, attempt: int, verdict: Verdict | None, now: float) -> None:
        """The end of an attempt: None = it is up, else what its error means."""
        live = self._live[attempt]
        if verdict is None and self._winner() is None and not self._stop and not live.cancelled:
            live.phase = Phase.WON
            return
        live.phase = Phase.FAILED
        if verdict is not None and not live.cancelled:
            self._learn(live, verdict, now)

    def cleaned(self, attempt: int) -> None:
        """What this attempt made is gone. Safe to repeat."""
        self._live.pop(attempt, None)
        self._tries.pop(attempt, None)

    def stop(self, reason: str) -> None:
        """Start nothing any more; running attempts are cancelled and cleaned."""
        self._stop = self._stop or reason

    def _end_locating(self) -> _Try:
        trial, self._locating = self._locating, None
        if trial is None:
            raise RuntimeError("an answer to Locate without a Locate")
        return trial

    def _park(self, trial: _Try) -> None:
        self._parked.append(replace(trial, tried=True))

    def _learn(self, live: _Live, verdict: Verdict, now: float) -> None:
        trial = self._tries[live.start.attempt]
        if verdict.abort:
            self.stop(verdict.reason or "the request can't be satisfied anywhere")
            return
        if verdict.retry and trial.retries < verdict.retry.max:
            pause = verdict.retry.pause(trial.retries + 1)
            self._queue.appendleft(replace(trial, retries=trial.retries + 1, not_before=now + pause))
            return
        self._learn_blocks(verdict.blocks_after if verdict.retry else verdict.blocks, now)
        self._park(trial)
        if verdict.prefer:
            self._favour(frozenset(verdict.prefer), trial)

    def _learn_blocks(self, blocks: Sequence[Block], now: float) -> None:
        for block in blocks:
            self.blocks.learn(block, now)

    def _favour(self, places: frozenset[str], failed: _Try) -> None:
        """Bring candidates at places that an error names to the front, in their order among themselves."""
        while len(self._queue) < LOOK_AHEAD and (trial := self._drawn_next()) is not None:
            self._queue.append(trial)
        cloud = failed.choice.candidate.cloud
        places |= {region for place in places if (region := self._regions.get((cloud, place))) is not None}
        part = failed.choice.alternative if self._keep_order else None

        def key(trial: _Try) -> tuple[bool, int, bool]:
            c = trial.choice.candidate
            named = c.cloud == cloud and (
                c.zone in places or c.region in places or bool(places & {*(trial.zones or ())})
            )
            return trial.retries == 0, 0 if part is None else trial.choice.alternative, not named

        self._queue = deque(sorted(self._queue, key=key))

    def _winner(self) -> int | None:
        return next((number for number, live in self._live.items() if live.phase is Phase.WON), None)

    def _chores(self) -> Iterator[Action]:
        ending = bool(self._stop) or self._winner() is not None
        for number, live in self._live.items():
            if live.phase is Phase.FAILED:
                live.phase = Phase.CLEANING
                yield CleanUp(number)
            elif live.phase is Phase.RUNNING and ending and not live.cancelled:
                live.cancelled = True
                yield Cancel(number)

    def _slow_at(self) -> float | None:
        """When the attempt that was started last counts as slow; None = none runs."""
        running = [live for live in self._live.values() if live.phase is Phase.RUNNING]
        if not running:
            return None
        last = max(running, key=lambda live: live.start.attempt)
        return last.since + self._slow_after(last.start.choice.candidate)

    def _may_go_on(self) -> bool:
        """Whether there is anything that could be started beside what runs."""
        if not self._queue and (trial := self._drawn_next()) is not None:
            self._queue.append(trial)
        return bool(self._queue)

    def _advance(self, now: float) -> list[Action]:
        waiting: list[_Try] = []
        try:
            while (trial := self._draw()) is not None:
                if self._is_blocked(trial, now):
                    continue
                if trial.not_before > now:
                    waiting.append(trial)
                    if trial.retries and self._slow_at() is None:
                        break  # a retry here comes before the next candidate, unless attempts are hedged
                    continue
                return [self._begin(trial, now)]
        finally:
            self._queue.extendleft(reversed(waiting))
        if waiting:
            return [WaitUntil(min(trial.not_before for trial in waiting))]
        return [] if self._live else self._rest(now)

    def _is_blocked(self, trial: _Try, now: float) -> bool:
        """Park it if a block stands in the way; of zones tried together, only those that are blocked."""
        hits = self._hits(trial, now)
        blocked = {zone: block for zone, block in hits.items() if block is not None}
        for zone, block in blocked.items():
            choice = trial.choice if zone is None else _in_zone(trial.choice, zone)
            self._skipped.append((choice, block, trial.number[0]))
        if len(blocked) == len(hits):
            self._parked.append(trial)
            return True
        if blocked:
            self._parked.append(replace(trial, zones=_named(blocked), tried=trial.retries > 0))
            trial.zones = _named(zone for zone in hits if zone not in blocked)
        return False

    def _hits(self, trial: _Try, now: float) -> dict[str | None, Block | None]:
        """The block in the way of each zone of a try; None stands for a try without zones."""
        choice = trial.choice
        zones = trial.zones if trial.zones and choice.candidate.zone is None else ()
        if not zones:
            return {choice.candidate.zone: self.blocks.hit(choice.candidate, now, request=choice.digest)}
        candidates = ((zone, _in_zone(choice, zone).candidate) for zone in zones)
        return {zone: self.blocks.hit(candidate, now, request=choice.digest) for zone, candidate in candidates}

    def _begin(self, trial: _Try, now: float) -> Action:
        if trial.zones is None:
            self._locating = trial
            return Locate(trial.choice, trial.number[0])
        self._count += 1
        start = Start(self._count, trial.choice, trial.zones, trial.retries)
        self._live[self._count] = _Live(start, now)
        self._tries[self._count] = trial
        return start

    def _draw(self) -> _Try | None:
        return self._queue.popleft() if self._queue else self._drawn_next()

    def _drawn_next(self) -> _Try | None:
        """The next choice that was not drawn before: what was held back, or planned first, may come again."""
        for choice in self._choices:
            c = choice.candidate
            key = (*rank(choice)[1:], choice.digest, tuple(sorted(c.accelerators.items())))
            if key not in self._met:
                self._met.add(key)
                self._drawn += 1
                return _Try(choice, None, (self._drawn, 0))
        return None

    def _rest(self, now: float) -> list[Action]:
        """Nothing is left to draw: what was only blocked, and no more is, comes first; then a new round, or the end."""
        held = {cloud: self.blocks.of_cloud(cloud, now) for cloud in self._gate.held}
        free = [cloud for cloud, block in held.items() if block is None]
        if free:
            self._opened += free
            self._choices = self._gate.reopen(free)
            return self._advance(now)
        ends = [self._ends(trial, now) for trial in self._parked]
        if self._again(lambda trial, end: not trial.tried and end is not None and end <= now, ends):
            return self._advance(now)
        finite = [end for end in (*ends, *(block.until for block in held.values() if block)) if end is not None]
        earliest = min(finite, default=None)
        if not self._retry_until_up or earliest is None:
            reason = "every candidate was tried or is blocked" if self._parked or held else "nothing fits the request"
            return [GiveUp(reason, min((end for end in finite if end > now), default=None))]
        self._again(lambda _, end: end is not None, ends)
        self.blocks.drop_expired(now)
        return [WaitUntil(max(now + max(self._pause, LEAST_PAUSE_S), earliest))]

    def _again(self, chosen: Callable[[_Try, float | None], bool], ends: Sequence[float | None]) -> bool:
        """Put the parked tries that are chosen back in the order of the plan."""
        pairs = list(zip(self._parked, ends, strict=True))
        again = [replace(trial, retries=0, not_before=0.0, tried=False) for trial, end in pairs if chosen(trial, end)]
        self._parked = [trial for trial, end in pairs if not chosen(trial, end)]
        self._queue.extend(_joined(sorted(again, key=lambda trial: trial.number)))
        return bool(again)

    def _ends(self, trial: _Try, now: float) -> float | None:
        """When a parked try is free of blocks: now if it is, None if never."""
        hits = self._hits(trial, now).values()
        ends = [now if block is None else block.until for block in hits]
        return min((end for end in ends if end is not None), default=None)


def _joined(tries: Sequence[_Try]) -> Iterator[_Try]:
    """Zones of one region that were parked apart, and are tried together, are one try again."""
    for _, parts in groupby(tries, key=lambda trial: trial.number):
        first, *others = parts
        zones = first.zones
        for other in others:
            zones = (*(zones or ()), *(other.zones or ()))
        yield replace(first, zones=zones)


def _named(zones: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(zone for zone in zones if zone is not None)


def _in_zone(choice: Choice, zone: str) -> Choice:
    return replace(choice, candidate=choice.candidate.model_copy(update={"zone": zone}))
