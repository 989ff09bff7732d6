"""One process per folder."""

from __future__ import annotations

import fcntl
import os
import time

PATIENCE_SECONDS = 5.0


def take(path: str) -> int | None:
    """The file of an exclusive lock, held until it is closed; None if another holds it for 5 s more."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            if time.monotonic() > deadline:
                os.close(lock)
                return None
            time.sleep(0.02)
