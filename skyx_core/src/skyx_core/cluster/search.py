"""Doing what the engine says: the only place where a launch waits."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skyx_core.calls import Fence
from skyx_core.cluster.attempts import Build, concrete
from skyx_core.cluster.giving_up import Findings
from skyx_core.cluster.judging import CANCELLED
from skyx_core.cluster.known_blocks import KnownBlocks
from skyx_core.cluster.rule_hints import rule_hint
from skyx_core.errors import (
    AttemptCancelled,
    CloudError,
    InterruptedBySignal,
    LeftoverError,
    PluginError,
    SkyxError,
    StateStoreError,
)
from skyx_core.failover.actions import Action
from skyx_core.failover.blocklist import Blocklist
from skyx_core.failover.engine import CleanUp, Done, Engine, GiveUp, Locate, Skip, Start, WaitUntil
from skyx_core.failpoints import failpoint
from skyx_core.models import Block, Candidate, Capability, Category, EventKind, Skipped, Verdict, ZoneOption
from skyx_core.plan.gate import Gate
from skyx_core.plan.planner import Choice
from skyx_core.results import ClusterStatus

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services

_SLICE_S = 0.05
SKIPS_TOLD = 200  # of the candidates left out at once, in events and tables


def _never() -> bool:
    return False


@dataclass(frozen=True)
class SearchOptions:
    """How long to search. ``keep_on_interrupt``: asked once interrupted, whether to leave what was made.
    ``keep_order``: the alternatives of the task keep their order. ``repair``: the cluster is there and may hold data,
    so its place is asked whatever other launches met there, and its own nodes are no matter of quota.
    """

    retry_until_up: bool = False
    keep_order: bool = False
    repair: bool = False
    keep_on_interrupt: Callable[[], bool] = _never


class Search:
    """One search for capacity for one cluster. ``run`` returns once the cluster is UP."""

    def __init__(
        self,
        services: Services,
        build: Build,
        choices: Iterator[Choice],
        options: SearchOptions,
        gate: Gate | None = None,
    ) -> None:
        self._services = services
        self._build = build
        self._options = options
        self._found = Findings(hint_of=lambda block: rule_hint(services.rulebooks, block.rule, block.key))
        self._known = KnownBlocks(services, build.record.num_nodes, own_only=options.repair)
        self._settled = False  # whether what was made is removed, or said to be left
        self.won: Start | None = None
        self._todo: deque[Action] = deque()
        self._open: Action | None = None  # what is being done
        blocks = Blocklist()
        self._known.load(blocks)
        self.engine = Engine(
            choices,
            blocks=blocks,
            zones_together=self._together(),
            retry_until_up=options.retry_until_up,
            retry_pause=services.settings.retry_pause_s,
            keep_order=options.keep_order,
            gate=gate,
        )

    def _together(self) -> frozenset[str]:
        return frozenset(
            cloud.name for cloud in self._services.clouds.made() if Capability.ZONES_TOGETHER in cloud.capabilities
        )

    @property
    def _fence(self) -> Fence:
        return self._build.fence

    def run(self) -> Start:
        """Raises ``NoCapacityError``, ``CredentialsError``, ``UsageError``, ``InterruptedBySignal`` or
        ``LeftoverError``; but for the last, nothing is left.
        """
        try:
            return self._loop()
        except BaseException:
            if not self._settled:
                self._abandon()
            raise

    def _loop(self) -> Start:
        while True:
            try:
                end = self._step()
            except KeyboardInterrupt:
                self._fence.set()
                self._settle()
                continue
            if end is not None:
                return end

    def _step(self) -> Start | None:
        if self._fence.cancelled:
            self.engine.stop("interrupted")
        now = self._services.clock.time()
        if not self._todo:
            self._todo.extend(self.engine.next(now))
        while self._todo:
            self._open = self._todo.popleft()
            end = self._do(self._open, now)
            self._open = None
            if end is not None:
                return end
        return None

    def _settle(self) -> None:
        """Ctrl-C in the middle of anything: what runs ends as cancelled, unless it is up already, and is told once;
        what was being cleaned is cleaned again. The engine then stops, and has the rest cleaned.
        """
        action, self._open = self._open, None
        self._todo.clear()
        if self.engine.locating:
            self.engine.located(())
        for number in self.engine.running:
            if isinstance(action, Start) and action.attempt == number:
                self._report(action, None if self._build.record.status is ClusterStatus.UP else CANCELLED)
            else:  # it was never begun
                self.engine.outcome(number, CANCELLED, self._services.clock.time())
        self._todo.extend(CleanUp(number) for number in self.engine.cleaning)

    def _do(self, action: object, now: float) -> Start | None:
        match action:
            case Skip():
                self._skip(action, now)
            case Locate():
                self._locate(action, now)
            case Start():
                self._report(action, self._build.run(action, now))
            case CleanUp():
                self._clean(action)
            case WaitUntil(time=time):
                self._wait(time, now)
            case GiveUp():
                raise self._give_up(action, now)
            case Done():
                return self.won
        return None

    def _skip(self, action: Skip, now: float) -> None:
        rows = []
        for choice, block in action.skipped[:SKIPS_TOLD]:
            self._found.skipped(choice, block, now)
            row = Skipped(
                candidate=choice.candidate, block=block, alternative=choice.alternative, request=choice.digest
            )
            rows.append(row)
        for cloud, block in action.clouds:
            self._found.cloud_held(cloud, block, now)
        self._services.event(
            EventKind.CANDIDATES_SKIPPED,
            self._build.record,
            skipped=tuple(rows),
            total=len(action.skipped),
            blocks=tuple(block for _, block in action.clouds),
            data=_places_in_plan(action),
            decided_at=now,
            message=_left_out(action),
        )

    def _locate(self, action: Locate, now: float) -> None:
        choice, candidate = action.choice, action.choice.candidate
        cloud = self._services.clouds.get(candidate.cloud)
        options: Sequence[ZoneOption] = ()
        reason, verdict = "", None
        try:
            problem = cloud.name_problem(self._build.record.handle)
            if problem:
                verdict, reason = self._build.judge.name(choice, problem), problem
            else:
                reason = self._quota(candidate)
            if not reason:
                options = cloud.locate(concrete(choice.request, candidate), candidate.region, self._fence)
        except AttemptCancelled:
            pass
        except (CloudError, PluginError) as error:
            verdict = self._build.judge.locate(choice, error)
            reason = verdict.reason
        self._tell_zones(action, options, reason, verdict, now)
        if verdict is None:
            self.engine.located(options)
            return
        self._found.failed(choice, verdict)
        self.engine.locate_failed(verdict, now)
        self._known.save(self.engine.blocks.take_learned())

    def _tell_zones(
        self, action: Locate, options: Sequence[ZoneOption], reason: str, verdict: Verdict | None, now: float
    ) -> None:
        choice = action.choice
        if verdict is None:
            self._note_skips(choice, options, reason)
        self._services.event(
            EventKind.ZONES_LOCATED,
            self._build.record,
            candidate=choice.candidate,
            zones=tuple(options),
            error=reason,
            rule=verdict.rule if verdict else "",
            hint=verdict.hint if verdict else "",
            blocks=verdict.blocks if verdict else (),
            verdict=verdict,
            decided_at=now,
            alternative=choice.alternative,
            request=choice.digest,
            data={"number": str(action.number)},
        )

    def _quota(self, candidate: Candidate) -> str:
        """A clear "no quota"; an error in the check itself is a warning."""
        if self._options.repair:
            return ""
        try:
            denied = self._services.clouds.get(candidate.cloud).quota(candidate, self._fence)
        except (CloudError, PluginError) as error:
            self._services.event(EventKind.WARNING, self._build.record, message=f"quota check: {error}")
            return ""
        return denied.reason if denied else ""

    def _note_skips(self, choice: Choice, options: Sequence[ZoneOption], reason: str) -> None:
        for option in options:
            if option.skip:
                candidate = choice.candidate.model_copy(update={"zone": option.zone})
                self._found.note(candidate, choice, Category.CONFIG, option.skip)
        if not options and not self._fence.cancelled:
            category = Category.QUOTA if reason else Category.UNSUPPORTED
            reason = reason or "the region doesn't offer this instance type"
            self._found.note(choice.candidate, choice, category, reason)

    def _report(self, start: Start, verdict: Verdict | None) -> None:
        now = self._services.clock.time()
        self.won = start if verdict is None else None
        self.engine.outcome(start.attempt, verdict, now)
        if verdict is None:
            return
        self._found.failed(start.choice, verdict, start.zones)
        learned = self.engine.blocks.take_learned()
        self._services.event(
            EventKind.ATTEMPT_FAILED,
            self._build.record,
            attempt=start.attempt,
            candidate=start.choice.candidate,
            error=verdict.reason,
            rule=verdict.rule,
            blocks=learned,
            hint=verdict.hint,
            next=_next_step(start, verdict, learned),
            verdict=verdict,
            decided_at=now,
        )
        self._known.save(learned)
        self._known.catch_up(self.engine.blocks)

    def _clean(self, action: CleanUp) -> None:
        if self._fence.cancelled and self._options.keep_on_interrupt():
            self.engine.cleaned(action.attempt)
            return
        failpoint("launch.before_cleanup")
        try:
            removed = self._build.clean_up()
        except LeftoverError as error:
            self._settled = True
            self._mark_leftover(error)
            raise
        if removed:
            self._services.event(EventKind.ATTEMPT_CLEANED, self._build.record, attempt=action.attempt)
        failpoint("launch.after_cleanup")
        self.engine.cleaned(action.attempt)

    def _mark_leftover(self, error: LeftoverError) -> None:
        record = self._build.record
        status = ClusterStatus.STOPPING if record.ever_up else ClusterStatus.TERMINATING
        self._build.record = self._services.store.update(
            record.name, record.generation, status=status, reason=error.why or error.what
        )

    def _wait(self, time: float, now: float) -> None:
        clock = self._services.clock
        self._services.event(
            EventKind.RETRY_WAIT,
            self._build.record,
            seconds=time - clock.time(),
            message="waiting for capacity",
            decided_at=now,
        )
        look = clock.time() + self._services.settings.retry_pause_s
        while clock.time() < time and not self._fence.cancelled:
            clock.sleep(min(_SLICE_S, max(0.0, time - clock.time())))
            if clock.time() >= look:  # what was cleared or mended meanwhile ends the wait
                look += max(self._services.settings.retry_pause_s, _SLICE_S)
                freed = self._known.refresh(self.engine.blocks)
                if freed:
                    self._tell_freed(freed)
                    return
        self._known.load(self.engine.blocks)

    def _tell_freed(self, freed: Sequence[Block]) -> None:
        keys = [block.key.model_dump(mode="json", exclude_none=True) for block in freed]
        self._services.event(
            EventKind.CANDIDATES_SKIPPED,
            self._build.record,
            data={"freed": json.dumps(keys)},
            decided_at=self._services.clock.time(),
            message=f"no longer blocked: {len(keys)} patterns were cleared or mended",
        )

    def _abandon(self) -> None:
        """An error of our own in the middle: what was made is removed before it goes up."""
        with suppress(StateStoreError):  # the record can't be written; it then still says that nodes may be there
            try:
                self._build.clean_up()
            except LeftoverError as error:
                self._mark_leftover(error)

    def _give_up(self, action: GiveUp, now: float) -> SkyxError:
        name = self._build.record.name
        self._settled = True
        if self._fence.cancelled:
            kept = self._options.keep_on_interrupt()
            why = "what was made is kept" if kept else "nothing was left behind"
            hint = f"look with 'skyx status {name}'" if kept else ""
            return InterruptedBySignal("the launch was interrupted", where=name, why=why, hint=hint)
        self._services.event(EventKind.GAVE_UP, self._build.record, message=action.reason, decided_at=now)
        return self._found.error(action, name, now)


def _places_in_plan(skip: Skip) -> dict[str, str]:
    """For who replays the search."""
    numbers = ",".join(map(str, skip.numbers[:SKIPS_TOLD]))
    return {key: text for key, text in (("numbers", numbers), ("opened", ",".join(skip.opened))) if text}


def _left_out(skip: Skip) -> str:
    by_rule = Counter(block.rule for _, block in skip.skipped)
    parts = [f"{count} ({rule})" for rule, count in by_rule.items()]
    parts += [f"all that is left of {cloud} ({block.rule})" for cloud, block in skip.clouds]
    said = [f"left out: {'; '.join(parts)}"] if parts else []
    if skip.opened:
        said.append(f"no longer left out: {', '.join(skip.opened)}")
    return "; ".join(said)


def _next_step(start: Start, verdict: Verdict, learned: Sequence[Block]) -> str:
    if verdict.abort:
        return "abort"
    if verdict.retry and start.retry < verdict.retry.max:
        return f"retry here in {verdict.retry.pause(start.retry + 1):g} s ({start.retry + 1} of {verdict.retry.max})"
    return "next candidate" if learned or not verdict.prefer else f"next: {', '.join(verdict.prefer)}"
