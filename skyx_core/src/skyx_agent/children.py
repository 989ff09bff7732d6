"""Processes that the agent started or took over, and the news of their end."""

from __future__ import annotations

import os
import signal

from skyx_agent import proc
from skyx_agent.loop import READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, Optional

    from skyx_agent.environment import Environment
    from skyx_agent.loop import Loop
    from skyx_agent.proc import Ident

    OnEnd = Callable[[Optional[int]], None]

POLL_SECONDS = 0.05
# Python ignores SIGPIPE and SIGXFSZ, and an ignored signal stays ignored over exec.
RESET = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGHUP, signal.SIGTERM, signal.SIGINT)


class Children:
    """``on_end`` gets the exit code as a shell counts (128 + signal), or None for an adopted process."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._own: dict[int, OnEnd] = {}
        self._adopted: dict[int, OnEnd] = {}
        self.on_orphans: list[Callable[[], None]] = []  # called after orphans that came to us have ended

    def spawn(self, argv: list[str], env: Environment, log: str, on_end: OnEnd, errors: bool = True) -> int:
        """Start ``argv`` in a session of its own; stdin empty, stdout appended to ``log``, and stderr if ``errors``."""
        append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, log, append, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2) if errors else (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0),
        ]
        pid = os.posix_spawn(argv[0], argv, env, file_actions=actions, setsid=True, setsigmask=[], setsigdef=RESET)
        self._own[pid] = on_end
        return pid

    def adopt(self, ident: Ident, on_end: OnEnd) -> None:
        """Watch a process that is not our child. Ends at once (later in the loop) if it is gone."""
        pid = ident[0]
        self._adopted[pid] = on_end
        opener = getattr(os, "pidfd_open", None)
        try:
            handle = opener(pid) if opener else -1
        except OSError:
            handle = -1
        if handle >= 0 and proc.alive(ident):
            self._loop.watch(handle, READ, lambda _events: self._adopted_ended(pid, handle))
        else:
            if handle >= 0:
                os.close(handle)
            self._poll(ident)

    @property
    def pids(self) -> set[int]:
        return {*self._own, *self._adopted}

    def owns(self, pid: int) -> bool:
        """Whether this is a child of ours that has not been collected: its number can't be somebody else's."""
        return pid in self._own

    def watches(self, pid: int) -> bool:
        """Whether the end of this process is still to come (or to be noticed)."""
        return pid in self._own or pid in self._adopted

    def reap(self) -> None:
        """Collect every child that has ended, then tell. To be called on SIGCHLD."""
        ended, orphans = [], False
        for pid, status in _collect():
            on_end = self._own.pop(pid, None)
            if on_end is None:
                orphans = True
            else:
                ended.append((on_end, exit_code(status)))
        for on_end, code in ended:
            on_end(code)
        for look in list(self.on_orphans) if orphans else []:
            look()

    def _poll(self, ident: Ident) -> None:
        if proc.alive(ident):
            self._loop.call_later(POLL_SECONDS, lambda: self._poll(ident))
        else:
            self._loop.call_soon(lambda: self._adopted_ended(ident[0], -1))

    def _adopted_ended(self, pid: int, handle: int) -> None:
        if handle >= 0:
            self._loop.forget(handle)
            os.close(handle)
        on_end = self._adopted.pop(pid, None)
        if on_end is not None:
            on_end(None)


def _collect() -> Iterator[tuple[int, int]]:
    """(pid, wait status) of each child that has ended."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        yield pid, status


def childless() -> bool:
    """Whether we have no child at all, running or not yet collected."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False


def exit_code(status: int) -> int:
    """A wait status as a shell's exit code."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
