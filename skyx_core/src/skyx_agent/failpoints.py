"""Points at which a test may make the agent die, fail or stand still: ``SKYX_FAILPOINT=name[@n]=action,...``.

Actions: ``kill`` (SIGKILL to this process), ``raise``, ``enospc``, ``hang`` (for 10 minutes at most).
``list`` prints each point that is passed to stderr.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time

HANG_SECONDS = 600.0


class Failpoints:
    """``hit(name)`` does what was asked for at the n-th passing of that point, and nothing otherwise."""

    def __init__(self, spec: str = "") -> None:
        self._list = spec == "list"
        self._armed: dict[str, tuple[int, str]] = {}
        self._seen: dict[str, int] = {}
        for entry in spec.split(","):
            name, _, action = entry.partition("=")
            name, _, nth = name.partition("@")
            if action:
                self._armed[name] = (int(nth) if nth.isdigit() else 1, action)

    def hit(self, name: str) -> None:
        if self._list:
            sys.stderr.write(f"failpoint {name}\n")
        if name not in self._armed:
            return
        self._seen[name] = self._seen.get(name, 0) + 1
        nth, action = self._armed[name]
        if self._seen[name] == nth:
            _act(name, action)


def _act(name: str, action: str) -> None:
    if action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif action == "enospc":
        raise OSError(errno.ENOSPC, f"No space left on device (failpoint {name})")
    elif action == "hang":
        time.sleep(HANG_SECONDS)
    else:
        raise RuntimeError(f"failpoint {name}")
