"""A single-threaded event loop over selectors: files, timers, and nothing else."""

from __future__ import annotations

import heapq
import selectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from skyx_agent.clock import Clock
    from skyx_agent.journal import Journal

READ = selectors.EVENT_READ
WRITE = selectors.EVENT_WRITE
TEST_TICK = 0.015


class Timer:
    """A call planned for later; ``cancel`` may be called at any time, also after it ran."""

    __slots__ = ("callback", "due", "serial")

    def __init__(self, due: float, serial: int, callback: Callable[[], None]) -> None:
        self.due = due
        self.serial = serial
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None

    def __lt__(self, other: Timer) -> bool:
        return (self.due, self.serial) < (other.due, other.serial)


class Loop:
    """Runs callbacks one after the other. One that raises is written to the journal; the loop goes on."""

    def __init__(self, clock: Clock, journal: Journal) -> None:
        self.clock = clock
        self._journal = journal
        self._selector = selectors.DefaultSelector()
        self._timers: list[Timer] = []
        self._serial = 0
        self._running = False

    def watch(self, fd: int, events: int, callback: Callable[[int], None]) -> None:
        """Call ``callback(ready events)`` whenever ``fd`` is ready; a second call changes events and callback."""
        if fd in self._selector.get_map():
            self._selector.modify(fd, events, callback)
        else:
            self._selector.register(fd, events, callback)

    def forget(self, fd: int) -> None:
        if fd in self._selector.get_map():
            self._selector.unregister(fd)

    def call_later(self, delay: float, callback: Callable[[], None]) -> Timer:
        self._serial += 1
        timer = Timer(self.clock.monotonic() + max(delay, 0.0), self._serial, callback)
        heapq.heappush(self._timers, timer)
        return timer

    def call_soon(self, callback: Callable[[], None]) -> Timer:
        return self.call_later(0.0, callback)

    def stop(self) -> None:
        self._running = False

    def run(self) -> None:
        self._running = True
        while self._running:
            self._once()

    def _once(self) -> None:
        ready = self._selector.select(self._patience())
        self.clock.refresh()
        for key, events in ready:
            if key.fd in self._selector.get_map():
                self._guard(key.data, events)
        now = self.clock.monotonic()
        while self._timers and self._timers[0].due <= now and self._running:
            callback = heapq.heappop(self._timers).callback
            if callback is not None:
                self._guard(callback)

    def _patience(self) -> float | None:
        while self._timers and self._timers[0].callback is None:
            heapq.heappop(self._timers)
        if not self._timers:
            return TEST_TICK if self.clock.is_test else None
        left = max(0.0, self._timers[0].due - self.clock.monotonic())
        return min(left, TEST_TICK) if self.clock.is_test else left

    def _guard(self, callback: Callable[..., None], *arguments: int) -> None:
        try:
            callback(*arguments)
        except Exception:  # one fault must not end the service of all the others
            self._journal.crash("unexpected error")
