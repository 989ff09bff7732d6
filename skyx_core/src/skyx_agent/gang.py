"""One running job: setup on every node, then the gang, then an end that leaves no process behind."""

from __future__ import annotations

from skyx_agent import states
from skyx_agent.causes import KILLED, gang_reason, setup_reason
from skyx_agent.environment import marker
from skyx_agent.errors import AgentError
from skyx_agent.rank import LOST, Launcher, Rank
from skyx_agent.treeend import Family, TreeEnd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from skyx_agent.cluster import Cluster
    from skyx_agent.job import Job
    from skyx_agent.jobspec import JobSpec
    from skyx_agent.oom import Counts
    from skyx_agent.services import Services

SAVE_AGAIN_SECONDS = 1.0
GONE = "process is gone and left no exit code: the agent or the head was restarted while it ran"


class Gang:
    """Drives one job from its start to its recorded end. ``on_state`` is called after each recorded change."""

    def __init__(
        self, services: Services, cluster: Cluster, job: Job, spec: JobSpec, on_state: Callable[[Job], None]
    ) -> None:
        self.job = job
        self.spec = spec
        self._services = services
        self._cluster = cluster
        self._on_state = on_state
        self._family = Family(marker(cluster, job), services.strangers)
        services.strangers.families.append(self._family)
        self._launcher = Launcher(services, cluster, job, spec, self._family)
        self.ranks: list[Rank] = []
        self._first: Rank | None = None
        self._end: TreeEnd | None = None
        self._killed_before: Counts | None = None  # unknown for what ran under an earlier agent
        self._busy = False
        self._open = 0  # ranks without a code

    def start(self) -> None:
        """From PENDING. Durable before the first process exists."""
        self.job.started_at = self._services.clock.time()
        self._killed_before = None if self.spec.runner else self._services.memory.counts()
        self._launcher.folder.write_placement(self.job.placement)
        first = states.SETTING_UP if self.spec.setup is not None else states.RUNNING
        self._enter(first)
        self._step(lambda rank: rank.launch(self._launcher, 1))

    def resume(self) -> None:
        """After a restart of the agent. What was decided before stays decided."""
        self._step(lambda rank: rank.resume(self._launcher))
        if self.job.ending:
            self.end(self.job.ending, self.job.reason)

    def abandon(self) -> None:
        """It could not be started: nothing ran, the job waits again."""
        self._services.strangers.families.remove(self._family)

    def end(self, status: str, reason: str) -> None:
        """Decide the end, record the decision, and end all processes. The first decision stands.

        Ranks that run at this moment count as killed, whatever code they leave with.
        """
        if self._end is not None:
            return
        if not self.job.ending:  # else it was decided before a restart of the agent, and stands
            self.job.ending, self.job.reason = status, reason
            if self.job.status == states.RUNNING and self.ranks:
                self.job.exit_codes = [KILLED if rank.code in (None, LOST) else rank.code for rank in self.ranks]
        self._end = TreeEnd(
            self._services.loop, self._services.children, self._family, self._cluster.grace, self._conclude
        )
        if any(rank.code is None for rank in self.ranks) and not self._first_is_marked(status):
            self._save_quietly()
        self._services.failpoints.hit("agent.job.before_end")
        self._end.begin()

    def _first_is_marked(self, status: str) -> bool:
        """Whether the failed rank's own mark would lead to the same decision again, after a crash."""
        first = self._first
        if status != states.FAILED or first is None:
            return False
        return self._launcher.folder.exit_code(first.kind, first.rank) == first.code

    def _enter(self, status: str) -> None:
        before = self.job.status
        self.job.move(status)
        try:
            self._services.store.save(self.job)
        except AgentError:
            self.job.status = before
            raise
        self._services.failpoints.hit(f"agent.job.after_{status.lower()}")
        self._on_state(self.job)

    def _step(self, begin: Callable[[Rank], None]) -> None:
        """Make the processes of the present state and begin each; the judgement waits until all have begun."""
        self.ranks = self._setup_ranks() if self.job.status == states.SETTING_UP else self._run_ranks()
        self._open = sum(rank.code is None for rank in self.ranks)
        self._busy = True
        for rank in self.ranks:
            begin(rank)
        self._busy = False
        self._judge()

    def _setup_ranks(self) -> list[Rank]:
        nodes = enumerate(self._cluster.nodes)
        return [Rank("setup", index, node, [], self._rank_ended) for index, node in nodes]

    def _run_ranks(self) -> list[Rank]:
        places = self.job.placement[:1] if self.spec.runner else self.job.placement
        made = []
        for index, (node, gpus) in enumerate(places):
            rank = Rank("rank", index, self._cluster.node(node), gpus, self._rank_ended)
            if self.spec.runner is None and self.spec.script(index) is None:
                rank.code = 0
            made.append(rank)
        return made if self.spec.has_run else []

    def _rank_ended(self, rank: Rank) -> None:
        if self._first is None and rank.code not in (0, None):
            self._first = rank
        self._open -= 1
        if not self._busy and (self._open == 0 or rank.code != 0):
            self._judge()

    def _judge(self) -> None:
        if self._end is not None:
            if self._open == 0:
                self._end.look()
        elif self.job.status == states.SETTING_UP:
            self._judge_setup()
        else:
            self._judge_run()

    def _judge_setup(self) -> None:
        if self._open:
            return
        failed = [(rank.node.name, rank.code) for rank in self.ranks if rank.code]
        lost = [name for name, code in failed if code == LOST]
        if lost:
            self.end(states.FAILED_DRIVER, f"setup on {', '.join(lost)}: the {GONE}")
        elif failed:
            self.end(states.FAILED_SETUP, setup_reason(failed, self._killed()))
        else:
            self._after_setup()

    def _after_setup(self) -> None:
        self._first = None
        try:
            self._enter(states.RUNNING)
        except AgentError as error:
            self._services.journal.say(f"job {self.job.id}: can't go on yet: {error}")
            self._services.loop.call_later(SAVE_AGAIN_SECONDS, self._judge)
            return
        self._step(lambda rank: rank.launch(self._launcher, 1))

    def _judge_run(self) -> None:
        failed = [rank for rank in self.ranks if rank.code not in (0, None, LOST)]
        first = self._first if self._first in failed else (failed[0] if failed else None)
        if first is not None and first.code is not None:
            self.end(states.FAILED, gang_reason(first.rank, first.node.name, first.code, self._killed()))
        elif any(rank.code == LOST for rank in self.ranks):
            lost = ", ".join(str(rank.rank) for rank in self.ranks if rank.code == LOST)
            self.end(states.FAILED_DRIVER, f"rank {lost}: the {GONE}")
        elif all(rank.code == 0 for rank in self.ranks):
            self.end(states.SUCCEEDED, "")

    def _killed(self) -> str:
        return self._services.memory.words(self._killed_before)

    def _conclude(self) -> None:
        """Every process is gone: record the end."""
        self._services.failpoints.hit("agent.job.before_record")
        self.job.ended_at = self._services.clock.time()
        self.job.move(self.job.ending)
        self._record()

    def _record(self) -> None:
        """Tries again for as long as the disk is full: an end must not be lost."""
        folder = self._launcher.folder
        try:
            folder.write_end(self.job)
            self._services.store.save(self.job)
        except (AgentError, OSError) as error:
            self._services.journal.say(f"job {self.job.id}: its end can't be recorded yet: {error}")
            self._services.loop.call_later(SAVE_AGAIN_SECONDS, self._record)
            return
        self._services.failpoints.hit("agent.job.after_record")
        self._services.strangers.families.remove(self._family)
        self._forget_secrets()
        self._on_state(self.job)

    def _save_quietly(self) -> None:
        """A decision that can't be recorded is still carried out; after a crash it would be taken again."""
        try:
            self._services.store.save(self.job)
        except AgentError as error:
            self._services.journal.say(f"job {self.job.id}: {error}")

    def _forget_secrets(self) -> None:
        try:
            self._launcher.folder.forget_secrets(self.spec)
        except OSError as error:
            self._services.journal.say(f"job {self.job.id}: its secrets could not be removed: {error.strerror}")
