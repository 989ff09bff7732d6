"""Jobs of live clusters: exec, queue, logs, wait, cancel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from skyx_core.cluster.access import ClusterAccess
from skyx_core.cluster.deliver import deliver
from skyx_core.cluster.guard import Guard, Interruption
from skyx_core.cluster.jobspec import RunPerRank, check_task
from skyx_core.cluster.lookup import must_get
from skyx_core.cluster.sync import plan_sync
from skyx_core.errors import (
    AgentError,
    AgentRefusedError,
    CloudError,
    NodeError,
    NoSuchJobError,
    NotFoundError,
    SkyxError,
    UsageError,
)
from skyx_core.jobs.client import LogState
from skyx_core.models import EventKind
from skyx_core.results import CancelResult, ClusterStatus, JobInfo, JobResult, JobStatus, LogChunk

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services
    from skyx_core.task import Task

RECONNECT_S = 0.5
RECONNECTS = 20
WAIT_STEP_S = 3600.0


class JobOperations:
    """See ``Session`` for what each does."""

    def __init__(self, services: Services, guard: Guard) -> None:
        self._services = services
        self._guard = guard

    def exec(self, name: str, task: Task, *, wait: float | None, run: RunPerRank | None) -> JobResult:
        with self._guard.interruptible() as interruption:
            return self._exec(name, task, wait, run, interruption)

    def _exec(
        self, name: str, task: Task, wait: float | None, run: RunPerRank | None, interruption: Interruption
    ) -> JobResult:
        services = self._services
        check_task(task)
        transfers, warnings = plan_sync(task, services.cwd)
        for warning in warnings:
            services.event(EventKind.WARNING, message=warning)
        if task.run is None and run is None:
            raise UsageError("there is nothing to run", where=name, hint="give a command, or a task file with 'run'")
        must_get(services, name)
        with self._guard.held(name, wait, interruption):
            record, access = self._guard.up(name)
            fence = interruption.fence
            job_id = deliver(services, record, task, transfers, setup=False, run=run, access=access, fence=fence)
        assert job_id is not None
        return JobResult(name, job_id, JobStatus.PENDING.value)

    def queue(self, name: str | None) -> list[JobInfo]:
        if name is not None:
            return self._guard.live(name).agent.queue()
        rows: list[JobInfo] = []
        for info in self._services.store.infos():
            if info.status == ClusterStatus.UP:
                rows += [replace(job, cluster=info.name) for job in self._queue_of(info.name)]
        return rows

    def _queue_of(self, name: str) -> list[JobInfo]:
        """One cluster that doesn't answer hides only its own jobs."""
        try:
            return self._guard.live(name).agent.queue()
        except (SkyxError, CloudError) as error:
            self._services.event(EventKind.WARNING, message=f"{name}: {error}")
            return []

    def logs(
        self, name: str, job_id: int | None, *, follow: bool, tail: int | None, ranks: Sequence[int] | None
    ) -> LogStream:
        return LogStream(self._services, self._guard.live(name), job_id, follow=follow, tail=tail, ranks=ranks)

    def wait(self, name: str, job_id: int, timeout: float | None) -> JobInfo:
        clock, agent = self._services.clock, self._guard.live(name).agent
        end = None if timeout is None else clock.monotonic() + timeout
        failures = 0
        while True:
            left = WAIT_STEP_S if end is None else max(0.0, end - clock.monotonic())
            try:
                job = agent.wait(job_id, min(left, WAIT_STEP_S))
            except AgentRefusedError:
                raise
            except (AgentError, NodeError):
                failures += 1
                if failures > RECONNECTS:
                    raise
                clock.sleep(RECONNECT_S)
                continue
            if JobStatus(job.status).final or (end is not None and clock.monotonic() >= end):
                return job

    def cancel(self, name: str, jobs: Sequence[int], *, everything: bool) -> CancelResult:
        return self._guard.live(name).agent.cancel(jobs, everything=everything)


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
        try:
            job = access.agent.job(job_id)
        except NotFoundError as error:
            raise NoSuchJobError(error.what, where=error.where, hint=error.hint) from error
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
            except AgentRefusedError:
                raise
            except (AgentError, NodeError):
                failures += 1
                if failures > RECONNECTS:
                    raise
                self._clock.sleep(RECONNECT_S)
