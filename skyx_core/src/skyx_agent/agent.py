"""The agent: all parts put together, from taking the lock to the last byte."""

from __future__ import annotations

import gc
import json
import os
import signal

from skyx_agent import VERSION, paths, proc
from skyx_agent.autostop import Autostop
from skyx_agent.clock import Clock
from skyx_agent.cluster import Cluster, stored_cluster
from skyx_agent.errors import AgentError
from skyx_agent.exits import EXIT_DONE, EXIT_REFUSED, EXIT_UPGRADE
from skyx_agent.failpoints import Failpoints
from skyx_agent.files import make_private_dir, write_atomically
from skyx_agent.jobqueue import STOPPED, JobQueue
from skyx_agent.journal import Journal
from skyx_agent.locks import take
from skyx_agent.logs import LogDesk
from skyx_agent.loop import READ, Loop
from skyx_agent.recovery import open_store
from skyx_agent.server import Server
from skyx_agent.services import Services
from skyx_agent.subreaper import collect_orphans
from skyx_agent.values import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable

    from skyx_agent.job import Job
    from skyx_agent.values import Json

LAST_WORDS_SECONDS = 0.05
STOP_LIMIT_SECONDS = 60.0
FOLDER_SECONDS = 30.0
FOLDER_GRACE_SECONDS = 5.0


class Agent:
    """One per folder. ``alive`` is a pipe that ends when the supervisor does."""

    def __init__(self, folder: str, alive: int, lock: int) -> None:
        self.folder = folder
        self._lock = lock
        self._alive = alive
        self._supervisor = os.getppid()
        self._exit = EXIT_DONE
        journal = Journal(os.path.join(folder, "agent.log"))
        clock = Clock(os.environ.get("SKYX_TEST_CLOCK", ""))
        make_private_dir(os.path.join(folder, "jobs"))
        store, self._note = open_store(folder, journal)
        failpoints = Failpoints(os.environ.get("SKYX_FAILPOINT", ""))
        loop = Loop(clock, journal)
        self.services = Services(folder, clock=clock, loop=loop, store=store, journal=journal, failpoints=failpoints)
        self.services.strangers.come_to_us = collect_orphans(True)
        self.services.shell.install()
        self.queue = JobQueue(self.services)
        self.autostop = Autostop(self.services, self.queue)
        self.desk = LogDesk(self.services, self.queue)
        self._socket_path = paths.socket_path(folder)
        self.server = Server(self, self._socket_path)

    def run(self) -> int:
        """Until told to end. Returns the exit code that tells the supervisor what to do next."""
        self._watch_signals()
        if self._alive >= 0:
            os.set_inheritable(self._alive, False)
            self.services.loop.watch(self._alive, READ, self._supervisor_gone)
        self._recover()
        self.autostop.begin(self.queue.held)
        paths.write_agent_json(self.folder, self._socket_path, self.identity())
        self._look_after_folder()
        gc.collect()
        gc.freeze()
        self.services.loop.run()
        self.server.close()
        self.services.store.close()
        return self._exit

    def identity(self) -> Json:
        return {"pid": os.getpid(), "supervisor_pid": self._supervisor, "version": VERSION}

    # -- requests ------------------------------------------------------------------------------------------------

    def configure(self, cluster: Cluster) -> None:
        """Durable on return."""
        try:
            cluster.save(os.path.join(self.folder, "cluster.json"))
        except OSError as error:
            raise AgentError("disk", f"the cluster can't be stored: {error.strerror}") from error
        self.services.store.set_meta("cluster", json.dumps(cluster.data))
        self.services.store.set_meta("held", "")
        before = self.queue.cluster
        if self.queue.held or (before is not None and before.boot != cluster.boot):
            self.autostop.cluster_restarted()
        self.queue.configure(cluster)

    def status(self) -> Json:
        cluster = self.queue.cluster
        return {
            "uid": cluster.uid if cluster else None,
            "cluster": cluster.name if cluster else None,
            "jobs": self.queue.tally(),
            "idle_for_s": round(self.autostop.idle_for(), 3),
            "autostop": self.autostop.describe(),
            "supervised": self._alive >= 0,
            "clock": iso(self.services.clock.time()),
            "socket": self._socket_path,
            "notes": [self._note] if self._note else [],
            **self.identity(),
        }

    def when_ended(self, jobs: Iterable[Job], timeout: float, callback: Callable[[], None]) -> None:
        """Call back once, when all these jobs have ended or ``timeout`` seconds have passed."""
        waiting = {job.id for job in jobs if not job.terminal}

        def settle() -> None:
            if changed in self.queue.listeners:
                self.queue.listeners.remove(changed)
            timer.cancel()
            callback()

        def changed(job: Job) -> None:
            if job.terminal:
                waiting.discard(job.id)
            if not waiting and changed in self.queue.listeners:
                settle()

        timer = self.services.loop.call_later(timeout, settle)
        self.queue.listeners.append(changed)
        if not waiting:
            settle()

    def shut_down(self, kill_jobs: bool, answer: Callable[[], None]) -> None:
        """End for good. With ``kill_jobs`` nothing starts again before the next ``configure``."""

        def leave() -> None:
            answer()
            self._leave(EXIT_DONE)

        if not kill_jobs:
            leave()
            return
        self.queue.held = True
        self.services.store.set_meta("held", "1")
        running = [gang.job for gang in self.queue.gangs.values()]
        self.queue.fail_running(STOPPED)
        self.when_ended(running, STOP_LIMIT_SECONDS, leave)

    def upgrade(self, argv: list[str]) -> None:
        """The supervisor becomes ``argv``; ranks go on, and the new agent takes them over."""
        if self._alive < 0 or not argv or not os.access(argv[0], os.X_OK):
            raise AgentError("invalid", "upgrade needs a supervisor and the argv of an executable")
        write_atomically(os.path.join(self.folder, "next.argv"), b"\0".join(os.fsencode(word) for word in argv))
        self._leave(EXIT_UPGRADE)

    def _leave(self, code: int) -> None:
        self._exit = code
        self.services.loop.call_later(LAST_WORDS_SECONDS, self.services.loop.stop)

    # -- coming and going ----------------------------------------------------------------------------------------

    def _recover(self) -> None:
        store = self.services.store
        boot = proc.boot_id()
        restarted = store.meta("boot_id") not in ("", boot)
        store.set_meta("boot_id", boot)
        if restarted:
            store.set_meta("held", "1")
        self.queue.held = store.meta("held") == "1"
        cluster = stored_cluster(self.folder, store.meta("cluster"), self.services.journal)
        if cluster is not None:
            self.queue.recover(cluster, restarted)

    def _watch_signals(self) -> None:
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: None)
        self.services.loop.watch(reader, READ, lambda _events: self._signalled(os.read(reader, 4096)))

    def _signalled(self, numbers: bytes) -> None:
        if signal.SIGTERM in numbers or signal.SIGINT in numbers:
            self._leave(EXIT_DONE)
        if signal.SIGHUP in numbers and self._has_folder():  # else another agent may have this place by now
            self.server.rebind()
            paths.write_agent_json(self.folder, self._socket_path, self.identity())
        self.services.children.reap()

    def _look_after_folder(self) -> None:
        """Somebody who removes the folder means the cluster to be gone: end with it."""
        if self._has_folder():
            self.services.loop.call_later(FOLDER_SECONDS, self._look_after_folder)
            return
        self.services.journal.say("the agent's folder was removed; ending")
        self.queue.held = True
        self.queue.fail_running(STOPPED)
        self.services.loop.call_later(FOLDER_GRACE_SECONDS, lambda: self._leave(EXIT_DONE))

    def _has_folder(self) -> bool:
        try:
            return os.path.samestat(os.stat(os.path.join(self.folder, "agent.lock")), os.fstat(self._lock))
        except OSError:
            return False

    def _supervisor_gone(self, _events: int) -> None:
        """Nobody would restart us any more: begin again under a new supervisor, which takes over what runs."""
        from skyx_agent.serve import launch

        self.services.loop.forget(self._alive)
        os.close(self._alive)
        self._alive = -1
        self.services.journal.say("the supervisor is gone; starting a new one")
        collect_orphans(False)  # the new supervisor must not become a child of ours
        try:
            launch(self.folder)
        except OSError as error:
            self.services.strangers.come_to_us = collect_orphans(True)
            self.services.journal.say(f"no new supervisor: {error}; going on without")
            return
        self._leave(EXIT_DONE)


def main(folder: str, alive: int) -> int:
    """The agent's process. A refusal to start is left in ``agent.error`` for the one who asked."""
    os.umask(0o022)
    try:
        lock = take(os.path.join(folder, "agent.lock"))
        if lock is None:
            return EXIT_REFUSED
        return Agent(folder, alive, lock).run()
    except AgentError as error:
        _refuse(folder, error)
    except OSError as error:
        _refuse(folder, AgentError("disk", f"the agent can't start: {error}"))
    return EXIT_REFUSED


def _refuse(folder: str, error: AgentError) -> None:
    Journal().say(f"can't start: {error.message}")
    try:
        write_atomically(os.path.join(folder, "agent.error"), json.dumps(error.as_json()).encode("ascii"))
    except OSError:
        return
