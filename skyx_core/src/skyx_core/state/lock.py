"""One writer per cluster, across processes: a lock of the operating system that names its holder."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import math
import os
import socket
import threading
import weakref
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from skyx_core.clock import Clock
from skyx_core.dirs import ensure, unusable
from skyx_core.errors import BusyError, StateStoreError, UsageError

_POLL_S = 0.05
_FIRST_NOTICE_S = 5.0
_NOTICE_EVERY_S = 30.0


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock. ``since``: seconds since the epoch."""

    pid: int
    host: str
    user: str
    command: str
    since: float
    thread: int = 0

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.since, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        command = f" ({self.command})" if self.command else ""
        return f"process {self.pid} of {self.user} on {self.host}{command}, since {since}"


OnWait = Callable[[Holder | None, float], None]


class ClusterLock:
    """A ``flock`` on a file named by the digest of the exact cluster name; the file is never deleted.

    Held until ``release`` or the end of the process, however it ends (kill -9 too); children don't inherit it.
    Threads of one process exclude each other like processes do; a thread that asks for what it holds is refused.
    """

    def __init__(
        self, directory: Path, name: str, *, command: str, clock: Clock, on_wait: OnWait | None = None
    ) -> None:
        """``on_wait(holder, waited_s)`` is called after 5 s of waiting, then every 30 s. No I/O happens here."""
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self.path = directory / f"{digest}.lock"
        self.name = name
        self._command = command
        self._clock = clock
        self._on_wait = on_wait
        self._file: int | None = None

    def acquire(self, wait_s: float, check: Callable[[], None] | None = None) -> ClusterLock:
        """Wait at most ``wait_s`` seconds (0: not at all), then ``BusyError`` naming the holder.

        ``check`` is called at least every 50 ms while waiting; what it raises ends the wait. Returns itself, for
        ``with lock.acquire(600): ...``.
        """
        if not 0 <= wait_s < math.inf:
            raise UsageError(
                f"{wait_s} can't be a time to wait",
                where=self.name,
                why="it is not a finite number of seconds, 0 or more",
                hint="pass --wait SECONDS, such as --wait 600",
            )
        if self._file is not None:
            raise self._busy(self.holder(), "this very lock is held already")
        descriptor = self._open()
        try:
            self._wait(descriptor, wait_s, check)
            _write_holder(descriptor, self._me())
        except BaseException:
            os.close(descriptor)
            raise
        self._file = descriptor
        _forks.watch(self)
        return self

    def release(self) -> None:
        """Safe to repeat."""
        descriptor, self._file = self._file, None
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
            os.close(descriptor)

    def holder(self) -> Holder | None:
        """Who wrote itself into the file last; None if nobody or unreadable. Says nothing of whether it still lives."""
        with contextlib.suppress(OSError, ValueError, TypeError):
            return Holder(**json.loads(self.path.read_bytes()))
        return None

    def __enter__(self) -> ClusterLock:
        """Like ``acquire(0)`` unless it is held by this object already."""
        if self._file is None:
            self.acquire(0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _open(self) -> int:
        ensure(self.path.parent)
        try:
            return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise unusable(self.path, error) from error

    def _wait(self, descriptor: int, wait_s: float, check: Callable[[], None] | None) -> None:
        start = self._clock.monotonic()
        notice = _FIRST_NOTICE_S
        while not self._try(descriptor):
            holder = self.holder()
            waited = self._clock.monotonic() - start
            if holder and (holder.pid, holder.thread, holder.host) == _here():
                raise self._busy(holder, "this thread holds it already")
            if waited >= wait_s:
                raise self._busy(holder, f"held by {holder}" if holder else "held by a process that left no name")
            if waited >= notice and self._on_wait:
                self._on_wait(holder, waited)
                notice = waited + _NOTICE_EVERY_S
            if check:
                check()
            self._clock.sleep(min(_POLL_S, max(0.001, wait_s - waited)))

    def _try(self, descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EINTR):
                return False
            raise StateStoreError(
                "files can't be locked here",
                where=str(self.path),
                why=os.strerror(error.errno or 0),
                hint="set SKYX_HOME to a folder on a local disk",
            ) from error
        return True

    def _busy(self, holder: Holder | None, why: str) -> BusyError:
        who = f"; 'kill {holder.pid}' on {holder.host} ends that command" if holder else ""
        return BusyError(
            f"another command is working on cluster {self.name!r}",
            where=self.name,
            why=why,
            hint=f"wait for it (--wait SECONDS waits longer){who}",
        )

    def _me(self) -> Holder:
        pid, thread, host = _here()
        return Holder(pid, host, _user(), self._command, self._clock.time(), thread)

    def _drop(self) -> None:
        """In a forked child: give up the copy, which leaves the parent's lock alone."""
        descriptor, self._file = self._file, None
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(descriptor)


class _Forks:
    """The locks that are held, so that a forked child gives up its copies; registered with the system once."""

    def __init__(self) -> None:
        self._held: weakref.WeakSet[ClusterLock] = weakref.WeakSet()
        self._registered = False

    def watch(self, lock: ClusterLock) -> None:
        if not self._registered:
            os.register_at_fork(after_in_child=self._drop)
            self._registered = True
        self._held.add(lock)

    def _drop(self) -> None:
        for lock in list(self._held):
            lock._drop()


_forks = _Forks()


def _write_holder(descriptor: int, holder: Holder) -> None:
    """A full disk must not stop the one who holds the lock: then it has no name."""
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(asdict(holder)).encode(), 0)


def _here() -> tuple[int, int, str]:
    return os.getpid(), threading.get_ident(), socket.gethostname()


def _user() -> str:
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (KeyError, ImportError):
        return str(os.getuid())
