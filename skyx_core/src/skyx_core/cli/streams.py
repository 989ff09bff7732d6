"""Who may write where: stdout carries data and belongs to the command, by descriptor; everything else is stderr.

Standard library only, little of it: this is on the path of ``skyx --help``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from skyx_core.cli.shown import in_field, in_text
from skyx_core.errors import SkyxError


def _tty(fd: int) -> bool:
    try:
        return os.isatty(fd)
    except OSError:
        return False


class ReaderGone(Exception):
    """Nobody reads stdout any more: the command ends, quietly."""


class Streams:
    """Two writers and what is known of the terminal. Writing to stdout may raise ``ReaderGone``."""

    def __init__(
        self,
        write_out: Callable[[bytes], None],
        write_err: Callable[[bytes], None],
        *,
        out_tty: bool = False,
        err_tty: bool = False,
        in_tty: bool = False,
        read_line: Callable[[], str] | None = None,
        read_all: Callable[[], bytes] | None = None,
        release: Callable[[], None] | None = None,
    ) -> None:
        self._write_out = write_out
        self._write_err = write_err
        self.out_tty = out_tty
        self.err_tty = err_tty
        self.in_tty = in_tty
        self.read_line = read_line or (lambda: "")
        self.read_all = read_all or (lambda: b"")
        self.release = release or (lambda: None)  # gives stdout back, for a command that isn't ours

    def raw(self, data: bytes) -> None:
        """Bytes to stdout at once, unchanged."""
        try:
            self._write_out(data)
        except BrokenPipeError as error:
            raise ReaderGone from error
        except OSError as error:
            raise SkyxError(
                "The result can't be written to stdout",
                where="stdout",
                why=os.strerror(error.errno) if error.errno else str(error),
                hint="what was asked for may be done ('skyx status'); send stdout to a place that takes it",
            ) from error

    def data(self, text: str, *, painted: bool = False) -> None:
        """One or more whole lines of data to stdout; the last newline is added. ``painted``: with colours of ours."""
        self.raw(_encode(text, painted) + b"\n")

    def note(self, text: str, *, painted: bool = False) -> None:
        """Lines for a human to stderr. A closed stderr is no reason to end."""
        try:
            self._write_err(_encode(text, painted) + b"\n")
        except OSError:
            return

    def raw_note(self, data: bytes) -> None:
        """Bytes to stderr at once, unchanged."""
        try:
            self._write_err(data)
        except OSError:
            return


def _encode(text: str, painted: bool) -> bytes:
    return (in_text(text) if painted else in_field(text)).encode()


def _writer(fd: int) -> Callable[[bytes], None]:
    def write(data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]

    return write


def _read_line() -> str:
    return sys.stdin.readline() if sys.stdin else ""


def _read_all() -> bytes:
    return sys.stdin.buffer.read(10_000_001) if sys.stdin else b""


def claim() -> Streams:
    """Take stdout away from everyone else: descriptor 1 and ``sys.stdout`` become stderr, for this process and its
    children. Safe with closed descriptors; to be called once per process.
    """
    import fcntl

    out_tty, err_tty = _tty(1), _tty(2)
    try:
        own = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)
    except OSError:
        own = -1  # closed: whoever writes data hears it
    try:
        os.dup2(2, 1)
        err = 2
    except OSError:
        err = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        os.dup2(err, 1)
    before = sys.stdout
    if sys.stderr is not None:
        sys.stdout = sys.stderr

    def release() -> None:
        if own >= 0:
            os.dup2(own, 1)
        sys.stdout = before

    return Streams(
        _writer(own),
        _writer(err),
        out_tty=out_tty,
        err_tty=err_tty,
        in_tty=_tty(0),
        read_line=_read_line,
        read_all=_read_all,
        release=release,
    )
