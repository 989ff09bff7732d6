"""Time in tests: one clock for all processes of a test, and one for a single process in which nobody waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skyx_core.clock import SharedClock


class StepClock:
    """Time that passes only when somebody sleeps or a test moves it. For one process; starts at 1,000,000."""

    def __init__(self, start: float = 1_000_000.0) -> None:
        self._now = start
        self.slept: list[float] = []

    def time(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._now += max(0.0, seconds)

    def advance(self, seconds: float) -> None:
        """Move the time."""
        self._now += seconds


@contextmanager
def shared_clock(folder: Path) -> Iterator[tuple[SharedClock, dict[str, str]]]:
    """A clock at real time, and the variables that make other processes (commands, agents, fake clouds) follow it.
    ``advance`` moves them all. At the end the file is gone and every clock is back at real time.
    """
    path = folder / "clock"
    path.write_text("0.0", encoding="ascii")
    try:
        yield SharedClock(path), {"SKYX_TEST_CLOCK": str(path)}
    finally:
        path.unlink(missing_ok=True)
