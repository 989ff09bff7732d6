"""Long work with Ctrl-C in the user's hands.

The work runs in a thread; the main thread only waits, asks and listens to signals, so that a driver which hangs
can't keep Ctrl-C from being heard.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Generic, TypeVar

T = TypeVar("T")
_SLICE_S = 0.05


class _Box(Generic[T]):
    """A question for the main thread, and its answer."""

    def __init__(self, ask: Callable[[], T]) -> None:
        self._ask = ask
        self._done = threading.Event()
        self._value: list[T] = []
        self._error: BaseException | None = None

    def answer(self) -> None:
        try:
            self._value.append(self._ask())
        except BaseException as error:
            self._error = error
        self._done.set()

    def result(self) -> T:
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._value[0]


class Foreground:
    """Run one piece of work. ``first``: called in the main thread at the first Ctrl-C; ``second``: what to print
    at the second one, which ends the process at once with 130.
    """

    def __init__(
        self, *, first: Callable[[], None], second: str, write: Callable[[str], None], leave: Callable[[int], None]
    ) -> None:
        self._first = first
        self._second = second
        self._write = write
        self._leave = leave
        self._presses = 0
        self._asking = False
        self._questions: queue.SimpleQueue[_Box[bool]] = queue.SimpleQueue()

    def ask(self, question: Callable[[], bool]) -> bool:
        """From the work's thread: have the main thread ask. Ctrl-C at the question raises KeyboardInterrupt here."""
        box = _Box(question)
        self._questions.put(box)
        return box.result()

    def run(self, work: Callable[[], T]) -> T:
        """The work's result, or what it raised. Only in the main thread are signals heard."""
        outcome = _Box(work)
        thread = threading.Thread(target=outcome.answer, name="skyx-work", daemon=True)
        main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGINT, self._on_signal) if main else None
        try:
            thread.start()
            self._watch(thread)
        finally:
            if main:
                signal.signal(signal.SIGINT, before)
        return outcome.result()

    def _watch(self, thread: threading.Thread) -> None:
        heard = 0
        while thread.is_alive():
            thread.join(_SLICE_S)
            if self._presses > heard:
                heard = self._presses
                self._first()
            self._answer()

    def _answer(self) -> None:
        try:
            box = self._questions.get_nowait()
        except queue.Empty:
            return
        self._asking = True
        try:
            box.answer()
        finally:
            self._asking = False

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        if self._asking:
            raise KeyboardInterrupt
        self._presses += 1
        if self._presses > 1:
            self._write(self._second)
            self._leave(130)


def leave_now(code: int) -> None:
    """End without waiting for anything: threads of hung plugins included."""
    os._exit(code)
