"""Every call into a plugin: in a daemon thread, with a limit, and with one kind of error for whatever goes wrong in it.

A thread that hangs is given up, never joined: neither Ctrl-C nor the end of the process waits for it. The waiting
thread looks up every 50 ms, so that a signal is acknowledged at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice, takewhile
from queue import SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from skyx_core.errors import AttemptCancelled, PluginTimeoutError
from skyx_core.plugin_faults import Operation, as_plugin_error

if TYPE_CHECKING:
    from skyx_core.clock import Clock

T = TypeVar("T")
_SLICE_S = 0.05
_FIRST_PULL, _LARGEST_PULL = 16, 512  # items of a stream


class Fence:
    """Says that an attempt is over: what its calls still return must not be used. Can be set, not reset."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Safe to repeat, from any thread or signal handler."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()


class _Outcome(Generic[T]):
    """What a call came to; handed over exactly once, either to the waiting thread or to ``on_late``."""

    def __init__(self, on_late: Callable[[object], None] | None) -> None:
        self.done = threading.Event()
        self.value: T | None = None
        self.error: BaseException | None = None
        self._lock = threading.Lock()
        self._on_late = on_late
        self._given_up = False

    def run(self, fn: Callable[[], T]) -> None:
        try:
            self.value = fn()
        except BaseException as error:
            self.error = error
        with self._lock:
            self.done.set()
            late = self._given_up
        if late:
            self.report_late()

    def give_up(self) -> bool:
        """False: it has ended in this very moment, and its result counts."""
        with self._lock:
            self._given_up = not self.done.is_set()
            return self._given_up

    def report_late(self) -> None:
        if self._on_late is not None:
            self._on_late(self.error if self.error is not None else self.value)


class _Pull(Generic[T]):
    """One look further into a stream. ``outcome.value``: whether the stream has ended."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.items: list[T] = []
        self.outcome: _Outcome[bool] = _Outcome(None)


class _Pulls(Generic[T]):
    """An iterable of a plugin, read in a thread of its own, a pull at a time."""

    def __init__(self, make: Callable[[], Iterator[T]], name: str) -> None:
        self._make = make
        self._asked: SimpleQueue[_Pull[T] | None] = SimpleQueue()
        self._items: Iterator[T] | None = None
        self._size = 0
        self._ended = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def next(self) -> _Pull[T]:
        """Asks for more, and returns at once."""
        if not self._thread.ident:
            self._thread.start()
        self._size = min(max(_FIRST_PULL, self._size * 4), _LARGEST_PULL)
        pull: _Pull[T] = _Pull(self._size)
        self._asked.put(pull)
        return pull

    def end(self) -> None:
        """Safe to repeat. A pull under way ends at its next item; the iterable is closed in its own thread."""
        self._ended = True
        self._asked.put(None)

    def _work(self) -> None:
        while (pull := self._asked.get()) is not None:
            pull.outcome.run(partial(self._take, pull))
        if isinstance(self._items, Generator):
            with suppress(BaseException):
                self._items.close()

    def _take(self, pull: _Pull[T]) -> bool:
        if self._items is None:
            self._items = self._make()
        for item in self._items:
            pull.items.append(item)
            if self._ended or len(pull.items) == pull.size:
                return self._ended
        return True


class Caller:
    """Calls plugins. Thread-safe; one per session is enough."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def call(
        self,
        fn: Callable[..., T],
        *args: object,
        limit: float,
        what: str,
        plugin: str,
        distribution: str = "",
        fence: Fence | None = None,
        grace: float = 0.0,
        expected: type | tuple[type, ...] | None = None,
        on_late: Callable[[object], None] | None = None,
    ) -> T:
        """``fn(*args)``, within ``limit`` seconds of the clock, else ``PluginTimeoutError``.

        ``what`` is the operation, for messages. Once ``fence`` is set, ``AttemptCancelled`` is raised after at most
        ``grace`` more seconds. ``on_late`` gets the result or exception of a call that was given up, usually in the
        call's own thread. ``CloudError`` and ``SkyxError`` pass; anything else that ``fn`` raises, ``SystemExit`` and
        ``KeyboardInterrupt`` too, and a result that isn't ``expected``, is a ``PluginBrokenError``.
        """
        operation = Operation(what, plugin, distribution)
        outcome: _Outcome[T] = _Outcome(on_late)
        threading.Thread(
            target=outcome.run, args=(lambda: fn(*args),), name=f"skyx-call {plugin} {what}", daemon=True
        ).start()
        try:
            self._wait(outcome, operation, limit, fence, grace)
        except KeyboardInterrupt:  # the user's: a plugin's own stays in its thread
            if not outcome.give_up():
                outcome.report_late()
            raise
        if outcome.error is not None:
            raise as_plugin_error(outcome.error, operation)
        return operation.checked(cast("T", outcome.value), expected)

    def call_iter(
        self,
        fn: Callable[..., Iterable[T]],
        *args: object,
        limit: float,
        what: str,
        plugin: str,
        distribution: str = "",
        fence: Fence | None = None,
        expected: type | tuple[type, ...] | None = None,
        max_items: int = 1_000_000,
        first: int | None = None,
    ) -> list[T]:
        """All items of the iterable that ``fn(*args)`` returns, or its ``first`` n, taken within ``limit`` seconds.

        More than ``max_items``, or an item that isn't ``expected``, is a ``PluginBrokenError``.
        """
        operation = Operation(what, plugin, distribution)
        stop = Fence()

        def take() -> list[T]:
            items = islice(operation.items(fn(*args), expected, max_items), first)
            return list(takewhile(lambda _: not stop.cancelled, items))

        try:
            return self.call(take, limit=limit, what=what, plugin=plugin, distribution=distribution, fence=fence)
        finally:
            stop.set()  # a call that was given up ends at its next item

    def stream(
        self,
        fn: Callable[..., Iterable[T]],
        *args: object,
        limit: float,
        what: str,
        plugin: str,
        distribution: str = "",
        expected: type | tuple[type, ...] | None = None,
        max_items: int = 1_000_000,
    ) -> Iterator[T]:
        """The items of the iterable that ``fn(*args)`` returns, lazily: a few at a time, and more the more are taken.
        All run in one thread, which ends with the stream. Each pull has ``limit`` seconds; what came before an error
        is given first. Errors as in ``call_iter``.
        """
        operation = Operation(what, plugin, distribution)
        pulls = _Pulls(lambda: operation.items(fn(*args), expected, max_items), f"skyx-call {plugin} {what}")
        try:
            while True:
                pull: _Pull[T] = pulls.next()
                fault: BaseException | None = None
                try:
                    self._wait(pull.outcome, operation, limit, None, 0.0)
                except PluginTimeoutError as error:
                    fault = error
                yield from pull.items[:]
                if (fault := fault or pull.outcome.error) is not None:
                    raise as_plugin_error(fault, operation)
                if pull.outcome.value:
                    return
        finally:
            pulls.end()

    def _wait(
        self, outcome: _Outcome[T], operation: Operation, limit: float, fence: Fence | None, grace: float
    ) -> None:
        end = self._clock.monotonic() + limit
        fenced = False
        while not outcome.done.wait(min(_SLICE_S, max(0.001, end - self._clock.monotonic()))):
            now = self._clock.monotonic()
            if fence is not None and fence.cancelled and not fenced:
                fenced, end = True, min(end, now + grace)
            if now >= end and outcome.give_up():
                raise _given_up(operation, limit, fenced)


def _given_up(operation: Operation, limit: float, fenced: bool) -> AttemptCancelled | PluginTimeoutError:
    if fenced:
        return AttemptCancelled(f"{operation} was given up", why="its attempt was cancelled")
    return PluginTimeoutError(
        f"{operation} did not return within {limit:g} s",
        plugin=operation.plugin,
        distribution=operation.distribution,
        hint="try again; if it stays so, report it to the authors of the plugin",
    )
