"""stop, start, down and autostop of several clusters, each under its own lock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from skyx_core.cluster import lifecycle
from skyx_core.cluster.guard import Guard, Interruption, called
from skyx_core.cluster.lookup import must_get
from skyx_core.errors import CloudError, InterruptedBySignal, SkyxError
from skyx_core.models import Autostop
from skyx_core.results import LifecycleResult
from skyx_core.state.records import ClusterRecord

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services


class LifecycleOperations:
    """See ``Session`` for what each does."""

    def __init__(self, services: Services, guard: Guard) -> None:
        self._services = services
        self._guard = guard

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
        results: list[LifecycleResult] = []
        with self._guard.interruptible() as interruption:
            steps: Mapping[str, Callable[[ClusterRecord], LifecycleResult]] = {
                "stop": self._stop,
                "start": lambda record: self._start(record, interruption),
                "down": lambda record: self._down(record, purge),
                "autostop": lambda record: self._autostop(record, setting),
            }
            for name in chosen:
                stopped = interruption.fence.cancelled
                results.append(self._not_done(name) if stopped else self._one(steps[verb], name, wait, interruption))
        return results

    def _not_done(self, name: str) -> LifecycleResult:
        record, code = self._peek(name), InterruptedBySignal.code
        status = record.status.value if record else None
        return LifecycleResult(name, status, [], "not done: the command was interrupted", code, 130)

    def _expand(self, names: Sequence[str]) -> list[str]:
        found: list[str] = []
        for name in names:
            if any(mark in name for mark in "*?["):
                found += [info.name for info in self._services.store.infos([name])]
            else:
                found.append(name)
        return list(dict.fromkeys(found))

    def _one(
        self,
        step: Callable[[ClusterRecord], LifecycleResult],
        name: str,
        wait: float | None,
        interruption: Interruption,
    ) -> LifecycleResult:
        services = self._services
        try:
            must_get(services, name)
            with self._guard.held(name, wait, interruption):
                must_get(services, name)
                return step(services.store.take(name))
        except (SkyxError, CloudError) as caught:
            error = called(caught) if isinstance(caught, CloudError) else caught
            record = self._peek(name)
            remaining = getattr(error, "remaining", ())
            status = record.status.value if record else None
            why = f"{error.what}: {error.why}" if error.why else error.what
            return LifecycleResult(name, status, list(remaining), why, error.code, error.exit_code, error.hint)

    def _peek(self, name: str) -> ClusterRecord | None:
        try:
            return self._services.store.get(name)
        except SkyxError:
            return None

    def _stop(self, record: ClusterRecord) -> LifecycleResult:
        return LifecycleResult(record.name, lifecycle.stop(self._services, record).status.value, [])

    def _start(self, record: ClusterRecord, interruption: Interruption) -> LifecycleResult:
        with ExitStack() as held:
            started = lifecycle.start(self._services, record, fence=interruption.fence, held=held)
        return LifecycleResult(record.name, started.status.value, [])

    def _down(self, record: ClusterRecord, purge: bool) -> LifecycleResult:
        remaining = lifecycle.down(self._services, record, purge=purge)
        return LifecycleResult(record.name, None, remaining)

    def _autostop(self, record: ClusterRecord, setting: Autostop | None) -> LifecycleResult:
        with ExitStack() as held:
            done = lifecycle.set_autostop(self._services, record, setting, held=held)
        return LifecycleResult(record.name, done.status.value, [])
