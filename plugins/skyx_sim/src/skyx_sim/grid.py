"""Columns of text that fit a terminal."""

from __future__ import annotations

from collections.abc import Sequence

_GAP = 2
_LEAST = {"REASON": 16, "RULE": 8, "TYPE": 8, "WHERE": 12}  # columns may be cut to so many characters, in this order
_SPARE = ("REASON", "RULE", "TYPE", "COST", "TOOK", "START")  # left out, in this order, where even that is too wide
_FROM_THE_LEFT = "WHERE"  # its last part tells most


def grid(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """The lines of a table, its headers first. ``width``: of the terminal; None: nothing is cut."""
    columns = {name: [row[at] for row in rows] for at, name in enumerate(headers)}
    widths = {name: max(map(len, [name, *cells])) for name, cells in columns.items()}
    if width is not None:
        _fit(widths, width)
    lines = [[name.ljust(size) for name, size in widths.items()]]
    lines += [[_cut(columns[name][at], name, size) for name, size in widths.items()] for at in range(len(rows))]
    return [(" " * _GAP).join(line).rstrip() for line in lines]


def _fit(widths: dict[str, int], width: int) -> None:
    """Make columns narrower, or leave some out; the others stay as they are."""
    for name in _SPARE:
        narrowest = sum(min(size, _LEAST.get(each, size)) + _GAP for each, size in widths.items()) - _GAP
        if narrowest <= width:
            break
        widths.pop(name, None)
    for name, least in _LEAST.items():
        over = sum(size + _GAP for size in widths.values()) - _GAP - width
        if name in widths and over > 0:
            widths[name] = max(min(widths[name], least), widths[name] - over)


def _cut(text: str, column: str, size: int) -> str:
    if len(text) <= size:
        return text.ljust(size)
    return f"...{text[3 - size :]}" if column == _FROM_THE_LEFT else f"{text[: size - 3]}..."
