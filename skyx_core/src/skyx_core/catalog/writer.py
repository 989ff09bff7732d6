"""Making a file of offers: staged row by row, sorted and numbered once, then moved into place whole.

Memory stays flat however many rows there are: sorting is SQLite's, on disk. Readers see the old file or the new one.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from skyx_core.catalog import layout
from skyx_core.dirs import ensure
from skyx_core.errors import CatalogError

_BATCH = 10_000
_REMEMBERED = 50_000
_ABANDONED_S = 3600.0


class Staged(NamedTuple):
    """One offer on its way into the file. ``accelerators``: JSON, names sorted; ``quota_buckets``: JSON."""

    name: str
    cpus: float
    memory_gb: float
    accelerators: str
    region: str
    zone: str
    spot: int
    price: float
    quota_buckets: str = "[]"
    reservation: str | None = None


class Written(NamedTuple):
    """What came of it. ``doubles``: rows of the same machine at the same place; the cheapest was kept."""

    rows: int
    types: int
    regions: int
    doubles: int


def accelerators_json(counts: dict[str, float]) -> str:
    """As ``types`` holds them."""
    return json.dumps(dict(sorted(counts.items())), ensure_ascii=False) if counts else "{}"


def quota_json(buckets: Sequence[str]) -> str:
    """As ``extras`` holds them."""
    return json.dumps(list(buckets), ensure_ascii=False) if buckets else "[]"


class Writer:
    """A new file beside its place. ``publish`` moves it there; without that nothing is changed."""

    def __init__(self, path: Path, cloud: str) -> None:
        self.path = path
        self._cloud = cloud
        self._part = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}.part")
        self._digest = hashlib.sha256()

    def write(self, rows: Iterable[Staged], source: str, now: float) -> Written:
        """Take all rows, in any order. Raises ``CatalogError`` when there are none, or the disk is full."""
        with self._failures():
            ensure(self.path.parent)
            os.close(os.open(self._part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            con = sqlite3.connect(self._part, isolation_level=None)
            try:
                return self._fill(con, iter(rows), source, now)
            finally:
                con.close()

    def _fill(self, con: sqlite3.Connection, rows: Iterator[Staged], source: str, now: float) -> Written:
        for statement in (*_PREPARE, *layout.TABLES, "BEGIN", *_STAGE):
            con.execute(statement)
        staged = 0
        numbered = _numbered(con, rows, self._digest)
        while batch := list(islice(numbered, _BATCH)):
            staged += len(batch)
            self._digest.update(array("d", chain.from_iterable(batch)).tobytes())
            con.executemany("INSERT INTO temp.staged VALUES (?, ?, ?, ?, ?)", batch)
        for statement in _ARRANGE:
            con.execute(statement)
        con.executemany(_HAVE, _have(con))
        for statement in (_BEST, layout.BY_REGION):
            con.execute(statement)
        count, types, regions = (_count(con, table) for table in ("offers", "types", "regions"))
        header = (self._cloud, source, now, count, self._digest.hexdigest())
        con.execute("INSERT INTO header VALUES (?, ?, ?, ?, ?)", header)
        con.execute("COMMIT")
        return Written(count, types, regions, staged - count)

    def publish(self) -> None:
        """Atomic; readers of the old file go on reading it."""
        with self._failures():
            descriptor = os.open(self._part, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            os.replace(self._part, self.path)

    def discard(self) -> None:
        """Leave nothing of an unfinished one, nor of those that were killed an hour ago or more. Never raises."""
        with suppress(OSError):
            self._part.unlink()
        for part in self.path.parent.glob(f"{self.path.name}.*.part"):
            with suppress(OSError):
                if part.stat().st_mtime < time.time() - _ABANDONED_S:
                    part.unlink()

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
            raise CatalogError(
                f"the catalogue of {self._cloud!r} can't be written",
                where=str(self.path),
                why=why,
                hint="free some space and make that folder writable; what was there before is unchanged",
            ) from error


class _Numbers(dict[tuple[object, ...], int]):
    """Numbers for distinct rows of a temporary table, most of them remembered."""

    def __init__(self, con: sqlite3.Connection, table: str, columns: Sequence[str], digest: hashlib._Hash) -> None:
        super().__init__()
        self._con = con
        self._digest = digest
        self._insert = f"INSERT OR IGNORE INTO temp.{table} VALUES (NULL, {', '.join('?' for _ in columns)})"  # noqa: S608
        same = " AND ".join(f"{column} IS ?" for column in columns)
        self._select = f"SELECT id FROM temp.{table} WHERE {same}"  # noqa: S608 - names from below

    def __missing__(self, row: tuple[str | float, ...]) -> int:
        if len(self) >= _REMEMBERED:
            self.clear()
        self._digest.update(repr(row).encode("utf-8", "backslashreplace"))
        self._con.execute(self._insert, row)
        number = self[row] = int(self._con.execute(self._select, row).fetchone()[0])
        return number


def _numbered(
    con: sqlite3.Connection, rows: Iterable[Staged], digest: hashlib._Hash
) -> Iterator[tuple[int, int, float, int, int]]:
    kinds = _Numbers(con, "kinds", ("name", "cpus", "memory_gb", "accelerators"), digest)
    places = _Numbers(con, "spots", ("region", "zone"), digest)
    extras = _Numbers(con, "more", ("quota_buckets", "reservation"), digest)
    for name, cpus, memory_gb, accelerators, region, zone, spot, price, buckets, reservation in rows:
        kind = kinds[name, cpus, memory_gb, accelerators]
        yield kind, spot, price, places[region, zone], extras[buckets, reservation or ""]


def _have(con: sqlite3.Connection) -> Iterator[tuple[int, str, float]]:
    for number, text in con.execute("SELECT id, accelerators FROM types").fetchall():
        have: dict[str, float] = json.loads(text)
        for name, count in have.items() or [("", 0.0)]:
            yield number, name, count


def _count(con: sqlite3.Connection, table: str) -> int:
    return int(con.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - one of three names above


_PREPARE = (
    f"PRAGMA application_id={layout.APPLICATION_ID:d}",
    f"PRAGMA user_version={layout.VERSION:d}",
    "PRAGMA journal_mode=OFF",
    "PRAGMA synchronous=OFF",
    "PRAGMA temp_store=FILE",
    "PRAGMA cache_size=-8000",
    "PRAGMA locking_mode=EXCLUSIVE",
)
_STAGE = (
    "CREATE TEMP TABLE kinds (id INTEGER PRIMARY KEY, name TEXT, cpus REAL, memory_gb REAL, accelerators TEXT,"
    " UNIQUE (name, cpus, memory_gb, accelerators))",
    "CREATE TEMP TABLE spots (id INTEGER PRIMARY KEY, region TEXT, zone TEXT, UNIQUE (region, zone))",
    "CREATE TEMP TABLE more (id INTEGER PRIMARY KEY, quota_buckets TEXT, reservation TEXT,"
    " UNIQUE (quota_buckets, reservation))",
    "CREATE TEMP TABLE staged (kind INTEGER, spot INTEGER, price REAL, place INTEGER, more INTEGER)",
    "CREATE TEMP TABLE to_type (kind INTEGER PRIMARY KEY, id INTEGER)",
    "CREATE TEMP TABLE to_place (place INTEGER PRIMARY KEY, id INTEGER, region INTEGER)",
    "CREATE TEMP TABLE to_extra (more INTEGER PRIMARY KEY, id INTEGER, reservation TEXT)",
    "CREATE TEMP TABLE have (type INTEGER, accelerator TEXT, count REAL)",
)
_ARRANGE = (
    "INSERT INTO types (name, cpus, memory_gb, accelerators) SELECT name, cpus, memory_gb, accelerators"
    " FROM temp.kinds ORDER BY name, cpus, memory_gb, accelerators",
    "INSERT INTO temp.to_type SELECT k.id, t.id FROM temp.kinds AS k CROSS JOIN types AS t ON t.name = k.name"
    " AND t.cpus = k.cpus AND t.memory_gb = k.memory_gb AND t.accelerators = k.accelerators",
    "INSERT INTO regions (name) SELECT DISTINCT region FROM temp.spots ORDER BY region",
    "INSERT INTO places (region, zone) SELECT r.id, s.zone FROM temp.spots AS s"
    " JOIN regions AS r ON r.name = s.region ORDER BY r.id, s.zone",
    "INSERT INTO temp.to_place SELECT s.id, p.id, r.id FROM temp.spots AS s CROSS JOIN regions AS r"
    " ON r.name = s.region CROSS JOIN places AS p ON p.region = r.id AND p.zone = s.zone",
    "INSERT INTO extras VALUES (0, '[]', NULL)",
    "INSERT INTO extras (quota_buckets, reservation) SELECT quota_buckets, nullif(reservation, '') FROM temp.more"
    " WHERE quota_buckets <> '[]' OR reservation <> '' ORDER BY reservation, quota_buckets",
    "INSERT INTO temp.to_extra SELECT m.id, x.id, m.reservation FROM temp.more AS m JOIN extras AS x"
    " ON x.quota_buckets = m.quota_buckets AND ifnull(x.reservation, '') = m.reservation",
    "INSERT INTO offers SELECT t.id, s.spot, min(s.price), p.id, x.id, p.region FROM temp.staged AS s"
    " CROSS JOIN temp.to_type AS t ON t.kind = s.kind CROSS JOIN temp.to_place AS p ON p.place = s.place"
    " CROSS JOIN temp.to_extra AS x ON x.more = s.more GROUP BY t.id, s.spot, p.id, x.reservation",
    "INSERT INTO cheapest SELECT spot, min(price), type FROM offers GROUP BY type, spot",
)
_HAVE = "INSERT INTO temp.have VALUES (?, ?, ?)"
_BEST = (
    "INSERT INTO best SELECT h.accelerator, h.count, c.spot, c.price, c.type FROM cheapest AS c"
    " JOIN temp.have AS h ON h.type = c.type"
)
