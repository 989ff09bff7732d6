"""The same thing on all nodes at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from skyx_core.calls import Fence
from skyx_core.errors import AttemptCancelled, NodeError, SkyxError

T = TypeVar("T")
_SLICE_S = 0.05
MAX_THREADS = 64


def in_parallel(jobs: Sequence[Callable[[], T]], *, fence: Fence | None = None) -> list[T]:
    """Results in order. All are run to the end, then the first error (by order) is raised; ``AttemptCancelled`` as
    soon as the fence is set. Threads are daemons: one that hangs holds nobody up after that.
    """
    if len(jobs) == 1 and fence is None:
        return [jobs[0]()]
    batch = _Batch(jobs)
    threads = [threading.Thread(target=batch.work, daemon=True) for _ in range(min(MAX_THREADS, len(jobs)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(_SLICE_S)
            if fence is not None and fence.cancelled:
                raise AttemptCancelled("cancelled")
    return batch.take()


class _Batch(Generic[T]):
    """Jobs, handed out one by one."""

    def __init__(self, jobs: Sequence[Callable[[], T]]) -> None:
        self._jobs = jobs
        self._next = iter(range(len(jobs)))
        self._lock = threading.Lock()
        self._results: dict[int, T] = {}
        self._errors: dict[int, BaseException] = {}

    def work(self) -> None:
        while True:
            with self._lock:
                index = next(self._next, None)
            if index is None:
                return
            try:
                self._results[index] = self._jobs[index]()
            except BaseException as error:
                self._errors[index] = error

    def take(self) -> list[T]:
        if self._errors:
            raise _named(self._errors[min(self._errors)])
        return [self._results[index] for index in range(len(self._jobs))]


def _named(error: BaseException) -> BaseException:
    if isinstance(error, SkyxError | OSError):
        return error
    wrapped = NodeError("a step on a node failed", why=f"{type(error).__name__}: {error}")
    wrapped.__cause__ = error
    return wrapped
