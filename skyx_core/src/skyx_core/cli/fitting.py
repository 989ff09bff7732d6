"""Texts and tables brought into the width of a terminal. Widths: in characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

MOST_LINES = 6  # of one cell or text; what is longer ends with "..."
_NARROWEST = 20  # room that a folded text keeps however narrow the terminal is
_WIDEST_WORD = 24  # that a column is kept wide enough for, while others can give way
_LEAST = 3
_GAP = 2
_WORDS = re.compile(r"\s+|(?<=[/,;])|(?<=\d)(?=T\d\d:)")
_SOFT = re.compile(r"[-._:=]")


def folded(text: str, width: int, most: int = MOST_LINES) -> list[str]:
    """Lines of at most ``width``, broken at blanks, after ``/`` and ``,``, in words only if need be."""
    lines: list[str] = []
    while len(text) > width:
        if len(lines) == most - 1:
            return [*lines, text[: max(width - 3, 0)].rstrip() + "..."[:width]]
        cut = _cut(text, width)
        lines.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [*lines, text.rstrip()]


def hanging(text: str, width: int | None, indent: int = 2) -> str:
    """A line of its own whose rest stands below it, moved in; ``width`` None: it is one line, whole."""
    if width is None or len(text) <= width:
        return text
    room = max(width - indent, _NARROWEST)
    first, *_ = folded(text, max(width, _NARROWEST))
    rest = text[len(first) :].lstrip()
    return "\n".join([first, *(" " * indent + line for line in folded(rest, room, MOST_LINES - 1))])


def _cut(text: str, width: int) -> int:
    """Where to break a text that is longer than ``width``."""
    blank = text.rfind(" ", 1, width + 1)
    if blank > 0:
        return blank
    for index in range(width, 0, -1):
        if text[index - 1] in "/,;" or (text[index] == "T" and text[index - 1].isdigit()):
            return index
    for index in range(width, width // 2, -1):
        if _SOFT.match(text[index - 1]):
            return index
    return width


def fitted(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    *,
    paint: Callable[[int, str], str] = lambda _, line: line,
    spare: Sequence[str] = (),
) -> str:
    """A table whose lines are not wider than ``width``, as long as there are a few characters for each column.
    ``paint``: the lines of row n (-1 = the heading) on their way out. ``spare``: columns that are left out, one after
    the other, before words are broken.
    """
    natural = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    floors = [min(natural[i], _widest_word(headers[i], (row[i] for row in rows))) for i in range(len(headers))]
    if spare and sum(floors) + _GAP * (len(headers) - 1) > width:
        out = headers.index(spare[0])
        fewer = [[*row[:out], *row[out + 1 :]] for row in (headers, *rows)]
        return fitted(fewer[0], fewer[1:], width, paint=paint, spare=spare[1:])
    widths = narrowed(natural, (floors, [len(header) for header in headers]), width - _GAP * (len(headers) - 1))
    lines: list[str] = []
    for number, row in enumerate([headers, *rows], -1):
        cells = [folded(cell, size) for cell, size in zip(row, widths, strict=True)]
        lines += (paint(number, line) for line in laid(cells, widths))
    return "\n".join(lines)


def laid(cells: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    """The lines of one row, each of whose cells may have several."""
    for number in range(max(map(len, cells))):
        line = (cell[number] if number < len(cell) else "" for cell in cells)
        yield (" " * _GAP).join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()


def narrowed(widths: Sequence[int], floors: Sequence[Sequence[int]], room: int) -> list[int]:
    """Widths that fit the room: the widest columns give way first, below their floors (one list after the
    other) only if nothing else is left.
    """
    found = [min(width, max(room, _LEAST)) for width in widths]
    for least in (*floors, [_LEAST] * len(found)):
        while sum(found) > room:
            able = [i for i, width in enumerate(found) if width > least[i]]
            if not able:
                break
            found[max(able, key=found.__getitem__)] -= 1
    return found


def _widest_word(header: str, cells: Iterator[str]) -> int:
    """What breaks no word, within reason."""
    widest = max((len(part) for cell in cells for part in _WORDS.split(cell)), default=0)
    return max(min(widest, _WIDEST_WORD), len(header))
