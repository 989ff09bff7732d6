"""Saving what can be read from a damaged state file. ``python -m skyx_core.state.salvage FILE`` does it.

Nothing here runs by itself: the broken file is moved aside only on request, and never deleted.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from skyx_core.state.files import connect, create
from skyx_core.state.migrations import MIGRATIONS, TABLES

_HEADER = b"SQLite format 3\x00\x10\x00\x02\x02\x00\x40\x20\x20"  # pages of 4096 bytes, WAL
_MAX_ROWS = 10_000_000
Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Salvaged:
    """``broken``: where the damaged file is now. ``rows``: how many were saved, per table."""

    broken: Path
    rows: dict[str, int] = field(default_factory=dict)


def readable_names(path: Path) -> list[str]:
    """Names of the clusters that can still be read, sorted. Works on a copy; never raises."""
    try:
        with tempfile.TemporaryDirectory(prefix="skyx-salvage-") as folder:
            return sorted(str(row[0]) for row in _rows(_copy(path, Path(folder)), "clusters"))
    except (sqlite3.Error, OSError, ValueError):
        return []


def salvage(path: Path) -> Salvaged:
    """Make a new state file with every row that can be read, and keep the old one as ``FILE.broken-N``.

    No other skyx command may run meanwhile. Raises ``OSError`` if the folder can't be written; nothing is changed then.
    """
    rows: dict[str, int] = {}
    fresh = path.with_name(f"{path.name}.{os.getpid()}.salvage")
    with tempfile.TemporaryDirectory(prefix="skyx-salvage-") as folder:
        copy = _copy(path, Path(folder))
        fresh.unlink(missing_ok=True)
        create(fresh, MIGRATIONS)
        with closing(connect(fresh, "mode=rw")) as con:
            for table in TABLES:
                rows[table] = _save(con, table, _rows(copy, table))
            con.execute(
                "UPDATE meta SET value = max(CAST(value AS INTEGER),"
                " (SELECT coalesce(max(generation), 0) FROM clusters)) WHERE key = 'generation'"
            )
    broken = _move_aside(path)
    fresh.replace(path)
    return Salvaged(broken, rows)


def _copy(path: Path, folder: Path) -> Path:
    """With its journal, and with the constant start of the header mended, which is easily told."""
    copy = folder / "copy.db"
    if path.is_file():
        shutil.copyfile(path, copy)
    wal = path.with_name(f"{path.name}-wal")
    if wal.is_file():
        shutil.copyfile(wal, f"{copy}-wal")
    if not copy.exists():
        raise FileNotFoundError(2, "no such file", str(path))
    with copy.open("r+b") as file:
        start = file.read(len(_HEADER))
        if len(start) == len(_HEADER) and start != _HEADER:
            file.seek(0)
            file.write(_HEADER)
    return copy


def _rows(copy: Path, table: str) -> list[Row]:
    """All rows of a table that a walk from its front or from its end reaches."""
    found: dict[object, Row] = {}
    for order in ("ASC", "DESC"):
        with suppress(sqlite3.Error, UnicodeError), closing(sqlite3.connect(copy)) as con:
            con.text_factory = _text
            # the names are constants of this module, never input
            cursor = con.execute(f"SELECT rowid, * FROM {table} ORDER BY rowid {order} LIMIT {_MAX_ROWS}")  # noqa: S608
            width = len(cursor.description)
            while (row := cursor.fetchone()) is not None:
                if len(row) == width:
                    found.setdefault(row[0], tuple(row[1:]))
    return list(found.values())


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _save(con: sqlite3.Connection, table: str, rows: Sequence[Row]) -> int:
    """Rows that break a rule of the table are left out, one by one."""
    saved = 0
    con.execute("BEGIN IMMEDIATE")
    for row in rows:
        marks = ", ".join("?" * len(row))
        with suppress(sqlite3.Error):
            con.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", row)  # noqa: S608 - constants and marks
            saved += 1
    con.execute("COMMIT")
    return saved


def _move_aside(path: Path) -> Path:
    number = 1
    while (broken := path.with_name(f"{path.name}.broken-{number}")).exists():
        number += 1
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.replace(f"{path}{suffix}", f"{broken}{suffix}")
    with suppress(FileNotFoundError):
        path.replace(broken)
    return broken


def main(argv: Sequence[str]) -> int:
    """Prints what was saved. 0 done, 1 not possible, 2 usage, 7 nodes may run that no saved record names."""
    if len(argv) != 1 or argv[0].startswith("-"):
        sys.stderr.write("usage: python -m skyx_core.state.salvage FILE\n")
        return 2
    path = Path(argv[0]).absolute()
    try:
        result = salvage(path)
    except (OSError, sqlite3.Error, UnicodeError) as error:
        sys.stderr.write(f"{path} can't be saved, and was not changed: {error}\n")
        return 1
    counts = ", ".join(f"{count} {table}" for table, count in result.rows.items())
    sys.stdout.write(f"saved into {path}: {counts}\nthe damaged file is {result.broken}\n")
    lost = max(result.rows.get("documents", 0), result.rows.get("intents", 0)) - result.rows.get("clusters", 0)
    if lost > 0:
        sys.stderr.write(
            "warning: records of clusters are lost, and their nodes may still run and cost money;"
            " look for machines tagged 'skyx-uid' in the cloud's own console\n"
        )
        return 7
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
