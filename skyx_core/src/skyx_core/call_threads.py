"""Threads for calls into plugins: all are daemons, none is ever joined."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")
FIRST_PULL, LARGEST_PULL = 16, 512  # items of a stream
IDLE_S = 5.0


class Outcome(Generic[T]):
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


class Pull(Generic[T]):
    """One look further into a stream. ``outcome.value``: whether the stream has ended."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.items: list[T] = []
        self.outcome: Outcome[bool] = Outcome(None)


class Pulls(Generic[T]):
    """An iterable of a plugin, read in a thread of its own, a pull at a time."""

    def __init__(self, make: Callable[[], Iterator[T]], name: str) -> None:
        self._make = make
        self._asked: SimpleQueue[Pull[T] | None] = SimpleQueue()
        self._items: Iterator[T] | None = None
        self._size = 0
        self._ended = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def next(self) -> Pull[T]:
        """Asks for more, and returns at once."""
        if not self._thread.ident:
            self._thread.start()
        self._size = min(max(FIRST_PULL, self._size * 4), LARGEST_PULL)
        pull: Pull[T] = Pull(self._size)
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

    def _take(self, pull: Pull[T]) -> bool:
        if self._items is None:
            self._items = self._make()
        for item in self._items:
            pull.items.append(item)
            if self._ended or len(pull.items) == pull.size:
                return self._ended
        return True


class Worker:
    """A thread that runs one thing after the other, and ends once nothing has come for some seconds. One that hangs is
    left behind. ``idle``: where it waits to be taken.
    """

    def __init__(self, idle: list[Worker]) -> None:
        self._idle = idle
        self._todo: SimpleQueue[tuple[str, Callable[[], None]]] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def run(self, name: str, todo: Callable[[], None]) -> None:
        """Begin it, and return at once; the thread bears the name meanwhile."""
        self._todo.put((name, todo))

    def _work(self) -> None:
        while True:
            try:
                self._thread.name, todo = self._todo.get(timeout=IDLE_S)
            except Empty:
                if self._retired():
                    return
                continue
            todo()
            del todo
            self._thread.name = "skyx-call idle"
            self._idle.append(self)

    def _retired(self) -> bool:
        """False: it was taken in this very moment, and something to do is on its way."""
        try:
            self._idle.remove(self)
        except ValueError:
            return False
        return True
