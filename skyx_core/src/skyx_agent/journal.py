"""agent.log: a small log on standard error, cut in two when it grows."""

from __future__ import annotations

import os
import sys
import time

LIMIT_BYTES = 1 << 20


class Journal:
    """Writes lines to stderr. With ``path`` (the file that stderr is) the log is moved to ``path.1`` at 1 MiB."""

    def __init__(self, path: str = "") -> None:
        self._path = path

    def say(self, line: str) -> None:
        """One line, never a value of a user's variable. A full disk loses the line, nothing else."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        try:
            os.write(2, f"{stamp} [{os.getpid()}] {line}\n".encode("utf-8", "backslashreplace"))
            self._rotate()
        except OSError:
            return

    def crash(self, where: str) -> None:
        """The exception in hand, with its traceback."""
        import traceback

        kind, error, trace = sys.exc_info()
        self.say(f"{where}: " + "".join(traceback.format_exception(kind, error, trace)).rstrip())

    def _rotate(self) -> None:
        if self._path and os.fstat(2).st_size > LIMIT_BYTES:
            os.replace(self._path, self._path + ".1")
            fresh = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(fresh, 2)
            os.close(fresh)
