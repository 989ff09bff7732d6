"""Opening and reading one file of offers; whatever is wrong with it is one clear error that names it."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from skyx_core.catalog.layout import APPLICATION_ID, HEADER, VERSION
from skyx_core.errors import CatalogError

Value = str | int | float | bytes | None
_LOCK_S = 30.0


class Header(NamedTuple):
    """Where the offers come from. ``imported_at``: seconds since 1970; ``rows``: offers, spot and on-demand apart."""

    cloud: str
    source: str
    imported_at: float
    rows: int
    digest: str


@dataclass(frozen=True)
class Stamp:
    """Tells one version of a file from the next."""

    inode: int
    mtime_ns: int
    size: int


def stamp(path: Path) -> Stamp | None:
    """None: there is no such file. Raises ``CatalogError`` where that can't be told."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise unusable(path, "", error) from error
    return Stamp(found.st_ino, found.st_mtime_ns, found.st_size)


class CatalogFile:
    """One connection, used by one thread at a time; readers in any thread. The file never changes while it is open:
    a new version is a new file, and what is being read stays as it was.
    """

    def __init__(self, con: sqlite3.Connection, path: Path, cloud: str) -> None:
        self.path = path
        self.cloud = cloud
        self._con = con
        self._lock = threading.Lock()
        self.header = self._checked()

    @classmethod
    def open(cls, path: Path, cloud: str) -> CatalogFile:
        """Raises ``CatalogError``; takes no lock, so nobody can keep it from being read."""
        try:
            _check_size(path)
            uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
            con = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise unusable(path, cloud, error) from error
        try:
            return cls(con, path, cloud)
        except BaseException:
            con.close()
            raise

    def _checked(self) -> Header:
        application, version = (self.fetch(f"PRAGMA {name}", {})[0][0] for name in ("application_id", "user_version"))
        if application != APPLICATION_ID:
            raise damaged(self.path, self.cloud, "it is not a catalogue of skyx")
        if version != VERSION:
            why = f"it has version {version!r}, and this release reads version {VERSION}"
            raise damaged(self.path, self.cloud, why)
        rows = self.fetch(HEADER, {})
        if len(rows) != 1 or rows[0][0] != self.cloud:
            raise damaged(self.path, self.cloud, f"it holds no offers of {self.cloud!r}")
        cloud, source, imported_at, count, digest = rows[0]
        if not isinstance(imported_at, int | float) or not isinstance(count, int):
            raise damaged(self.path, self.cloud, "its header can't be read")
        return Header(str(cloud), str(source), float(imported_at), count, str(digest))

    def fetch(self, sql: str, params: Mapping[str, Value]) -> list[Sequence[Value]]:
        """All rows of one query."""
        if not self._lock.acquire(timeout=_LOCK_S):
            raise damaged(self.path, self.cloud, "another thread doesn't let go of it")
        try:
            return self._con.execute(sql, params).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise unusable(self.path, self.cloud, error) from error
        finally:
            self._lock.release()

    def names(self, sql: str, **params: Value) -> Iterator[str]:
        """The first column of each row, as text."""
        return (str(row[0]) for row in self.fetch(sql, params))

    def __del__(self) -> None:
        if "_con" in self.__dict__:
            self.close()

    def close(self) -> None:
        """Safe to repeat; done by itself once nothing reads it any more."""
        with suppress(sqlite3.Error):
            self._con.close()


def _check_size(path: Path) -> None:
    """SQLite itself sees only later that a file was cut."""
    with path.open("rb") as file:
        head = file.read(100)
        size = os.fstat(file.fileno()).st_size
    page = int.from_bytes(head[16:18], "big")
    pages = int.from_bytes(head[28:32], "big")
    if len(head) < 100 or not head.startswith(b"SQLite format 3\0"):
        raise sqlite3.DatabaseError("it is empty" if not head else "it is not a catalogue of skyx")
    if (65536 if page == 1 else page) * pages != size:
        raise sqlite3.DatabaseError("a part of it is missing")


def fix(cloud: str) -> str:
    """What puts a catalogue right."""
    cloud = cloud or "CLOUD"
    return f"skyx catalog import {cloud} FILE.csv, or skyx catalog update {cloud} where the cloud can tell its offers"


def damaged(path: Path, cloud: str, why: str) -> CatalogError:
    """What is there can't be used as it is."""
    whose = f" of {cloud!r}" if cloud else ""
    return CatalogError(
        f"the catalogue{whose} can't be read",
        where=str(path),
        why=why,
        hint=f"bring it again: {fix(cloud)}; or delete the file",
    )


def unusable(path: Path, cloud: str, error: BaseException) -> CatalogError:
    """What SQLite or the file system raised about it."""
    if isinstance(error, OSError):
        return damaged(path, cloud, (error.strerror or str(error)).lower())
    if isinstance(error, UnicodeDecodeError):
        return damaged(path, cloud, "a text in it is not UTF-8")
    return damaged(path, cloud, str(error))
