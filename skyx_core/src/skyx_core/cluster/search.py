"""Doing what the engine says: the only place where a launch waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skyx_core.calls import Fence
from skyx_core.cluster.attempts import Build, concrete
from skyx_core.errors import (
    AttemptCancelled,
    CloudCallError,
    CloudError,
    CredentialsError,
    InterruptedBySignal,
    LeftoverError,
    NoCapacityError,
    PluginBrokenError,
    PluginError,
    SkyxError,
    StateStoreError,
    UsageError,
)
from skyx_core.failover import rules
from skyx_core.failover.blocklist import Blocklist
from skyx_core.failover.engine import CleanUp, Done, Engine, GiveUp, Locate, Start, WaitUntil
from skyx_core.failpoints import failpoint
from skyx_core.models import Candidate, Capability, Category, EventKind, Place, Scope, Verdict, ZoneOption
from skyx_core.plan.planner import Choice, describe_request
from skyx_core.results import ClusterStatus

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services

_SLICE_S = 0.05
_FAILED_ROW = tuple[str, str, str, str]


def _never() -> bool:
    return False


@dataclass(frozen=True)
class SearchOptions:
    """How long to search. ``keep_on_interrupt``: asked once interrupted, whether to leave what was made."""

    retry_until_up: bool = False
    keep_on_interrupt: Callable[[], bool] = _never


class Search:
    """One search for capacity for one cluster. ``run`` returns once the cluster is UP."""

    def __init__(self, services: Services, build: Build, choices: Iterator[Choice], options: SearchOptions) -> None:
        self._services = services
        self._build = build
        self._options = options
        self._rows: list[_FAILED_ROW] = []
        self._categories: list[Category] = []
        self._verdict: Verdict | None = None
        self._settled = False  # whether what was made is removed, or said to be left
        self.won: Start | None = None
        self._current: Start | None = None
        self.engine = Engine(
            choices,
            blocks=Blocklist(),
            zones_together=self._together(),
            retry_until_up=options.retry_until_up,
            retry_pause=services.settings.retry_pause_s,
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
            if self._fence.cancelled:
                self.engine.stop("interrupted")
            for action in self.engine.next(self._services.clock.time()):
                try:
                    end = self._do(action)
                except KeyboardInterrupt:
                    self._interrupted(action)
                    continue
                if end is not None:
                    return end

    def _interrupted(self, action: object) -> None:
        """Ctrl-C in the middle of an action: end it as a cancelled attempt; the engine then stops and cleans."""
        self._fence.set()
        if isinstance(action, Start):
            self._report(action, Verdict(category=Category.TRANSIENT, block=Scope.NONE, rule="core.cancelled"))
        elif isinstance(action, CleanUp):
            self._clean(action)
        elif isinstance(action, Locate):
            self.engine.located(())

    def _do(self, action: object) -> Start | None:
        match action:
            case Locate(choice=choice):
                self._locate(choice)
            case Start():
                self._current = action
                self._report(action, self._build.run(action))
            case CleanUp():
                self._clean(action)
            case WaitUntil(time=time):
                self._wait(time)
            case GiveUp():
                raise self._give_up(action)
            case Done():
                return self.won
        return None

    def _locate(self, choice: Choice) -> None:
        candidate = choice.candidate
        cloud = self._services.clouds.get(candidate.cloud)
        try:
            denied = self._quota(candidate)
            if denied:
                self._note(candidate, choice, denied, "")
                self.engine.located(())
                return
            options = cloud.locate(concrete(choice.request, candidate), candidate.region, self._fence)
        except AttemptCancelled:
            self.engine.located(())
        except (CloudError, PluginError) as error:
            verdict = self._judge(candidate, error)
            self._note(candidate, choice, verdict.reason, verdict.hint)
            self._categories.append(verdict.category)
            self._verdict = verdict
            self.engine.locate_failed(verdict)
        else:
            self._skipped(choice, options)
            self.engine.located(options)

    def _quota(self, candidate: Candidate) -> str:
        """A clear "no quota"; an error in the check itself is a warning."""
        try:
            denied = self._services.clouds.get(candidate.cloud).quota(candidate, self._fence)
        except (CloudError, PluginError) as error:
            self._services.event(EventKind.WARNING, self._build.record, message=f"quota check: {error}")
            return ""
        return denied.reason if denied else ""

    def _judge(self, candidate: Candidate, error: CloudError | PluginError) -> Verdict:
        place = Place(cloud=candidate.cloud, region=candidate.region)
        if isinstance(error, CloudError):
            return self._services.hooks.classify_error(candidate.cloud, place, candidate, error)
        now = self._services.clock.time()
        return rules.unknown(place, candidate, str(error), now, rule="core.plugin", category=Category.PLUGIN)

    def _skipped(self, choice: Choice, options: object) -> None:
        for option in options if isinstance(options, tuple | list) else ():
            if isinstance(option, ZoneOption) and option.skip:
                candidate = choice.candidate.model_copy(update={"zone": option.zone})
                self._note(candidate, choice, option.skip, "")
        if not options:
            self._note(choice.candidate, choice, "the region doesn't offer this instance type", "")

    def _note(self, candidate: Candidate, choice: Choice, reason: str, hint: str) -> None:
        self._rows.append(
            (candidate.infra(), f"{describe_request(choice.request)} {candidate.instance_type}", reason, hint)
        )

    def _report(self, start: Start, verdict: Verdict | None) -> None:
        self.engine.outcome(start.attempt, verdict, self._services.clock.time())
        self._verdict = verdict
        if verdict is None:
            self.won = start
            return
        self._categories.append(verdict.category)
        self._note(start.choice.candidate, start.choice, verdict.reason, verdict.hint)
        self._services.event(
            EventKind.ATTEMPT_FAILED,
            self._build.record,
            attempt=start.attempt,
            candidate=start.choice.candidate,
            error=verdict.reason,
            rule=verdict.rule,
            blocks=verdict.blocks,
            hint=verdict.hint,
            next="abort" if verdict.abort else "retry here" if verdict.retry else "next candidate",
        )

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

    def _wait(self, time: float) -> None:
        clock = self._services.clock
        self._services.event(
            EventKind.RETRY_WAIT, self._build.record, seconds=time - clock.time(), message="waiting for capacity"
        )
        while clock.time() < time and not self._fence.cancelled:
            clock.sleep(min(_SLICE_S, max(0.0, time - clock.time())))

    def _abandon(self) -> None:
        """An error of our own in the middle: what was made is removed before it goes up."""
        with suppress(StateStoreError):  # the record can't be written; it then still says that nodes may be there
            try:
                self._build.clean_up()
            except LeftoverError as error:
                self._mark_leftover(error)

    def _give_up(self, action: GiveUp) -> SkyxError:
        name = self._build.record.name
        self._settled = True
        if self._fence.cancelled:
            kept = self._options.keep_on_interrupt()
            why = "what was made is kept" if kept else "nothing was left behind"
            hint = f"look with 'skyx status {name}'" if kept else ""
            return InterruptedBySignal("the launch was interrupted", where=name, why=why, hint=hint)
        self._services.event(EventKind.GAVE_UP, self._build.record, message=action.reason)
        if self._verdict is not None and self._verdict.abort:
            if self._verdict.category is not Category.USER_ERROR:
                return CloudCallError(
                    "no other place can help", where=name, why=self._verdict.reason, hint=self._verdict.hint
                )
            return UsageError(
                "the cloud refused the request", where=name, why=self._verdict.reason, hint=self._verdict.hint
            )
        if self._categories and all(category is Category.PLUGIN for category in self._categories):
            why, hint = self._rows[-1][2], "'skyx plugins --check' loads each plugin by itself"
            return PluginBrokenError("every plugin that was tried failed", where=name, why=why, hint=hint)
        auth = (Category.AUTH, Category.PERMISSION)
        if self._categories and all(category in auth for category in self._categories):
            return CredentialsError(
                "no cloud accepted the credentials", where=name, why=self._rows[-1][2], hint="skyx check"
            )
        return NoCapacityError(
            "no capacity was found", where=name, why=action.reason, attempts=self._rows, hint=self._hint(action)
        )

    def _hint(self, action: GiveUp) -> str:
        now = self._services.clock.time()
        soon = f"; the first block ends in {max(1, int(action.earliest - now))} s" if action.earliest else ""
        return f"relax the request, or keep trying with --retry-until-up{soon}"
