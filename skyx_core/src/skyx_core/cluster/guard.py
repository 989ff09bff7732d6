"""One command's hold on clusters: their locks, the fence that Ctrl-C sets, and open connections."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skyx_core.calls import Fence
from skyx_core.cluster.access import ClusterAccess
from skyx_core.cluster.lookup import must_get
from skyx_core.errors import AttemptCancelled, CloudCallError, CloudError, ClusterStateError, InterruptedBySignal
from skyx_core.models import EventKind
from skyx_core.results import ClusterStatus
from skyx_core.state.lock import ClusterLock, Holder
from skyx_core.state.records import ClusterRecord

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services


KEEP_ANSWER_S = 60.0


class Interruption:
    """Whether one command was told to end, and what is to become of what it made."""

    def __init__(self) -> None:
        self.fence = Fence()
        self._decided = threading.Event()
        self._decided.set()
        self._keep = False

    def set(self, keep: bool | None) -> None:
        """Safe to repeat; ``keep`` None leaves that open until the next call."""
        if keep is None and not self.fence.cancelled:
            self._decided.clear()
        self.fence.set()
        if keep is not None:
            self._keep = self._keep or keep
            self._decided.set()

    def keep_at_least(self, keep: bool) -> None:
        """What the caller of the command wants should it be interrupted."""
        self._keep = self._keep or keep

    def keeps(self) -> bool:
        """Whether what was made stays; waits for the answer, at most a minute, then removes it."""
        self._decided.wait(KEEP_ANSWER_S)
        return self._keep

    def check(self) -> None:
        """Raise once it was told to end."""
        if self.fence.cancelled:
            raise InterruptedBySignal("the command was interrupted", why="nothing was changed")


def called(error: CloudError) -> CloudCallError:
    """The error of ours for an answer that ends a command."""
    hint = "try again; 'skyx check' looks at credentials"
    return CloudCallError(f"{error.cloud} answered with an error", why=str(error), hint=hint)


class Guard:
    """One per session. Thread-safe."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._access: dict[str, ClusterAccess] = {}
        self._lock = threading.Lock()
        self._running: set[Interruption] = set()
        self._early: Interruption | None = None

    def interrupt(self, *, keep: bool | None = False) -> None:
        """End every command that runs in this session, or the next one if none does yet. ``keep`` None: whether what
        was made is to stay is said by a second call. Safe in signal handlers.
        """
        running = list(self._running)
        if not running:
            self._early = self._early or Interruption()
            running = [self._early]
        for one in running:
            one.set(keep)

    @contextmanager
    def interruptible(self, *, keep: bool = False) -> Iterator[Interruption]:
        """Around each command; what was cancelled underneath comes out as the one error for it."""
        interruption, self._early = self._early or Interruption(), None
        interruption.keep_at_least(keep)
        self._running.add(interruption)
        try:
            yield interruption
        except CloudError as error:
            raise called(error) from error
        except AttemptCancelled as error:
            why = "the cluster stays as it is" if interruption.fence.cancelled else str(error)
            raise InterruptedBySignal("the command was interrupted", why=why) from error
        finally:
            self._running.discard(interruption)

    @contextmanager
    def held(self, name: str, wait: float | None, interruption: Interruption | None = None) -> Iterator[None]:
        """The lock of one cluster; ``wait`` seconds at most, None = the setting. ``BusyError`` names the holder."""
        services = self._services
        limit = services.settings.wait_seconds if wait is None else wait
        lock = ClusterLock(
            services.dirs.locks, name, command=services.command, clock=services.clock, on_wait=self._tell(name)
        )
        with lock.acquire(limit, interruption.check if interruption else None):
            yield

    def _tell(self, name: str) -> Callable[[Holder | None, float], None]:
        def tell(holder: Holder | None, waited: float) -> None:
            who = str(holder) if holder else "another command"
            self._services.event(
                EventKind.WAITING_FOR_LOCK, message=f"cluster {name!r} is held by {who}; waiting", seconds=waited
            )

        return tell

    def live(self, name: str) -> ClusterAccess:
        """Access to a cluster that is UP; kept open, so that repeated calls cost one round trip."""
        return self.up(name)[1]

    def up(self, name: str) -> tuple[ClusterRecord, ClusterAccess]:
        """The same with its record."""
        record = must_get(self._services, name)
        cluster = record.cluster
        if record.status is not ClusterStatus.UP or cluster is None:
            hint = f"skyx start {name}" if record.status is ClusterStatus.STOPPED else f"skyx launch -c {name} ..."
            raise ClusterStateError(f"cluster {name!r} is {record.status.value}, not UP", why=record.reason, hint=hint)
        with self._lock:
            access = self._access.get(name)
            if access is None or access.cluster != cluster:
                if access is not None:
                    access.close()
                access = ClusterAccess(self._services, cluster)
                self._access[name] = access
            return record, access

    def close(self) -> None:
        with self._lock:
            open_now, self._access = list(self._access.values()), {}
        for access in open_now:
            access.close()
