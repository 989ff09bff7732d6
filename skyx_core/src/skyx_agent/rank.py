"""One process of a job: a rank's run or a node's setup, from its start mark to its exit code."""

from __future__ import annotations

import errno
import os

from skyx_agent import environment, proc
from skyx_agent.jobspec import DEFAULT_WORKDIR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from skyx_agent.cluster import Cluster, Node
    from skyx_agent.job import Job
    from skyx_agent.jobdir import JobDir
    from skyx_agent.jobspec import JobSpec
    from skyx_agent.services import Services
    from skyx_agent.treeend import Family

CANT_START = 126
LOST = -1  # no process and no exit code: only while the agent decides what that means


class Rank:
    """``code`` is None while it runs. ``ended(self)`` is called once, when it has one."""

    def __init__(self, kind: str, rank: int, node: Node, gpus: list[str], ended: Callable[[Rank], None]) -> None:
        self.kind = kind
        self.rank = rank
        self.node = node
        self.gpus = gpus
        self.code: int | None = None
        self.pid = 0
        self._ended = ended

    def launch(self, run: Launcher, attempt: int) -> None:
        """Start the process. A start that the system refuses is an exit code 126 with a line in the log.

        ``attempt``: 1, or the first whose start mark is free. Another process can't have taken it: it would not run.
        """
        log = run.folder.log(self.kind, self.rank)
        try:
            argv, env = run.command(self, attempt)
            run.services.failpoints.hit(f"agent.{self.kind}.before_spawn")
            self.pid = run.services.children.spawn(argv, env, log, self._finished(run), errors=False)
        except OSError as error:
            _note(log, f"skyx: can't start: {_explain(error)}\n")
            self._settle(CANT_START)
            return
        run.services.failpoints.hit(f"agent.{self.kind}.after_spawn")
        run.family.add_root(self.pid, _start_of(self.pid, run.family))

    def resume(self, run: Launcher) -> None:
        """After a restart of the agent: take the recorded code, adopt the process, or start what never began."""
        run.family.inherited = True
        code = run.folder.exit_code(self.kind, self.rank)
        if code is not None:
            self._settle(code)
            return
        attempt, mark = run.folder.last_start(self.kind, self.rank)
        if not mark and run.folder.fence(self.kind, self.rank, attempt):
            self.launch(run, attempt + 1)
            return
        self._adopt(run, run.folder.last_start(self.kind, self.rank)[1])

    def _adopt(self, run: Launcher, mark: bytes) -> None:
        try:
            seen = proc.Stat(mark)
        except (ValueError, IndexError):
            self._settle(LOST)
            return
        if not proc.alive(seen.ident):
            code = run.folder.exit_code(self.kind, self.rank)
            self._settle(LOST if code is None else code)
            return
        now = proc.stat(seen.pid)
        self.pid = seen.pid
        run.family.add_root(*seen.ident)
        run.family.scattered = run.family.scattered or now is None or now.ppid != os.getppid()
        run.services.children.adopt(seen.ident, self._finished(run))

    def _finished(self, run: Launcher) -> Callable[[int | None], None]:
        def on_end(code: int | None) -> None:
            run.services.failpoints.hit(f"agent.{self.kind}.after_exit")
            recorded = None if run.job.ending else run.folder.exit_code(self.kind, self.rank)
            self._settle(recorded if recorded is not None else LOST if code is None else code)

        return on_end

    def _settle(self, code: int) -> None:
        if self.code is None:
            self.code = code
            self._ended(self)


class Launcher:
    """Makes the command and environment of the ranks of one job."""

    def __init__(self, services: Services, cluster: Cluster, job: Job, spec: JobSpec, family: Family) -> None:
        self.services = services
        self.cluster = cluster
        self.job = job
        self.spec = spec
        self.family = family
        self._shared: dict[str, str] = {}
        self._account: dict[str, str] = {}
        self._scripts: dict[tuple[str, int], tuple[str, bytes]] = {}  # the last one
        self.folder: JobDir = services.job_dir(job.id)

    def command(self, rank: Rank, attempt: int) -> tuple[list[str], environment.Environment]:
        shell = self.services.shell
        marks = (
            self.folder.start_mark(rank.kind, rank.rank, attempt),
            self.folder.exit_mark(rank.kind, rank.rank),
        )
        if rank.kind == "rank" and self.spec.runner:
            program = shell.run_program(self.spec.runner)
        else:
            program = shell.run_script(*self._script(rank))
        workdir, fallback = self._workdir(rank.node)
        env = self._environment(rank)
        return shell.wrap(marks, workdir, fallback, program), env

    def _script(self, rank: Rank) -> tuple[str, bytes]:
        """Path and text, written only once if all ranks share it."""
        number = rank.rank if rank.kind == "rank" and isinstance(self.spec.run, list) else 0
        key = (rank.kind, number)
        if key not in self._scripts:
            self._scripts = {key: self.folder.script(rank.kind, number, self.spec)}
        return self._scripts[key]

    def _environment(self, rank: Rank) -> environment.Environment:
        if not self._shared:
            self._shared = environment.job_variables(self.cluster, self.job)
            self._account = environment.login()
        mark = environment.marker(self.cluster, self.job)
        prologue = self.services.shell.prologue
        env = environment.build(
            self.cluster, self._shared, self.spec, rank, account=self._account, mark=mark, prologue=prologue
        )
        if self.spec.runner:
            env[b"SKYX_JOB_DIR"] = os.fsencode(self.folder.path)
        return env

    def _workdir(self, node: Node) -> tuple[str, str]:
        asked = self.spec.workdir
        fallback = node.home if asked == DEFAULT_WORKDIR else ""
        if asked == "~" or asked.startswith("~/"):
            asked = node.home + asked[1:]
        return os.path.join(node.home, asked), fallback


def _start_of(pid: int, family: Family) -> int:
    """Our own child can't be reaped before we do it, so its record is there."""
    found = proc.stat(pid)
    return found.start if found is not None else family.began


def _explain(error: OSError) -> str:
    if error.errno == errno.E2BIG:
        return "the environment is larger than the system allows"
    return error.strerror or str(error)


def _note(log: str, line: str) -> None:
    try:
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    except OSError:
        return
    try:
        os.write(handle, line.encode("utf-8", "backslashreplace"))
    except OSError:
        return
    finally:
        os.close(handle)
