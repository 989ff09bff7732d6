"""Texts that must be there for a pattern to match: looking for them first is far faster than searching the pattern."""

from __future__ import annotations

import re

Needles = tuple[str, ...]
ANY: Needles = ("",)  # nothing is known: every text may match

_LEAST = 3  # shorter ones are everywhere
_HEADER = re.compile(r"\((?:\?(?:P<\w+>|[aimsLu-]*:|>|=|(?P<skip>!|<=|<!)))?")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_TIMES = re.compile(r"(?:[*+?]|\{(?P<least>\d*)(?:,\d*)?\})[?+]?")
_PLAIN_ESCAPES = frozenset("AbBdDsSwWZntrfva")
_FOLDED = {0x130: "i", 0x131: "i", 0x17F: "s", 0x212A: "k"}  # what a search without regard to case takes for ASCII


class _NotKnown(Exception):
    """A pattern uses what is not read here."""


def needles(pattern: str) -> Needles:
    """Lower-case texts of which every text holds one (see ``folded``) that the pattern matches, case ignored.

    ``ANY`` where none can be told. A reader of the common part of the syntax; what it doesn't know it gives up on.
    """
    try:
        found, end = _either(pattern, 0)
    except _NotKnown:
        return ANY
    return found if end == len(pattern) else ANY


def folded(text: str) -> str:
    """A text as needles are looked for in it."""
    return text.lower() if text.isascii() else text.translate(_FOLDED).lower()


def _either(pattern: str, at: int) -> tuple[Needles, int]:
    """Alternatives up to the end of their group: one of each, or ``ANY``."""
    found: list[str] = []
    while True:
        one, at = _sequence(pattern, at)
        found += one
        if at >= len(pattern) or pattern[at] == ")":
            return (ANY if "" in found else tuple(dict.fromkeys(found))), at
        at += 1


def _sequence(pattern: str, at: int) -> tuple[Needles, int]:
    """What stands one after the other: the most telling of its parts."""
    parts, run = [ANY], ""
    while at < len(pattern) and pattern[at] not in "|)":
        letter, inner, at = _item(pattern, at)
        least, at = _times(pattern, at)
        if letter and least is None:
            run += letter
            continue
        parts += [(run + letter if least else run,), inner if least is None or least else ANY]
        run = ""
    return max([*parts, (run,)], key=_worth), at


def _worth(part: Needles) -> tuple[bool, int, int]:
    shortest = min(map(len, part))
    return shortest >= _LEAST, -len(part), shortest


def _item(pattern: str, at: int) -> tuple[str, Needles, int]:
    """A letter, or what one group needs, and where it ends."""
    first = pattern[at]
    if first == "(":
        return "", *_group(pattern, at)
    if first == "[":
        found = _CLASS.match(pattern, at)
        if found is None:
            raise _NotKnown
        return "", ANY, found.end()
    if first == "\\":
        second = pattern[at + 1 : at + 2]
        if second.isalnum() and second not in _PLAIN_ESCAPES:
            raise _NotKnown
        return ("" if second.isalnum() else second), ANY, at + 2
    plain = first not in ".^$" and first.isascii()
    return (first.lower() if plain else ""), ANY, at + 1


def _group(pattern: str, at: int) -> tuple[Needles, int]:
    header = _HEADER.match(pattern, at)
    if header is None or pattern.startswith("?", header.end()):
        raise _NotKnown
    inner, end = _either(pattern, header.end())
    if not pattern.startswith(")", end):
        raise _NotKnown
    return (ANY if header["skip"] else inner), end + 1


def _times(pattern: str, at: int) -> tuple[int | None, int]:
    """How often at least what came before is there; None = once, nothing is said."""
    found = _TIMES.match(pattern, at)
    if found is None or found[0].startswith("{}"):
        return None, at
    if found[0][0] == "{":
        return int(found["least"] or 0), found.end()
    return int(found[0][0] == "+"), found.end()
