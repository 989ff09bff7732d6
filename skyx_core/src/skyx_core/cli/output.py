"""Rows as JSON, or as aligned text that fits the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from skyx_core.cli.shown import in_cell, in_field

if TYPE_CHECKING:
    from skyx_core.cli.app import App

PAINTED_ROWS = 200  # longer lists are not looked at
_NO_LIMIT = 1_000_000


def dumps(value: object) -> str:
    """Compact JSON of a result, text kept as it is."""
    import json

    from skyx_core.results import to_json

    return in_field(json.dumps(to_json(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def emit_json(app: App, value: object) -> None:
    """One JSON value on stdout."""
    app.streams.data(dumps(value))


def emit_lines(app: App, values: Iterable[object]) -> None:
    """NDJSON: one value per line, each written at once."""
    for value in values:
        app.streams.data(dumps(value))


def plain(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns two spaces apart, no trailing blanks; about two microseconds a row."""
    rows = [tuple(map(in_cell, row)) for row in rows]
    columns = list(zip(headers, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    template = "  ".join(f"%-{width}s" for width in widths[:-1]) + ("  %s" if len(widths) > 1 else "%s")
    lines = [(template % tuple(headers)).rstrip()]
    lines += [(template % tuple(row)).rstrip() for row in rows]
    return "\n".join(lines)


def table(
    app: App,
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    tty: bool,
    marked: int | None = None,
    fit: bool = False,
    spare: Sequence[str] = (),
) -> str:
    """Text of a table for a stream. ``marked``: the row to stand out. ``fit``: where the stream is a terminal, no line
    is wider than that; else each row is one line. ``spare``: columns that it can do without if room is short.
    """
    width = columns(app, tty=tty) if fit else None
    color = tty and app.color(tty=tty) and len(rows) <= PAINTED_ROWS
    if not color:
        text = plain(headers, rows)
        if width is None or max(map(len, text.split("\n"))) <= width:
            return text
    from skyx_core.cli.fitting import fitted

    def paint(number: int, line: str) -> str:
        code = "1" if number < 0 else "32" if number == marked else ""
        return f"\033[{code}m{line}\033[0m" if code and color else line

    cells = [tuple(map(in_cell, row)) for row in rows]
    return fitted(headers, cells, width or _NO_LIMIT, paint=paint, spare=spare)


def columns(app: App, *, tty: bool | None = None) -> int | None:
    """How wide lines may be: as COLUMNS says, else as the terminal is; None: it goes to none, and no line is too long.
    ``tty``: whether the stream is a terminal; unset = as stdout.
    """
    import os

    text = app.environ.get("COLUMNS", "")
    if text.isdecimal() and len(text) < 6 and int(text) > 0:
        return int(text)
    if not (app.streams.out_tty if tty is None else tty):
        return None
    for descriptor in (2, 0):  # 1 is not stdout any more
        try:
            return os.get_terminal_size(descriptor).columns or 80
        except OSError:
            continue
    return 80


def show(
    app: App, headers: Sequence[str], rows: Sequence[Sequence[str]], *, fit: bool = False, spare: Sequence[str] = ()
) -> None:
    """A table on stdout, as the data of a text-mode command; ``fit`` and ``spare`` as for ``table``."""
    app.streams.data(table(app, headers, rows, tty=app.streams.out_tty, fit=fit, spare=spare), painted=True)


def accelerators(counts: dict[str, float]) -> str:
    """``H100:8``, or ``-``."""
    if not counts:
        return "-"
    return ",".join([f"{name}:{count:g}" for name, count in counts.items()])


def infra(cloud: str, region: str | None, zone: str | None) -> str:
    """``cloud/region/zone`` without what is unknown."""
    head = f"{cloud}/{region}" if region else cloud
    return f"{head}/{zone}" if zone else head


def usd(amount: float) -> str:
    """A price per hour; cents, or more digits where it is smaller than that."""
    return f"{amount:.2f}" if amount == 0 or amount >= 0.1 else f"{amount:.4f}"
