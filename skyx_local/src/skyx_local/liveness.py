"""What is certain of other processes and folders."""

from __future__ import annotations

import os
from pathlib import Path


def boot_id() -> str:
    """Changes when the machine is booted."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def this_process() -> tuple[int, int]:
    """Process id and start time, which together are never used again until the next boot."""
    return os.getpid(), _start(os.getpid()) or 0


def alive(process: tuple[int, int]) -> bool:
    """Whether this very process lives; one that may not be looked at counts as alive."""
    start = _start(process[0])
    if start is not None:
        return start == process[1]
    try:
        os.kill(process[0], 0)
    except PermissionError:
        return not os.path.exists(f"/proc/{process[0]}")
    except (OSError, OverflowError):
        return False
    return False


def _start(pid: int) -> int | None:
    """Start time in clock ticks after boot; None of a process that has ended or can't be seen."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()
    return None if fields[0] in (b"Z", b"X") else int(fields[19])


def gone(folder: str) -> bool:
    """Certainly gone; a folder that can't be looked at (another user's) counts as there."""
    try:
        os.lstat(folder)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False
