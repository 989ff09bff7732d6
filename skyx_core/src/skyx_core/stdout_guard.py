"""Keeps what plugins and libraries print out of stdout, so that ``-o json`` holds data only."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from fcntl import F_DUPFD_CLOEXEC, fcntl
from typing import TextIO


@contextmanager
def guard_stdout() -> Iterator[TextIO]:
    """Within it, whatever is written to file descriptor 1 or ``sys.stdout`` (child processes too) goes to stderr; the
    yielded writer is the real stdout. For the main thread, once; everything is as before at the end. A reader that
    has gone away shows as ``BrokenPipeError`` from the writer.
    """
    before = sys.stdout
    if not _is_descriptor_1(before):  # a program that has replaced sys.stdout gets its data there
        with redirect_stdout(sys.stderr):
            yield before
        return
    before.flush()
    elsewhere = _stderr_or_nowhere()
    real = fcntl(1, F_DUPFD_CLOEXEC, 3)  # never 2, should that be free
    os.dup2(elsewhere, 1)
    writer = os.fdopen(real, "w", encoding="utf-8", errors="surrogateescape", newline="", closefd=False)
    try:
        with redirect_stdout(sys.stderr or before):
            yield writer
            writer.flush()
    finally:
        with suppress(OSError, ValueError):
            before.flush()
        os.dup2(real, 1)
        with suppress(OSError):
            writer.close()
        os.close(real)


def _is_descriptor_1(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.fileno() == 1
    except (OSError, ValueError):
        return False


def _stderr_or_nowhere() -> int:
    try:
        os.fstat(2)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)
    return 2
