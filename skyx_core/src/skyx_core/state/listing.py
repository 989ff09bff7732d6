"""What the tables share: reading many rows so that one that is damaged never hides the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import TypeVar

from skyx_core.clock import Clock
from skyx_core.state.db import Database

T = TypeVar("T")
Row = tuple[object, ...]
Warn = Callable[[str], None]


class Table:
    """A part of the store."""

    def __init__(self, db: Database, clock: Clock, warn: Warn) -> None:
        self._db = db
        self._clock = clock
        self._warn = warn


def where_names(column: str, patterns: Sequence[str] | None) -> tuple[str, Sequence[str]]:
    """A condition and its parameters. ``column`` is a constant of the caller."""
    if patterns is None:
        return "", ()
    if not patterns:
        return "WHERE 0", ()
    patterns = [each for each in patterns if _is_text(each)]
    if not patterns:
        return "WHERE 0", ()
    parts = [f"{column} GLOB ?" if _is_pattern(each) else f"{column} = ?" for each in patterns]
    return f"WHERE {' OR '.join(parts)}", patterns


def _is_text(text: str) -> bool:
    """What isn't (bytes of an argument that are not UTF-8) can't be in the record, nor be asked for."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_pattern(text: str) -> bool:
    return any(mark in text for mark in "*?[")


def fetch(con: sqlite3.Connection, sql: str, values: Sequence[object] = ()) -> list[Row]:
    """All rows; text that is not UTF-8 comes with replacement characters instead of ending the list."""
    try:
        return con.execute(sql, values).fetchall()
    except sqlite3.OperationalError as error:
        if "UTF-8" not in str(error):
            raise
    before = con.text_factory
    con.text_factory = _lenient
    try:
        return con.execute(sql, values).fetchall()
    finally:
        con.text_factory = before


def _lenient(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def build_rows(rows: Sequence[Row], build: Callable[[Row], T], warn: Warn) -> list[T]:
    """Each row through ``build``; one that raises is named to ``warn`` and left out."""
    try:
        return [build(row) for row in rows]
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    built = []
    for row in rows:
        try:
            built.append(build(row))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            warn(f"the record of {str(row[0])[:80]!r} is damaged and left out: {str(error)[:200]}")
    return built
