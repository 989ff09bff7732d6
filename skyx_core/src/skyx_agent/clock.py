"""The agent's clock. Tests move it by writing an offset in seconds into the file that SKYX_TEST_CLOCK names."""

from __future__ import annotations

import time


class Clock:
    """Wall and monotonic time in seconds, both shifted by the test offset."""

    def __init__(self, offset_file: str = "") -> None:
        self._file = offset_file
        self._offset = 0.0
        self.refresh()

    @property
    def is_test(self) -> bool:
        return bool(self._file)

    def refresh(self) -> None:
        """Read the offset again; an unreadable file keeps the last one."""
        if not self._file:
            return
        try:
            with open(self._file, encoding="ascii") as stream:
                self._offset = float(stream.read().strip() or 0.0)
        except (OSError, ValueError):
            return

    def time(self) -> float:
        return time.time() + self._offset

    def monotonic(self) -> float:
        return time.monotonic() + self._offset
