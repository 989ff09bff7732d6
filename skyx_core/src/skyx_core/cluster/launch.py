"""From a task to a queued job, on a cluster that is new, reused or started again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from skyx_core.calls import Fence
from skyx_core.cluster import lifecycle
from skyx_core.cluster.attempts import Build
from skyx_core.cluster.deliver import deliver
from skyx_core.cluster.ending import remove_nodes
from skyx_core.cluster.fits import check_fit
from skyx_core.cluster.jobspec import RunPerRank, check_task
from skyx_core.cluster.last_place import pinned
from skyx_core.cluster.planned_blocks import PlannedBlocks
from skyx_core.cluster.planning import PlanOptions, draw_plan, relaxation, show_plan
from skyx_core.cluster.refresh import refresh
from skyx_core.cluster.search import Search, SearchOptions
from skyx_core.cluster.sync import Transfer, plan_sync
from skyx_core.errors import (
    AttemptCancelled,
    InterruptedBySignal,
    NoCapacityError,
    NotConfirmedError,
    PluginError,
    PolicyVetoError,
    SkyxError,
    UsageError,
)
from skyx_core.models import Autostop, Candidate, ClusterHandle, EventKind, Link, Request, WhyNot
from skyx_core.plan.planner import Choice, describe_request
from skyx_core.results import ClusterStatus, TaskPlan
from skyx_core.state.names import cloud_name
from skyx_core.state.records import ClusterRecord

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services
    from skyx_core.task import Task

SHOWN = 20
Confirm = Callable[[str, TaskPlan], bool]


@dataclass(frozen=True)
class Wanted:
    """What a launch is to do, checked as far as that goes without a cloud."""

    name: str
    task: Task | None
    requests: tuple[Request, ...]
    autostop: Autostop | None = None
    transfers: tuple[Transfer, ...] = ()
    warnings: tuple[str, ...] = ()
    run: RunPerRank | None = None
    dryrun: bool = False
    search: SearchOptions = field(default_factory=SearchOptions)
    confirm: Confirm | None = None
    optimize: str = ""  # "cost" or "time"; "" = the setting


@dataclass(frozen=True)
class Launched:
    """``attempts``: 0 when the cluster was there."""

    record: ClusterRecord | None
    attempts: int
    candidate: Candidate | None
    job_id: int | None = None


def prepare(services: Services, wanted: Wanted) -> Wanted:
    """Everything that can be wrong without asking a cloud; raises ``UsageError``."""
    if wanted.task is None:
        return wanted
    check_task(wanted.task)
    transfers, warnings = plan_sync(wanted.task, services.cwd)
    return replace(wanted, transfers=tuple(transfers), warnings=tuple(warnings))


class Launch:
    """One launch. The caller holds the lock of the cluster's name."""

    def __init__(self, services: Services, wanted: Wanted, fence: Fence) -> None:
        self._services = services
        self._wanted = wanted
        self._fence = fence
        self._held = ExitStack()  # keeps a new cluster from ending itself before its job is queued

    def run(self) -> Launched:
        """Bring the cluster up, then deliver the job; raises a ``SkyxError``."""
        with self._held:
            return self._run()

    def _run(self) -> Launched:
        services, wanted = self._services, self._wanted
        for warning in wanted.warnings:
            services.event(EventKind.WARNING, message=warning)
        before = record = services.store.get(wanted.name)
        if record is not None:
            record = refresh(services, services.store.take(wanted.name))
        launched = self._fresh(None, before) if record is None else self._existing(record)
        if launched.record is None or wanted.task is None:
            return launched
        fresh = record is None or not record.ever_up
        try:
            self._check()
            return replace(launched, job_id=self._deliver(launched.record, wanted.task))
        except (AttemptCancelled, KeyboardInterrupt) as error:
            raise self._undo(launched.record, fresh) from error

    def _check(self) -> None:
        if self._fence.cancelled:
            raise AttemptCancelled("interrupted")

    def _undo(self, record: ClusterRecord, fresh: bool) -> InterruptedBySignal:
        """Interrupted between the cluster and its job: what this launch made goes, what was there before stays."""
        name = record.name
        if not fresh or self._wanted.search.keep_on_interrupt():
            why, hint = "the cluster stays up, no job was queued", f"end it: skyx down {name}"
            return InterruptedBySignal("the launch was interrupted", where=name, why=why, hint=hint)
        lifecycle.down(self._services, record)
        return InterruptedBySignal("the launch was interrupted", where=name, why="nothing was left behind")

    def _existing(self, record: ClusterRecord) -> Launched:
        services, wanted = self._services, self._wanted
        if record.status is ClusterStatus.TERMINATING:
            return self._fresh(record, None)
        if not record.ever_up:
            return self._fresh(record, record)
        check_fit(record, wanted.requests)
        if wanted.dryrun:
            return Launched(None, 0, None)
        if record.status in (ClusterStatus.STOPPING, ClusterStatus.AUTOSTOPPING):
            record = lifecycle.stop(services, record)
        if record.status is ClusterStatus.INIT:
            return self._repair(record)
        if record.status is not ClusterStatus.UP:
            record = lifecycle.start(services, record, fence=self._fence, autostop=wanted.autostop, held=self._held)
        elif wanted.autostop is not None:
            record = lifecycle.set_autostop(services, record, wanted.autostop, held=self._held)
        return Launched(record, 0, lifecycle.candidate_of(record))

    def _repair(self, record: ClusterRecord) -> Launched:
        """It was up and some of it is missing or silent: made whole where it is, never anywhere else."""
        request = Request.model_validate_json(record.request_json).model_copy(update={"num_nodes": record.num_nodes})
        candidate = lifecycle.candidate_of(record)
        build = Build(self._services, record, self._fence, self._held, self._wanted.autostop)
        options = replace(self._wanted.search, repair=True)
        search = Search(self._services, build, iter([Choice(request, candidate)]), options)
        self._services.event(
            EventKind.LAUNCH_STARTED,
            record,
            candidate=candidate,
            total=record.num_nodes,
            data={**search.engine.options(), "command": self._services.command},
        )
        search.run()
        return Launched(build.record, search.engine.attempts, candidate)

    def _fresh(self, record: ClusterRecord | None, last: ClusterRecord | None) -> Launched:
        """A search; ``last``: where a cluster of this name was, which is tried first."""
        services, wanted = self._services, self._wanted
        ordered = bool(wanted.task and wanted.task.ordered)
        order = wanted.task.order if wanted.task else False
        plan = draw_plan(services, wanted.requests, ordered=order, options=PlanOptions(optimize=wanted.optimize))
        if last is not None:
            plan.choices = chain(_there(services, wanted.requests, last), plan.choices)
        task = wanted.task
        nodes = wanted.requests[0].num_nodes
        shown, choices = show_plan(plan, task.name if task else None, nodes, SHOWN, PlannedBlocks(services, nodes))
        self._agree(shown, plan.excluded)
        if wanted.dryrun:
            return Launched(None, 0, shown.chosen[0])
        record = self._ready(record, shown.chosen[0])
        build = Build(services, record, self._fence, self._held, wanted.autostop)
        search = Search(services, build, choices, replace(wanted.search, keep_order=ordered), plan.gate)
        services.event(
            EventKind.PLANNED,
            record,
            candidate=shown.chosen[0],
            total=len(shown.candidates),
            message=_planned(shown),
        )
        services.event(
            EventKind.LAUNCH_STARTED,
            record,
            candidate=shown.chosen[0],
            total=nodes,
            data={**search.engine.options(), "command": services.command},
        )
        try:
            won = search.run()
        except BaseException:
            self._forget(build)
            raise
        return Launched(build.record, search.engine.attempts, won.choice.candidate)

    def _agree(self, shown: TaskPlan, excluded: Sequence[WhyNot]) -> None:
        services, wanted = self._services, self._wanted
        if not shown.candidates:
            self._refuse_unusable_plugins()
            rows = [(w.subject, describe_request(wanted.requests[0]), w.reason, w.fix) for w in excluded]
            raise NoCapacityError(
                "nothing fits the request",
                where=wanted.name,
                attempts=rows,
                hint=relaxation(services, wanted.requests) or "relax it, or enable another cloud",
            )
        self._refuse_mounts(shown.chosen[0])
        if wanted.task is not None:
            vetoes = services.hooks.check_launch(wanted.task, wanted.requests, shown.chosen)
            if vetoes:
                who = "; ".join(f"{name}: {reason}" for name, reason in vetoes)
                raise PolicyVetoError("the launch was refused", where=wanted.name, why=who)
        if wanted.confirm is not None and not wanted.confirm(wanted.name, shown):
            raise NotConfirmedError("nothing was launched", why="it was not confirmed")

    def _refuse_mounts(self, first: Candidate) -> None:
        """Nodes that share a file system have no ``/data`` of their own; said before anything is made."""
        if self._services.clouds.get(first.cloud).link is not Link.SANDBOX:
            return
        for transfer in self._wanted.transfers:
            if transfer.target.startswith("/"):
                raise UsageError(
                    f"{transfer.target} can't be a target on cloud {first.cloud!r}",
                    where=f"file_mounts.{transfer.target}",
                    why="its nodes have no place of their own outside their homes",
                    hint=f"use a path below the home: ~{transfer.target}",
                )

    def _refuse_unusable_plugins(self) -> None:
        """Every cloud that was asked for is not installed, broken, incompatible or in conflict: no lack of capacity."""
        failed: PluginError | None = None
        for name in sorted({request.cloud or "" for request in self._wanted.requests}):
            if not name:
                return
            try:
                self._services.clouds.get(name)
            except PluginError as error:
                failed = failed or error
            else:
                return
        if failed is not None:
            raise failed

    def _reserve(self, candidate: Candidate) -> ClusterRecord:
        """The record is on disk before the first call to a cloud."""
        services, wanted = self._services, self._wanted
        name = wanted.name
        handle = ClusterHandle(
            uid=services.token(16),
            name=name,
            owner=services.store.owner,
            cloud_name=cloud_name(name),
        )
        record = replace(
            ClusterRecord.of(handle, candidate.cloud),
            region=candidate.region,
            num_nodes=wanted.requests[0].num_nodes,
            request_json=wanted.requests[0].model_dump_json(),
            task_yaml=wanted.task.redacted_yaml() if wanted.task else "",
            command=services.command,
        )
        return services.store.reserve(record)

    def _ready(self, record: ClusterRecord | None, first: Candidate) -> ClusterRecord:
        """A launch that never came up is cleaned, then tried anew under the same identity; a teardown is finished."""
        services, wanted = self._services, self._wanted
        if record is not None and record.status is ClusterStatus.TERMINATING:
            lifecycle.down(services, record)
            record = None
        if record is None:
            return self._reserve(first)
        for place in lifecycle.places_of(services, record):
            remove_nodes(services, record, place)
        for intent in services.store.intents(record.uid, open_only=True):
            services.store.intent_gone(intent.id, "cleaned before the next launch")
        yaml = wanted.task.redacted_yaml() if wanted.task else ""
        return services.store.update(record.name, record.generation, task_yaml=yaml, command=services.command)

    def _forget(self, build: Build) -> None:
        """After a failed search: a record with nothing behind it goes to the history."""
        record = build.record
        kept = self._fence.cancelled and self._wanted.search.keep_on_interrupt()
        if record.ever_up or kept or record.status is ClusterStatus.TERMINATING:
            return
        if not build.clean:
            with suppress(SkyxError):  # a disk that is full: the record then says INIT, and down ends what is there
                self._services.store.update(record.name, record.generation, status=ClusterStatus.TERMINATING)
            return
        how = "interrupted" if self._fence.cancelled else "failed"
        self._services.event(EventKind.LAUNCH_ENDED, record, status=how)
        self._services.store.remove(record.uid, record.generation, "the launch failed")

    def _deliver(self, record: ClusterRecord, task: Task) -> int | None:
        return deliver(
            self._services, record, task, self._wanted.transfers, setup=True, run=self._wanted.run, fence=self._fence
        )


def _there(services: Services, requests: Sequence[Request], last: ClusterRecord) -> Iterator[Choice]:
    """What fits at the last placement; the search takes each choice once, so the whole plan may follow."""
    found = pinned(requests, last)
    numbers = list(found)
    for choice in draw_plan(services, list(found.values()), ordered=True).choices if found else ():
        yield replace(choice, alternative=numbers[choice.alternative])


def _planned(shown: TaskPlan) -> str:
    more = " or more" if shown.more else ""
    left_out = "; ".join(f"{row.cloud}: {row.reason}" for row in shown.excluded)
    return f"{len(shown.candidates)}{more} candidates" + (f"; left out: {left_out}" if left_out else "")
