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


class Guard:
    """One per session. Thread-safe."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._access: dict[str, ClusterAccess] = {}
        self._lock = threading.Lock()
        self.fence = Fence()
        self._keep = False

    def interrupt(self, *, keep: bool) -> None:
        """End what runs now. Safe in signal handlers."""
        self._keep = self._keep or keep
        self.fence.set()

    def keeps(self) -> bool:
        """Whether what an interrupted launch made is to stay."""
        return self._keep

    @contextmanager
    def interruptible(self, *, keep: bool = False) -> Iterator[Fence]:
        """A new fence for each command; what was cancelled underneath comes out as the one error for it."""
        self.fence, self._keep = Fence(), keep
        try:
            yield self.fence
        except CloudError as error:
            hint = "try again; 'skyx check' looks at credentials"
            raise CloudCallError(f"{error.cloud} answered with an error", why=str(error), hint=hint) from error
        except AttemptCancelled as error:
            why = "the cluster stays as it is" if self.fence.cancelled else str(error)
            raise InterruptedBySignal("the command was interrupted", why=why) from error

    @contextmanager
    def held(self, name: str, wait: float | None) -> Iterator[None]:
        """The lock of one cluster; ``wait`` seconds at most, None = the setting. ``BusyError`` names the holder."""
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
        if self.fence.cancelled:
            raise InterruptedBySignal("interrupted while waiting for another command")

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
                access = ClusterAccess(self._services, cluster)
                self._access[name] = access
            return record, access

    def close(self) -> None:
        with self._lock:
            open_now, self._access = list(self._access.values()), {}
        for access in open_now:
            access.close()
