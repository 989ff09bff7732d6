"""Ctrl-C before and after the work. Nothing heavy: the first thing that the program does."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal itself takes milliseconds that Ctrl-C may fall into
import os
from types import FrameType

INTERRUPTED = 130


def _end(_number: int, _frame: FrameType | None) -> None:
    try:
        os.write(2, b"interrupted\n")
    finally:
        os._exit(INTERRUPTED)


def _end_quietly(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


def end_at_once() -> None:
    """While nothing is begun (imports): one line, then the end. A SIGINT that the caller ignores stays ignored."""
    _replace(_signal.default_int_handler, _end)


def raise_again() -> None:
    """From here on Ctrl-C is ``KeyboardInterrupt``, if ``end_at_once`` has changed that."""
    _replace(_end, _signal.default_int_handler)


def end_quietly() -> None:
    """When all is said and the interpreter only tidies up."""
    _replace(_signal.default_int_handler, _end_quietly)
    _replace(_end, _end_quietly)


def _replace(old: object, new: object) -> None:
    try:
        if _signal.getsignal(_signal.SIGINT) is old:
            _signal.signal(_signal.SIGINT, new)
    except ValueError:
        return  # not in the main thread
