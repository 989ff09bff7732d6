"""The real planner and the real engine on simulated clouds: events in the order of virtual time."""

from __future__ import annotations

import heapq
from dataclasses import replace
from itertools import count

from skyx_core.api import (
    Action,
    Blocklist,
    Cancel,
    CleanUp,
    Done,
    Engine,
    GiveUp,
    Locate,
    Skip,
    Start,
    Verdict,
    WaitUntil,
)
from skyx_sim.attempt import End, Live, begin, cancelled_verdict
from skyx_sim.durations import shown
from skyx_sim.judging import PAUSE_S, Judge
from skyx_sim.result import CANCELLED, FAILED, TOO_LATE, UP, AttemptRow, Counts, Result, block_row
from skyx_sim.rules import Tables
from skyx_sim.scenario import Scenario
from skyx_sim.sources import plan_for
from skyx_sim.world import Ask, CloudWorld, make_worlds

CANCEL_S = 5.0  # a cancelled call returns after so long, if it doesn't by itself before
MOST_ATTEMPTS = 200_000  # more end any search, so that every simulation ends


class Simulation:
    """One run of a scenario; ``run`` is to be called once."""

    def __init__(self, scenario: Scenario, tables: Tables, most_attempts: int = MOST_ATTEMPTS) -> None:
        self._scenario = scenario
        self._most = most_attempts
        self._worlds = make_worlds(scenario)
        self._judge = Judge(scenario, tables)
        self._limit = float("inf") if scenario.limit is None else scenario.limit
        self._now = 0.0
        self._rows: list[AttemptRow] = []
        self._counts = Counts()
        self._blocks = Blocklist()
        self._events: list[tuple[float, int, str, int]] = []
        self._sequence = count()
        self._live: dict[int, Live] = {}
        self._aborted = False
        self._left_out: dict[str, None] = {}  # in the order of the plan

    def run(self) -> Result:
        """Until the task has a cluster (for as long as it needs one), or the search ends."""
        found_after: float | None = None
        left, run_usd = self._scenario.run_for, 0.0
        while True:
            end = self._search()
            if end.won is None:
                return self._result(end, found_after, run_usd, left)
            up_at = end.won.row.ended_at or self._now
            found_after = up_at if found_after is None else found_after
            slot = end.won.answer.slot
            lasts = self._world(end.won.start).lasts(slot, up_at) if slot else None
            ran = min(left, left if lasts is None else lasts, self._limit - up_at)
            run_usd += end.won.charge(ran)
            self._now = max(self._now, up_at + ran)
            left = max(0.0, left - ran)
            if not left:
                return self._result(end, found_after, run_usd, left)
            if self._now >= self._limit:
                cut = f"the limit cut its run after {shown(ran)}, with {shown(left)} to go"
                return self._result(replace(end, reason=cut), found_after, run_usd, left)
            self._preempt(end.won)

    def _preempt(self, won: Live) -> None:
        """The cluster is taken away; what earlier searches learned is known to the next."""
        won.row.preempted_at = self._now
        self._counts.preemptions += 1
        self._world(won.start).release(won.answer)
        self._live.clear()
        self._judge.drop_mended(self._blocks, self._now)

    def _search(self) -> End:
        scenario = self._scenario
        plan = plan_for(scenario, self._worlds, self._counts)
        engine = Engine(
            plan.choices,
            blocks=self._blocks,
            zones_together=frozenset(cloud.name for cloud in scenario.clouds if cloud.zones_together),
            max_live=scenario.hedge,
            retry_until_up=scenario.retry_until_up,
            retry_pause=PAUSE_S,
            keep_order=scenario.task.ordered,
            slow_after=lambda _: scenario.slow_after,
            gate=plan.gate,
        )
        self._counts.searches += 1
        self._aborted, before = False, len(self._rows)
        while True:
            wake, busy = float("inf"), False
            for action in engine.next(self._now):
                match action:
                    case Done(attempt=number):
                        return End("UP", won=self._live[number])
                    case GiveUp(reason=reason):
                        return End("ABORTED" if self._aborted else "GAVE_UP", reason)
                    case WaitUntil(time=wake):
                        pass
                    case _:
                        busy = self._do(engine, action, before) or busy
            if not busy:
                idle = not self._live and wake != float("inf")
                look = self._judge.mended_at(self._blocks, self._now, min(wake, self._limit)) if idle else None
                if not self._advance(engine, wake if look is None else look):
                    return self._stopped()

    def _stopped(self) -> End:
        """The limit came: what is up stays up, what is still to be cleaned costs until now."""
        reason = _LIMIT if len(self._rows) < self._most else f"{self._most:,} attempts were made, no more are"
        won: Live | None = None
        for live in self._live.values():
            if live.row.outcome == UP:
                won = live
            else:
                live.charge(self._now - live.row.started_at)
        return End("LIMIT", reason) if won is None else End("UP", won=won)

    def _do(self, engine: Engine, action: Action, before: int) -> bool:
        """Carry out one action; False if it only tells something."""
        match action:
            case Skip(skipped=skipped, clouds=clouds):
                self._counts.skipped += len(skipped)
                self._left_out.update((choice.candidate.infra(), None) for choice, _ in skipped)
                self._left_out.update((cloud, None) for cloud, _ in clouds)
                self._counts.held += len(clouds)
                return False
            case Locate(choice=choice):
                candidate = choice.candidate
                shop = self._worlds[candidate.cloud].shop
                engine.located(shop.locate(candidate.instance_type, candidate.region, candidate.zone))
            case Start():
                self._start(action, before)
            case Cancel(attempt=number):
                live = self._live[number]
                live.cancelled, live.due = True, min(live.ends, self._now + CANCEL_S)
                self._push(live.due, "outcome", number)
            case CleanUp(attempt=number):
                live = self._live[number]
                if live.answer.made:
                    self._push(self._now + self._world(live.start).cloud.cleanup, "cleaned", number)
                else:
                    self._cleaned(engine, live, number)
        return True

    def _start(self, start: Start, before: int) -> None:
        candidate, request = start.choice.candidate, start.choice.request
        ask = Ask(candidate.region, start.zones, candidate.instance_type, candidate.use_spot, request.num_nodes)
        live = begin(start, before + start.attempt, self._worlds[candidate.cloud].ask(ask, self._now), self._now)
        self._rows.append(live.row)
        self._live[start.attempt] = live
        self._push(live.ends, "outcome", start.attempt)
        self._count(start)

    def _count(self, start: Start) -> None:
        counts, cloud, infra = self._counts, start.choice.candidate.cloud, start.choice.candidate.infra()
        counts.began(len(self._live), start.retry)
        counts.expiries += self._left_out.pop(infra, 1) is None
        counts.reopened += self._left_out.pop(cloud, 1) is None

    def _push(self, time: float, what: str, number: int) -> None:
        heapq.heappush(self._events, (time, next(self._sequence), what, number))

    def _advance(self, engine: Engine, wake: float) -> bool:
        """Let time pass until the next report, or until ``wake``; False if the limit comes first."""
        due = self._events[0][0] if self._events else float("inf")
        time = min(due, wake)
        if time > self._limit or time == float("inf") or len(self._rows) >= self._most:
            self._now = min(self._limit, max(time, self._now)) if time != float("inf") else self._now
            return False
        self._now = max(self._now, time)
        if due <= wake:
            _, _, what, number = heapq.heappop(self._events)
            self._report(engine, what, number)
        return True

    def _report(self, engine: Engine, what: str, number: int) -> None:
        live = self._live.get(number)
        if live is None:
            return
        if what == "cleaned":
            self._cleaned(engine, live, number)
        elif live.row.ended_at is None and self._now >= live.due:
            self._ended(engine, live)

    def _cleaned(self, engine: Engine, live: Live, number: int) -> None:
        live.row.cleaned_at = self._now
        live.charge(self._now - live.row.started_at)
        self._world(live.start).release(live.answer)
        del self._live[number]
        engine.cleaned(number)

    def _ended(self, engine: Engine, live: Live) -> None:
        row, returned = live.row, self._now >= live.ends
        row.ended_at = self._now
        won = any(other.row.outcome == UP for other in self._live.values())
        verdict: Verdict | None
        if returned and live.answer.error is None:
            verdict = None
            late = won or live.cancelled
            row.outcome = TOO_LATE if late else UP
            self._counts.second_winners += late
        elif not returned:
            verdict, row.outcome = cancelled_verdict(), CANCELLED
        else:
            assert live.answer.error is not None
            verdict = self._judge.verdict(live.start, live.answer.error, began=row.started_at, now=self._now)
            row.outcome, row.rule, row.category = FAILED, verdict.rule, verdict.category.value
            row.error, row.hint = str(live.answer.error), verdict.hint
            self._aborted = self._aborted or (verdict.abort and not live.cancelled)
        engine.outcome(live.start.attempt, verdict, self._now)
        self._judge.keep(self._blocks.take_learned())
        if verdict is None and row.outcome == UP:
            live.charge(self._now - row.started_at)

    def _world(self, start: Start) -> CloudWorld:
        return self._worlds[start.choice.candidate.cloud]

    def _result(self, end: End, found_after: float | None, run_usd: float, left: float) -> Result:
        total = sum(row.cost_usd for row in self._rows)
        return Result(
            status=end.status,
            virtual_seconds=self._now,
            attempts=tuple(self._rows),
            blocks=tuple(block_row(each, holds=self._judge.holds(each, self._now)) for each in self._blocks),
            cost_usd=total,
            search_cost_usd=max(0.0, total - run_usd),
            found_after=found_after,
            ran_seconds=self._scenario.run_for - left,
            infra=end.won.row.infra if end.won else "",
            reason=end.reason,
            left_out=tuple(self._left_out),
            counts=self._counts,
        )


_LIMIT = "the limit of the scenario came first"
