"""The queue: takes jobs in, starts what fits, and keeps everybody informed of what becomes of them."""

from __future__ import annotations

from skyx_agent import states
from skyx_agent.admission import check_fits
from skyx_agent.cluster import not_configured
from skyx_agent.errors import AgentError
from skyx_agent.gang import Gang
from skyx_agent.job import Job
from skyx_agent.jobspec import JobSpec
from skyx_agent.scheduler import Demand, Ledger, plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from skyx_agent.cluster import Cluster
    from skyx_agent.services import Services
    from skyx_agent.values import Json

START_BATCH = 16  # jobs started before the loop looks after its clients again
TRY_AGAIN_SECONDS = 1.0
RESTARTED = "the cluster was restarted while the job ran"
STOPPED = "the cluster was stopped while the job ran"


class JobQueue:
    """``listeners`` are called with each job whose recorded state has changed."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.cluster: Cluster | None = None
        self.held = False  # nothing starts before the next configure
        self.listeners: list[Callable[[Job], None]] = []
        self.active: dict[int, Job] = {}
        self.gangs: dict[int, Gang] = {}
        counted = services.store.counts()
        self._ended = {status: counted[status] for status in states.TERMINAL}
        self._ledger = Ledger([])
        self._waits: dict[int, str] = {}
        self._planned = False
        self._more = False
        for job in services.store.active():
            self.active[job.id] = job

    # -- taking in -----------------------------------------------------------------------------------------------

    def submit(self, data: Json) -> int:
        """The job's number. The same ``submit_id`` gives the same number. Durable on return."""
        spec = JobSpec(data)
        known = self._services.store.by_submit_id(spec.submit_id)
        if known is not None:
            return known.id
        if self.cluster is None:
            raise not_configured()
        check_fits(self.cluster, self._ledger, spec)
        self._services.failpoints.hit("agent.submit.before_commit")
        job = self._services.store.add(lambda number: self._make(number, spec))
        self._services.failpoints.hit("agent.submit.after_commit")
        self.active[job.id] = job
        self._changed(job)
        self.plan_soon()
        return job.id

    def _make(self, number: int, spec: JobSpec) -> tuple[Job, bytes | None]:
        try:
            body = self._services.job_dir(number).create(spec)
        except OSError as error:
            raise AgentError("disk", f"the job can't be stored: {error.strerror}", "make room on the disk") from error
        return Job.from_spec(number, spec, self._services.clock.time()), body

    # -- starting ------------------------------------------------------------------------------------------------

    def configure(self, cluster: Cluster) -> None:
        """Take the cluster's description. A new boot ends what was running; what waits stays."""
        restarted = self.cluster is not None and cluster.boot != self.cluster.boot
        self.cluster = cluster
        self.held = False
        self._ledger = Ledger((node.rank, node.gpus) for node in cluster.nodes)
        for job in self.active.values():
            self._ledger.take(job.demand, job.placement)
        if restarted:
            self.fail_running(RESTARTED)
        self._drop_impossible()
        self.plan_soon()

    def _drop_impossible(self) -> None:
        """A job that can't run on the changed cluster must not wait for ever (and keep autostop from firing)."""
        for job in [job for job in self.active.values() if job.status == states.PENDING]:
            if job.id not in self.gangs and not self._ledger.possible(job.demand):
                self._give_up(job, "the cluster has been changed and can't run it any more")

    def recover(self, cluster: Cluster, restarted: bool) -> None:
        """After a start of the agent: take over what ran. ``restarted``: the machine has booted since."""
        self.cluster = cluster
        self._ledger = Ledger((node.rank, node.gpus) for node in cluster.nodes)
        for job in [job for job in self.active.values() if job.status != states.PENDING]:
            self._ledger.take(job.demand, job.placement)
            gang = self._gang(job)
            if gang is None:
                continue
            if restarted:
                gang.end(states.FAILED_DRIVER, RESTARTED)
            else:
                self._guarded(job, gang, gang.resume)
        self.plan_soon()

    def plan_soon(self) -> None:
        if not self._planned:
            self._planned = True
            self._services.loop.call_soon(self._plan)

    def _plan(self) -> None:
        self._planned = False
        if self.cluster is None or self.held:
            return
        starts, self._waits = plan(self._ledger, self._pending(), self.cluster.strict)
        for job_id, placement in starts:
            self.active[job_id].placement = placement
            self._start(self.active[job_id])
        if starts and self._more:
            self.plan_soon()

    def _pending(self) -> list[tuple[int, Demand]]:
        """The waiting jobs in queue order; of those that reserve nothing only a batch, the rest come next time."""
        found: list[tuple[int, Demand]] = []
        free = 0
        self._more = False
        for job in self.active.values():
            if job.status != states.PENDING or job.id in self.gangs:
                continue
            demand = job.demand
            free += not demand.per_node
            if free > START_BATCH:
                self._more = True
                break
            found.append((job.id, demand))
        return found

    def _start(self, job: Job) -> None:
        gang = self._gang(job)
        if gang is not None:
            self._guarded(job, gang, gang.start)

    def _gang(self, job: Job) -> Gang | None:
        assert self.cluster is not None
        try:
            spec = self._services.job_dir(job.id).spec(self._services.store.spec(job.id))
        except (OSError, ValueError, AgentError) as error:
            self._give_up(job, f"its stored description can't be read: {error}")
            return None
        self.gangs[job.id] = Gang(self._services, self.cluster, job, spec, self._moved)
        return self.gangs[job.id]

    def _guarded(self, job: Job, gang: Gang, action: Callable[[], None]) -> None:
        try:
            action()
        except (AgentError, OSError) as error:
            self._services.journal.say(f"job {job.id} can't be started: {error}")
            if job.status != states.PENDING:
                gang.end(states.FAILED_DRIVER, f"the agent could not run it: {error}")
                return
            gang.abandon()
            del self.gangs[job.id]
            self._ledger.release(job.demand, job.placement)
            job.placement = []
            self._services.loop.call_later(TRY_AGAIN_SECONDS, self.plan_soon)

    # -- ending --------------------------------------------------------------------------------------------------

    def cancel(self, job: Job) -> None:
        """Ends as CANCELLED, unless another end was decided before. A listener hears of it when it is recorded."""
        if job.id in self.gangs:
            self.gangs[job.id].end(states.CANCELLED, "cancelled by the user")
        elif not job.terminal:
            self._finish_waiting(job, states.CANCELLED, "cancelled by the user before it started")

    def fail_running(self, reason: str) -> None:
        for gang in list(self.gangs.values()):
            gang.end(states.FAILED_DRIVER, reason)

    def _give_up(self, job: Job, reason: str) -> None:
        self._finish_waiting(job, states.FAILED_DRIVER, reason)

    def _finish_waiting(self, job: Job, status: str, reason: str) -> None:
        before = (job.status, job.reason, job.ended_at)
        job.move(status)
        job.reason, job.ended_at = reason, self._services.clock.time()
        try:
            self._services.store.save(job)
            folder = self._services.job_dir(job.id)
            folder.write_end(job)
            folder.forget_secrets(folder.spec())
        except AgentError:
            job.status, job.reason, job.ended_at = before
            raise
        except OSError as error:
            self._services.journal.say(f"job {job.id}: {error}")
        self._moved(job)

    def _moved(self, job: Job) -> None:
        if job.terminal:
            if self.active.pop(job.id, None) is not None:
                self._ended[job.status] += 1
            self.gangs.pop(job.id, None)
            self._ledger.release(job.demand, job.placement)
            self.plan_soon()
        self._changed(job)

    def _changed(self, job: Job) -> None:
        for listener in list(self.listeners):
            listener(job)

    # -- looking -------------------------------------------------------------------------------------------------

    def find(self, job_id: int | None) -> Job:
        """By number, or the latest one. Raises ``AgentError`` unknown_job."""
        if job_id is not None and job_id in self.active:
            return self.active[job_id]
        store = self._services.store
        job = store.latest() if job_id is None else store.get(job_id)
        if job is None:
            what = "there is no job yet" if job_id is None else f"there is no job {job_id}"
            raise AgentError("unknown_job", what, "'skyx queue' lists the jobs")
        return self.active.get(job.id, job)

    def listing(self, limit: int, since: int) -> list[Job]:
        """All active jobs and the last ``limit`` ended ones with a number above ``since``, newest first."""
        active = [job for job in self.active.values() if job.id > since]
        return sorted([*active, *self._services.store.ended(since, limit)], key=lambda job: -job.id)

    def describe(self, job: Job) -> Json:
        """A job's JSON; of a waiting one ``reason`` says why it waits."""
        found = job.as_json()
        if job.status == states.PENDING and not found["reason"]:
            found["reason"] = self._why(job)
        return found

    def _why(self, job: Job) -> str:
        if self.held or self.cluster is None:
            return "waits for the cluster to be started"
        return self._waits.get(job.id, "waits for its turn")

    def tally(self) -> dict[str, int]:
        """Jobs per state."""
        counted = dict.fromkeys(states.ACTIVE, 0)
        for job in self.active.values():
            counted[job.status] += 1
        return {**counted, **self._ended}
