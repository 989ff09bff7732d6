"""Waiting in tests for what other processes do."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def eventually(check: Callable[[], object], *, limit_s: float = 8.0, what: str = "it") -> None:
    """Poll every 20 ms of real time until ``check`` gives something true; ``AssertionError`` after the limit."""
    end = time.monotonic() + limit_s
    while not check():
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not happen within {limit_s:g} s")
        time.sleep(0.02)


def process_lives(pid: int) -> bool:
    """Whether a process exists and has not ended; one that waits to be reaped has ended. Linux."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")
