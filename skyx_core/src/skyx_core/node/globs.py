"""Matching a glob in time that grows with its length times the name's, whatever its stars."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

NAME_PART = b"[^/]*"
ANYTHING = b".*"
FOLDERS = b"(?:.*/)?"
_STARS = (NAME_PART, ANYTHING, FOLDERS)
_FEW = 2  # so many stars can't make a regular expression slow


class Glob:
    """``pieces``: regular expressions, each of exactly one byte but for the three stars above."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        # A star right after the same star adds nothing.
        self._pieces = [p for n, p in enumerate(pieces) if not (n and p in _STARS and p == pieces[n - 1])]
        stars = sum(piece in _STARS for piece in self._pieces)
        self._shortest = len(self._pieces) - stars
        self._plain = stars <= _FEW

    def matches(self, name: bytes) -> bool:
        """The whole of ``name``."""
        if len(name) < self._shortest:
            return False
        if self._plain:
            return self._expression.fullmatch(name) is not None
        return self._walk(name)

    @cached_property
    def _expression(self) -> re.Pattern[bytes]:
        return re.compile(b"".join(self._pieces), re.DOTALL)

    @cached_property
    def _bytes(self) -> list[frozenset[int]]:
        """Which bytes each piece takes."""
        known: dict[bytes, frozenset[int]] = {}
        for piece in self._pieces:
            if piece not in known and piece not in _STARS:
                one = re.compile(piece, re.DOTALL)
                known[piece] = frozenset(byte for byte in range(256) if one.fullmatch(bytes((byte,))))
        return [known.get(piece, frozenset()) for piece in self._pieces]

    def _walk(self, name: bytes) -> bool:
        """All places in the glob that may have been reached, byte by byte. ``inside``: folder stars begun."""
        pieces, takes = self._pieces, self._bytes
        reached, inside = self._skip({0}), set[int]()
        for byte in name:
            onward: set[int] = set()
            begun = inside | {at for at in reached if at < len(pieces) and pieces[at] == FOLDERS}
            for at in reached:
                if at == len(pieces):
                    continue
                if pieces[at] == ANYTHING or (pieces[at] == NAME_PART and byte != 0x2F):
                    onward.add(at)
                elif byte in takes[at]:
                    onward.add(at + 1)
            if byte == 0x2F:
                onward.update(at + 1 for at in begun)
            reached, inside = self._skip(onward), begun
            if not reached and not inside:
                return False
        return len(pieces) in reached

    def _skip(self, places: set[int]) -> set[int]:
        """With what lies behind stars that match nothing."""
        queue = list(places)
        while queue:
            at = queue.pop()
            if at < len(self._pieces) and self._pieces[at] in _STARS and at + 1 not in places:
                places.add(at + 1)
                queue.append(at + 1)
        return places
