"""Every call into a plugin: in a daemon thread, with a limit, and with one kind of error for whatever goes wrong in it.

A thread that hangs is given up, never joined: neither Ctrl-C nor the end of the process waits for it. The waiting
thread looks up every 50 ms, so that a signal is acknowledged at once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice, takewhile
from typing import TYPE_CHECKING, TypeVar, cast

from skyx_core.call_threads import Outcome, Pull, Pulls, Worker
from skyx_core.errors import AttemptCancelled, PluginTimeoutError
from skyx_core.plugin_faults import Operation, as_plugin_error

if TYPE_CHECKING:
    from skyx_core.clock import Clock

T = TypeVar("T")
_SLICE_S = 0.05


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


class Caller:
    """Calls plugins. Thread-safe; one per session is enough."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._idle: list[Worker] = []
        self._pid = os.getpid()

    def _worker(self) -> Worker:
        """One that is free, or a new one. Threads don't live on in a forked child."""
        if self._pid != os.getpid():
            self._idle, self._pid = [], os.getpid()
        try:
            return self._idle.pop()
        except IndexError:
            return Worker(self._idle)

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
        outcome: Outcome[T] = Outcome(on_late)
        self._worker().run(f"skyx-call {plugin} {what}", partial(outcome.run, partial(fn, *args)))
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
        pulls = Pulls(lambda: operation.items(fn(*args), expected, max_items), f"skyx-call {plugin} {what}")
        try:
            while True:
                pull: Pull[T] = pulls.next()
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

    def _wait(self, outcome: Outcome[T], operation: Operation, limit: float, fence: Fence | None, grace: float) -> None:
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
