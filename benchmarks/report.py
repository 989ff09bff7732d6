"""The table and the file of results."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.rows import Row

HEAD = ("benchmark", "what", "ours", "floor", "ratio", "goal", "met", "peer", "faster")
_YES_NO: Mapping[bool | None, str] = {True: "yes", False: "NO", None: "-"}


def machine() -> dict[str, object]:
    """What the figures hold for."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": _cpu(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def cells(row: Row) -> tuple[str, ...]:
    """One line of the table, in the order of ``HEAD``."""
    return (
        row.name,
        row.what,
        _figure(row.ours, row.unit),
        "-" if row.floor is None else _figure(row.floor, row.unit),
        "-" if row.ratio is None else f"{row.ratio:.2f}x",
        "-" if row.goal is None else str(row.goal),
        _YES_NO[row.met],
        _peer(row),
        _faster(row),
    )


def _figure(value: float, unit: str) -> str:
    digits = f"{value:.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return f"{digits} {unit}".rstrip()


def _peer(row: Row) -> str:
    if not row.peer_is:
        return "-"
    return f"{row.peer_is}: not installed" if row.peer is None else f"{row.peer_is}: {_figure(row.peer, row.unit)}"


def _faster(row: Row) -> str:
    if row.times_faster is None:
        return "-"
    goal = "" if row.peer_goal is None else f" (goal {row.peer_goal:g}x: {_YES_NO[row.peer_met]})"
    return f"{row.times_faster:.0f}x{goal}"


def lines(rows: Sequence[Row]) -> Iterable[str]:
    """The table as text, then what the floors are and the notes."""
    table = [HEAD, *(cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEAD))]
    for line in table:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
    yield ""
    for name in dict.fromkeys(row.name for row in rows):
        for text in dict.fromkeys(text for row in rows if row.name == name for text in _remarks(row)):
            yield f"{name}: {text}"


def _remarks(row: Row) -> Iterable[str]:
    if row.floor_is:
        yield f"floor = {row.floor_is}"
    if row.note:
        yield f"{row.what}: {row.note}"


def as_json(rows: Sequence[Row], failures: Mapping[str, str], *, quick: bool, rounds: int) -> str:
    """Everything, with when and where it was measured."""
    data = {
        "format": 1,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "quick": quick,
        "rounds": rounds,
        "rows": [row.as_json() for row in rows],
        "failures": dict(failures),
    }
    return json.dumps(data, indent=1) + "\n"
