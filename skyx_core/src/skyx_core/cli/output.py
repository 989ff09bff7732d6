"""Rows as JSON, as aligned plain text, or as a table on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from skyx_core.cli.shown import in_cell, in_field

if TYPE_CHECKING:
    from skyx_core.cli.app import App

RICH_ROWS = 200  # a rich table costs about half a millisecond a row


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


def rich_table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, color: bool, marked: int | None) -> str:
    """The same for a terminal. ``marked``: the row to stand out."""
    from io import StringIO

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for header in headers:
        table.add_column(header, no_wrap=True, overflow="ignore")
    rows = [tuple(map(in_cell, row)) for row in rows]
    for index, row in enumerate(rows):
        table.add_row(*(Text(cell) for cell in row), style="green" if index == marked else None)
    sink = StringIO()
    width = sum(max([len(header), *(len(row[i]) for row in rows)]) + 2 for i, header in enumerate(headers))
    console = Console(
        file=sink, width=width + 2, force_terminal=color, no_color=not color, color_system="standard" if color else None
    )
    console.print(table)
    return "\n".join(line.rstrip() for line in sink.getvalue().splitlines())


def table(
    app: App, headers: Sequence[str], rows: Sequence[Sequence[str]], *, tty: bool, marked: int | None = None
) -> str:
    """Text of a table for a stream; long lists and pipes get plain lines."""
    if tty and app.color(tty=tty) and len(rows) <= RICH_ROWS:
        return rich_table(headers, rows, color=True, marked=marked)
    return plain(headers, rows)


def columns(app: App) -> int | None:
    """How wide the terminal is that stdout goes to; None: it goes to none, and no line is too long."""
    import os

    if not app.streams.out_tty:
        return None
    text = app.environ.get("COLUMNS", "")
    if text.isdecimal() and 0 < len(text) < 6:
        return int(text)
    for descriptor in (2, 0):  # 1 is not stdout any more
        try:
            return os.get_terminal_size(descriptor).columns
        except OSError:
            continue
    return 80


def show(app: App, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on stdout, as the data of a text-mode command."""
    app.streams.data(table(app, headers, rows, tty=app.streams.out_tty), painted=True)


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
