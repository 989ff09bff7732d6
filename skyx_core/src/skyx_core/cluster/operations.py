"""What a session can do, each under the lock of the cluster it concerns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from skyx_core.calls import Fence
from skyx_core.cluster import lifecycle
from skyx_core.cluster.access import ClusterAccess
from skyx_core.cluster.jobspec import RunPerRank, check_task
from skyx_core.cluster.launch import Confirm, Launch, Wanted, deliver, draw_plan, prepare, show_plan
from skyx_core.cluster.refresh import refresh
from skyx_core.cluster.search import SearchOptions
from skyx_core.cluster.sync import plan_sync
from skyx_core.errors import (
    AgentError,
    AttemptCancelled,
    ClusterStateError,
    InterruptedBySignal,
    PluginError,
    SkyxError,
    UsageError,
)
from skyx_core.jobs.client import LogState
from skyx_core.models import Autostop, Capability, EventKind, Request
from skyx_core.results import (
    CancelResult,
    CheckResult,
    ClusterStatus,
    JobInfo,
    JobResult,
    JobStatus,
    Json,
    LaunchResult,
    LifecycleResult,
    LogChunk,
    OfferRow,
    PluginInfo,
    StatusResult,
    TaskPlan,
    to_json,
)
from skyx_core.state.lock import ClusterLock, Holder
from skyx_core.state.names import check_cluster_name, made_name
from skyx_core.state.records import ClusterRecord

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services
    from skyx_core.task import Task

RECONNECT_S = 0.5
RECONNECTS = 20
WAIT_STEP_S = 3600.0


class Operations:
    """One per session."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._access: dict[str, ClusterAccess] = {}
        self._lock = threading.Lock()
        self._fence = Fence()
        self._keep = False

    # -- planning and launching

    def plan(self, task: Task, limit: int | None) -> TaskPlan:
        plan = draw_plan(self._services, task.requests(), ordered=task.ordered)
        return show_plan(plan, task.name, task.num_nodes, limit)[0]

    def launch(
        self,
        task: Task | None,
        *,
        cluster: str | None,
        dryrun: bool,
        detach: bool,
        retry_until_up: bool,
        hedge: int,
        autostop: Autostop | None,
        keep: bool,
        wait: float | None,
        confirm: Confirm | None,
        run: RunPerRank | None,
    ) -> LaunchResult:
        if hedge != 1:
            raise UsageError("hedged launches aren't supported yet", hint="leave --hedge out")
        services = self._services
        name = check_cluster_name(cluster) if cluster is not None else made_name(services.rng)
        asked = autostop or (task.autostop if task else None)
        self._keep = keep
        options = SearchOptions(retry_until_up=retry_until_up, keep_on_interrupt=lambda: self._keep)
        wanted = Wanted(
            name=name,
            task=task,
            requests=_requests(task, asked),
            autostop=asked,
            run=run,
            dryrun=dryrun,
            search=options,
            confirm=confirm,
        )
        wanted = prepare(services, wanted)
        with self._interruptible(), self._held(name, wait):
            launched = Launch(services, wanted, self._fence).run()
        status = launched.record.status.value if launched.record else "DRYRUN"
        if launched.job_id is not None and not detach:
            status = self.wait(name, launched.job_id, None).status
        candidate = to_json(launched.candidate.model_dump()) if launched.candidate else None
        return LaunchResult(
            cluster=name,
            job_id=launched.job_id,
            status=status,
            attempts=launched.attempts,
            candidate=candidate if isinstance(candidate, dict) else None,
        )

    def exec(self, name: str, task: Task, *, wait: float | None, run: RunPerRank | None) -> JobResult:
        services = self._services
        check_task(task)
        transfers, warnings = plan_sync(task, services.cwd)
        for warning in warnings:
            services.event(EventKind.WARNING, message=warning)
        if task.run is None and run is None:
            raise UsageError("there is nothing to run", where=name, hint="give a command, or a task file with 'run'")
        lifecycle.must_get(services, name)
        with self._held(name, wait):
            access = self._live(name)
            record = lifecycle.must_get(services, name)
            job_id = deliver(services, record, task, transfers, setup=False, run=run, access=access)
        assert job_id is not None
        return JobResult(name, job_id, JobStatus.PENDING.value)

    def interrupt(self, *, keep: bool) -> None:
        self._keep = self._keep or keep
        self._fence.set()

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """A new fence for each call; what was cancelled underneath comes out as the one error for it."""
        self._fence = Fence()
        try:
            yield
        except AttemptCancelled as error:
            why = "the cluster stays as it is" if self._fence.cancelled else str(error)
            raise InterruptedBySignal("the command was interrupted", why=why) from error

    # -- locks and access

    @contextmanager
    def _held(self, name: str, wait: float | None) -> Iterator[None]:
        services = self._services
        limit = services.settings.wait_seconds if wait is None else wait
        lock = ClusterLock(
            services.dirs.locks, name, command=services.command, clock=services.clock, on_wait=self._tell(name)
        )
        with lock.acquire(limit, self._check_fence):
            yield

    def _tell(self, name: str) -> Callable[[Holder | None, float], None]:
        def tell(holder: Holder | None, waited: float) -> None:
            who = str(holder) if holder else "another command"
            self._services.event(
                EventKind.WAITING_FOR_LOCK, message=f"cluster {name!r} is held by {who}; waiting", seconds=waited
            )

        return tell

    def _check_fence(self) -> None:
        if self._fence.cancelled:
            raise InterruptedBySignal("interrupted while waiting for another command")

    def _live(self, name: str) -> ClusterAccess:
        """Access to a cluster that is UP; kept open, so that repeated calls cost one round trip."""
        record = lifecycle.must_get(self._services, name)
        if record.status is not ClusterStatus.UP or record.cluster is None:
            hint = f"skyx start {name}" if record.status is ClusterStatus.STOPPED else f"skyx launch -c {name} ..."
            raise ClusterStateError(f"cluster {name!r} is {record.status.value}, not UP", why=record.reason, hint=hint)
        with self._lock:
            access = self._access.get(name)
            if access is None or access.cluster != record.cluster:
                access = ClusterAccess(self._services, record.cluster)
                self._access[name] = access
            return access

    def close(self) -> None:
        with self._lock:
            open_now, self._access = list(self._access.values()), {}
        for access in open_now:
            access.close()

    # -- status

    def status(self, names: Sequence[str], *, refresh: bool, armed: frozenset[str]) -> StatusResult:
        store = self._services.store
        for record in store.list(list(names) or None):
            if refresh or (record.name in armed and self._free(record)):
                self._refresh(record.name)
        infos = store.infos(list(names) or None)
        found = {info.name for info in infos}
        unknown = [name for name in names if name not in found and not any(mark in name for mark in "*?[")]
        return StatusResult(infos, unknown, list(store.warnings))

    def _free(self, record: ClusterRecord) -> bool:
        try:
            return Capability.FREE_DESCRIBE in self._services.clouds.get(record.cloud).capabilities
        except PluginError:
            return False

    def _refresh(self, name: str) -> None:
        """Left out while another command works on the cluster: that one knows better."""
        services = self._services
        try:
            with self._held(name, 0):
                if services.store.get(name) is not None:
                    refresh(services, services.store.take(name))
        except SkyxError as error:
            services.event(EventKind.WARNING, message=f"{name}: {error}")

    # -- jobs

    def queue(self, name: str | None) -> list[JobInfo]:
        if name is not None:
            lifecycle.must_get(self._services, name)
            return self._live(name).agent.queue()
        from dataclasses import replace

        rows: list[JobInfo] = []
        for info in self._services.store.infos():
            if info.status == ClusterStatus.UP:
                rows += [replace(job, cluster=info.name) for job in self._live(info.name).agent.queue()]
        return rows

    def logs(
        self, name: str, job_id: int | None, *, follow: bool, tail: int | None, ranks: Sequence[int] | None
    ) -> LogStream:
        return LogStream(self._services, self._live(name), job_id, follow=follow, tail=tail, ranks=ranks)

    def wait(self, name: str, job_id: int, timeout: float | None) -> JobInfo:
        clock, agent = self._services.clock, self._live(name).agent
        end = None if timeout is None else clock.monotonic() + timeout
        while True:
            left = WAIT_STEP_S if end is None else max(0.0, end - clock.monotonic())
            job = agent.wait(job_id, min(left, WAIT_STEP_S))
            if JobStatus(job.status).final or (end is not None and clock.monotonic() >= end):
                return job

    def cancel(self, name: str, jobs: Sequence[int], *, everything: bool) -> CancelResult:
        return self._live(name).agent.cancel(jobs, everything=everything)

    # -- life cycle of several

    def each(
        self,
        verb: str,
        names: Sequence[str],
        *,
        everything: bool,
        wait: float | None,
        purge: bool = False,
        setting: Autostop | None = None,
    ) -> list[LifecycleResult]:
        """The verb on every name, one after the other; what one comes to doesn't stop the next."""
        store = self._services.store
        chosen = [info.name for info in store.infos()] if everything else self._expand(names)
        steps: Mapping[str, Callable[[ClusterRecord], LifecycleResult]] = {
            "stop": self._stop,
            "start": self._start,
            "down": lambda record: self._down(record, purge),
            "autostop": lambda record: self._autostop(record, setting),
        }
        return [self._one(steps[verb], name, wait) for name in chosen]

    def _expand(self, names: Sequence[str]) -> list[str]:
        found: list[str] = []
        for name in names:
            if any(mark in name for mark in "*?["):
                found += [info.name for info in self._services.store.infos([name])]
            else:
                found.append(name)
        return list(dict.fromkeys(found))

    def _one(self, step: Callable[[ClusterRecord], LifecycleResult], name: str, wait: float | None) -> LifecycleResult:
        services = self._services
        try:
            lifecycle.must_get(services, name)
            with self._interruptible(), self._held(name, wait):
                lifecycle.must_get(services, name)
                return step(services.store.take(name))
        except SkyxError as error:
            record = self._peek(name)
            remaining = getattr(error, "remaining", ())
            why = f"{error} ({error.hint})" if error.hint else str(error)
            return LifecycleResult(
                name, record.status.value if record else None, list(remaining), why, error.code, error.exit_code
            )

    def _peek(self, name: str) -> ClusterRecord | None:
        try:
            return self._services.store.get(name)
        except SkyxError:
            return None

    def _stop(self, record: ClusterRecord) -> LifecycleResult:
        return LifecycleResult(record.name, lifecycle.stop(self._services, record).status.value, [])

    def _start(self, record: ClusterRecord) -> LifecycleResult:
        with ExitStack() as held:
            started = lifecycle.start(self._services, record, fence=self._fence, held=held)
        return LifecycleResult(record.name, started.status.value, [])

    def _down(self, record: ClusterRecord, purge: bool) -> LifecycleResult:
        remaining = lifecycle.down(self._services, record, purge=purge)
        return LifecycleResult(record.name, None, remaining)

    def _autostop(self, record: ClusterRecord, setting: Autostop | None) -> LifecycleResult:
        with ExitStack() as held:
            done = lifecycle.set_autostop(self._services, record, setting, held=held)
        return LifecycleResult(record.name, done.status.value, [])

    # -- clouds and plugins

    def check(self, names: Sequence[str]) -> list[CheckResult]:
        return [self._check(name) for name in names or self._services.plugins.names("cloud")]

    def _check(self, name: str) -> CheckResult:
        try:
            cloud = self._services.clouds.get(name)
            off = cloud.disabled()
            if off is not None:
                return _failed_check(name, "enabled", off.reason, off.fix)
            lines = cloud.check()
        except SkyxError as error:
            return _failed_check(name, "plugin", str(error), error.hint)
        rows: list[dict[str, Json]] = [line.model_dump() for line in lines]
        return CheckResult(name, all(line.ok for line in lines), rows)

    def plugins(self, *, check: bool) -> list[PluginInfo]:
        if not check:
            return self._services.plugins.list()
        from skyx_core.plugins_report import check as check_all

        return check_all(self._services.plugins, environ=self._services.environ)

    def offers(self, accelerator: str | None, cloud: str | None) -> list[OfferRow]:
        clouds, reasons = self._services.clouds.enabled(frozenset({cloud}) if cloud else frozenset())
        if cloud and not clouds:
            raise UsageError(f"cloud {cloud!r} can't be used", why=reasons[0].reason, hint=reasons[0].fix)
        wanted = Request(accelerators={accelerator: 1.0} if accelerator else {})
        rows = [
            OfferRow(
                o.cloud,
                o.region,
                o.zone,
                o.instance_type,
                dict(o.accelerators),
                o.cpus,
                o.memory_gb,
                o.use_spot,
                o.hourly_usd,
            )
            for one in clouds
            for o in one.offers(wanted)
        ]
        return sorted(rows, key=lambda row: (sorted(row.accelerators), row.hourly_usd, row.cloud, row.region))

    def explain(self, name: str) -> Iterator[Mapping[str, Json]]:
        import json

        for event in self._services.store.events(name):
            fields: dict[str, Json] = json.loads(event.json)
            yield {**fields, "seq": event.seq, "kind": event.kind, "time": event.time}


class LogStream:
    """Iterate over it for chunks; then ``job_id`` and ``status`` hold. A lost connection is taken up again where it
    was; ``AgentError`` after 10 s without one.
    """

    def __init__(
        self,
        services: Services,
        access: ClusterAccess,
        job_id: int | None,
        *,
        follow: bool,
        tail: int | None,
        ranks: Sequence[int] | None,
    ) -> None:
        self._clock = services.clock
        self._agent = access.agent
        self._follow = follow
        self._tail = tail
        self._ranks = ranks
        job = access.agent.job(job_id)
        self._state = LogState(status=job.status, job_id=job.id)

    @property
    def job_id(self) -> int | None:
        return self._state.job_id

    @property
    def status(self) -> JobStatus | None:
        return JobStatus(self._state.status) if self._state.status else None

    def __iter__(self) -> Iterator[LogChunk]:
        failures = 0
        while True:
            try:
                tail = self._tail if not self._state.offsets else None
                for chunk in self._agent.logs(
                    self._state.job_id, self._state, follow=self._follow, tail=tail, ranks=self._ranks
                ):
                    failures = 0
                    yield chunk
                return
            except AgentError:
                failures += 1
                if failures > RECONNECTS:
                    raise
                self._clock.sleep(RECONNECT_S)


def _requests(task: Task | None, autostop: Autostop | None) -> tuple[Request, ...]:
    requests = task.requests() if task is not None else (Request(),)
    if autostop is None:
        return requests
    update = {"autostop": True, "autostop_down": autostop.down}
    return tuple(request.model_copy(update=update) for request in requests)


def _failed_check(cloud: str, name: str, detail: str, fix: str) -> CheckResult:
    return CheckResult(cloud, False, [{"name": name, "ok": False, "detail": detail, "fix": fix}])
