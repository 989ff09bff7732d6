"""The logs of one job as one sequence of pieces, in the order in which they were seen to grow.

``order`` in the job's folder holds lines ``stream offset``: at that moment the stream had grown to that many bytes.
"""

from __future__ import annotations

import os

from skyx_agent.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterator, Tuple

    from skyx_agent.jobdir import JobDir

    Piece = Tuple[str, int, bytes]

PIECE_BYTES = 60 * 1024
ORDER_LIMIT = 8 << 20


def streams_of(folder: JobDir, ranks: frozenset[int] | None) -> list[str]:
    """Names of the logs that exist: setup first, then by rank."""
    found = []
    for name in _names(folder.path):
        stem, dot, ending = name.rpartition(".")
        kind, _, number = stem.rpartition("-")
        is_log = dot and ending == "log" and kind in ("setup", "rank") and number.isdigit()
        if is_log and (ranks is None or int(number) in ranks):
            found.append((kind != "setup", int(number), stem))
    return [stem for _, _, stem in sorted(found)]


def _names(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except FileNotFoundError:
        return []


class Merged:
    """Reads on from ``positions`` (bytes already given, per stream)."""

    def __init__(self, folder: JobDir, ranks: frozenset[int] | None, positions: Dict[str, int]) -> None:
        self._folder = folder
        self._ranks = ranks
        self.positions = positions
        self._order_at = 0
        self._goal: tuple[str, int] | None = None
        self._streams: list[str] = []

    def look(self) -> None:
        """See which logs exist now. Call before reading on."""
        self._streams = streams_of(self._folder, self._ranks)

    def next(self) -> Piece | None:
        """(stream, offset, up to 60 KiB), or None when everything written so far has been given."""
        while True:
            if self._goal is not None:
                piece = self._read(*self._goal)
                if piece is not None:
                    return piece
            self._goal = self._next_goal()
            if self._goal is None:
                break
        for stream in self._streams:
            piece = self._read(stream, self._folder.size(stream))
            if piece is not None:
                return piece
        return None

    def _read(self, stream: str, until: int) -> Piece | None:
        start = self.positions.get(stream, 0)
        if stream not in self._streams or start >= until:
            return None
        data = read_part(self._folder.stream_path(stream), start, min(PIECE_BYTES, until - start))
        if not data:
            return None
        self.positions[stream] = start + len(data)
        return stream, start, data

    def _next_goal(self) -> tuple[str, int] | None:
        line = read_part(self._folder.order, self._order_at, 128)
        end = line.find(b"\n")
        if end < 0:
            return None
        self._order_at += end + 1
        stream, _, offset = line[:end].decode("ascii", "replace").partition(" ")
        return stream, int(offset) if offset.isdigit() else 0


def read_part(path: str, start: int, length: int) -> bytes:
    """``length`` bytes at most; empty if the file isn't there. Other errors of the system are raised."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return b""
    try:
        return os.pread(handle, length, start)
    finally:
        os.close(handle)


def tail_positions(folder: JobDir, ranks: frozenset[int] | None, lines: int) -> dict[str, int]:
    """Where to start in each log so that the last ``lines`` lines of the merged text follow."""
    sizes = {stream: folder.size(stream) for stream in streams_of(folder, ranks)}
    found = dict(sizes)
    missing = lines
    for stream, start, end in reversed(_segments(folder, sizes)):
        if missing <= 0:
            break
        for position in _line_starts(folder.stream_path(stream), start, end, sizes[stream]):
            found[stream] = position
            missing -= 1
            if missing <= 0:
                break
        else:
            found[stream] = start
    return found


def _segments(folder: JobDir, sizes: dict[str, int]) -> list[tuple[str, int, int]]:
    """(stream, start, end) in merged order, covering every log whole."""
    try:
        order = read_bytes(folder.order, ORDER_LIMIT).decode("ascii", "replace")
    except FileNotFoundError:
        order = ""
    reached = dict.fromkeys(sizes, 0)
    found = []
    for line in order.splitlines():
        stream, _, offset = line.partition(" ")
        until = min(int(offset), sizes.get(stream, 0)) if offset.isdigit() else 0
        if until > reached.get(stream, until):
            found.append((stream, reached[stream], until))
            reached[stream] = until
    return found + [(stream, reached[stream], size) for stream, size in sizes.items() if size > reached[stream]]


def _line_starts(path: str, start: int, end: int, size: int) -> Iterator[int]:
    """Offsets in [start, end) at which a line begins, last first. Reads backwards in blocks."""
    at = end
    while at > start:
        low = max(start, at - PIECE_BYTES)
        block = read_part(path, low, at - low)
        spot = block.rfind(b"\n")
        while spot >= 0:
            if low + spot + 1 < size and low + spot + 1 <= end:
                yield low + spot + 1
            spot = block.rfind(b"\n", 0, spot)
        at = low
    if start == 0:
        yield 0
