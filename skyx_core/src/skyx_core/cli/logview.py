"""Logs on their way to the user: bytes as they were written, one prefix per line."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.results import LogChunk

_CYAN, _OFF = b"\033[36m", b"\033[0m"


class Prefixer:
    """Puts ``(node, rank=N) `` before each line. When another stream cuts into an open line, the line is closed."""

    def __init__(self, *, color: bool = False) -> None:
        self._color = color
        self._open: str | None = None  # the stream whose line has no end yet

    def feed(self, chunk: LogChunk) -> bytes:
        """What to write for the chunk."""
        if not chunk.data:
            return b""
        prefix = f"({chunk.node}, rank={chunk.rank}) ".encode()
        if self._color:
            prefix = _CYAN + prefix[:-1] + _OFF + b" "
        parts: list[bytes] = []
        if self._open is not None and self._open != chunk.stream:
            parts.append(b"\n")
            self._open = None
        lines = chunk.data.split(b"\n")
        rest = lines.pop()
        for line in [*lines, *([rest] if rest else [])]:
            parts += [b"" if self._open == chunk.stream else prefix, line, b"\n"]
            self._open = None
        if rest:
            parts.pop()
            self._open = chunk.stream
        return b"".join(parts)

    def finish(self) -> bytes:
        """Ends an open line."""
        was, self._open = self._open, None
        return b"\n" if was is not None else b""


class Records:
    """The same as records ``{rank, node, text}``, one per line, with ``partial`` true where the line goes on."""

    def __init__(self) -> None:
        self._rest: dict[str, str] = {}
        self._decoders: dict[str, codecs.IncrementalDecoder] = {}

    def feed(self, chunk: LogChunk) -> Iterator[dict[str, object]]:
        decoder = self._decoders.get(chunk.stream)
        if decoder is None:
            decoder = self._decoders[chunk.stream] = codecs.getincrementaldecoder("utf-8")("replace")
        lines = decoder.decode(chunk.data).split("\n")
        rest = lines.pop()
        for line in lines:
            yield self._record(chunk, line, partial=False)
        if rest:
            yield self._record(chunk, rest, partial=True)

    @staticmethod
    def _record(chunk: LogChunk, text: str, *, partial: bool) -> dict[str, object]:
        record: dict[str, object] = {"rank": chunk.rank, "node": chunk.node, "text": text}
        if chunk.kind != "run":
            record["kind"] = chunk.kind
        if partial:
            record["partial"] = True
        return record


def copy_text(chunks: Iterable[LogChunk], write: Callable[[bytes], None], *, color: bool) -> None:
    """All chunks, each written as soon as it is there."""
    prefixer = Prefixer(color=color)
    try:
        for chunk in chunks:
            write(prefixer.feed(chunk))
    finally:
        end = prefixer.finish()
        if end:
            write(end)


def copy_records(chunks: Iterable[LogChunk], emit: Callable[[object], None]) -> None:
    """All chunks as records."""
    records = Records()
    for chunk in chunks:
        for record in records.feed(chunk):
            emit(record)


def download(chunks: Iterable[LogChunk], folder: Path) -> list[str]:
    """One file per stream, without prefixes; what was there under these names is replaced. Returns their paths."""
    written: dict[str, int] = {}
    folder.mkdir(parents=True, exist_ok=True)
    for chunk in chunks:
        name = "".join(c if c.isalnum() or c in "._-" else "_" for c in chunk.stream).lstrip(".") or "log"
        path = folder / f"{name}.log"
        with path.open("ab" if str(path) in written else "wb") as file:
            written[str(path)] = file.write(chunk.data)
    return sorted(written)
