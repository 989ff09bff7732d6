"""One SQLite file, shared by many processes: opening, making, migrating, and transactions.

WAL with ``synchronous=FULL``: what was committed survives a power cut, but for writes that say that they need not.
Every write is ``BEGIN IMMEDIATE`` (a deferred one fails as soon as two processes read first and write then). Nothing
else is called while one is open.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from skyx_core.dirs import ensure
from skyx_core.errors import StateStoreError
from skyx_core.state.files import connect, create, migrate, refuse_odd_files
from skyx_core.state.migrations import MIGRATIONS, Migration
from skyx_core.state.sqlite_errors import is_busy, is_unwritable, store_error

BUSY_S = 30.0
T = TypeVar("T")


class Database:
    """Thread-safe: one connection, used by one thread at a time; a forked child opens its own.

    ``exists`` costs one stat, so that reading before anything was stored needs no file. Waits for other processes
    at most 30 s (of real time: they don't follow a test's clock), then raises ``StateStoreError``.
    """

    def __init__(self, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
        self.path = path.absolute()
        self._migrations = tuple(migrations)
        self._lock = threading.Lock()
        self._con: sqlite3.Connection | None = None
        self._pid = 0
        self._syncs = True  # whether a commit of this connection waits for the disk
        self.read_only = False

    def exists(self) -> bool:
        """Whether there is a file, or a trace of one (which is then refused with the reason)."""
        try:
            return self.path.exists() or self.path.with_name(f"{self.path.name}-wal").exists()
        except OSError as error:
            raise store_error(self.path, error) from error

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """For single SELECTs; each sees one consistent state."""
        with self._held() as con:
            yield con

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction: committed to disk when the block ends, undone when it raises.

        Not ``durable``: without waiting for the disk. It survives ``kill -9``; a power cut may undo it, whole, unless
        a durable one came after it: the journal is one file, and is synced as one.
        """
        with self._held() as con:
            if self.read_only:
                raise store_error(self.path, PermissionError(30, "Read-only file system"))
            if self._syncs is not durable:  # can't be changed inside a transaction
                con.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                self._syncs = durable
            _patiently(lambda: con.execute("BEGIN IMMEDIATE"))
            try:
                yield con
                con.execute("COMMIT")
            finally:
                if con.in_transaction:
                    with suppress(sqlite3.Error):
                        con.execute("ROLLBACK")

    def close(self) -> None:
        """Safe to repeat; the next use opens it again."""
        with self._lock:
            if self._con is not None and self._pid == os.getpid():
                with suppress(sqlite3.Error):
                    self._con.close()
            self._con = None

    @contextmanager
    def _held(self) -> Iterator[sqlite3.Connection]:
        if not self._lock.acquire(timeout=2 * BUSY_S):
            raise StateStoreError(
                "the record of clusters is in use by this process", where=str(self.path), hint="repeat the command"
            )
        try:
            yield self._connection()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise store_error(self.path, error) from error
        finally:
            self._lock.release()

    def _connection(self) -> sqlite3.Connection:
        if self._con is None or self._pid != os.getpid():
            self._con = _patiently(self._open)
            self._pid = os.getpid()
        return self._con

    def _open(self) -> sqlite3.Connection:
        refuse_odd_files(self.path)
        if not self.path.exists():
            ensure(self.path.parent)
            create(self.path, self._migrations)
        try:
            return self._opened(connect(self.path, "mode=rw"))
        except sqlite3.OperationalError as error:
            if not is_unwritable(error) or not os.access(self.path, os.R_OK):
                raise
            return self._open_read_only(error)

    def _open_read_only(self, error: sqlite3.Error) -> sqlite3.Connection:
        """From a place that can't be written (a read-only mount): what was checkpointed can be listed."""
        wal = self.path.with_name(f"{self.path.name}-wal")
        if wal.exists() and wal.stat().st_size:
            raise error
        con = self._opened(connect(self.path, "mode=ro&immutable=1"))
        self.read_only = True
        return con

    def _opened(self, con: sqlite3.Connection) -> sqlite3.Connection:
        try:
            migrate(con, self.path, self._migrations)
            con.execute("PRAGMA synchronous=FULL")
            self._syncs = True
        except BaseException:
            con.close()
            raise
        return con


def _patiently(action: Callable[[], T]) -> T:
    """Repeat while other processes hold the file; in short steps, so that Ctrl-C is noticed."""
    end = time.monotonic() + BUSY_S
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > end:
                raise
            time.sleep(0.002)
