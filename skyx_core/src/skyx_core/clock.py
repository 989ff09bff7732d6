"""Time as a parameter. Ages are measured by ``monotonic``; ``time`` is for records and display."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class Clock(Protocol):
    """Seconds, always. ``sleep`` may return early only by raising."""

    def time(self) -> float: ...

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's own clock."""

    def time(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(max(0.0, seconds))


class SharedClock:
    """The machine's clock plus an offset kept in a file, so that all processes of one test agree on it.

    A sleep ends as soon as the shared time has passed, in steps of at most 10 ms of real time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def _offset(self) -> float:
        try:
            return float(self._path.read_text(encoding="ascii") or 0)
        except (OSError, ValueError):
            return 0.0

    def time(self) -> float:
        return time.time() + self._offset()

    def monotonic(self) -> float:
        return time.monotonic() + self._offset()

    def sleep(self, seconds: float) -> None:
        end = self.monotonic() + seconds
        while (left := end - self.monotonic()) > 0:
            time.sleep(min(left, 0.01))

    def advance(self, seconds: float) -> None:
        """Move the time of every process that shares the file."""
        part = self._path.with_suffix(f".{os.getpid()}")
        part.write_text(repr(self._offset() + seconds), encoding="ascii")
        part.replace(self._path)


def clock_from(environ: Mapping[str, str]) -> Clock:
    """The clock for this process: ``SKYX_TEST_CLOCK`` names a shared clock's file, else the machine's."""
    path = environ.get("SKYX_TEST_CLOCK")
    return SharedClock(Path(path)) if path else SystemClock()
