"""agent.db: the record of all jobs. One writer (the agent); each commit is on disk when it returns."""

from __future__ import annotations

import os
import sqlite3

from skyx_agent import states
from skyx_agent.errors import AgentError
from skyx_agent.job import COLUMNS, Job, from_row
from skyx_agent.values import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable

SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, submit_id TEXT NOT NULL UNIQUE, task_id TEXT NOT NULL, name TEXT,
    num_nodes INTEGER NOT NULL, accelerators TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
    submitted_at REAL NOT NULL, started_at REAL, ended_at REAL, exit_codes TEXT, placement TEXT NOT NULL,
    ending TEXT NOT NULL
);
CREATE INDEX active ON jobs(id) WHERE status IN ('PENDING', 'SETTING_UP', 'RUNNING');
CREATE TABLE specs (job_id INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_FIELDS = ", ".join(COLUMNS)
_SELECT = f"SELECT {_FIELDS} FROM jobs"  # noqa: S608 - constants of this file
_INSERT_WITH_ID = f"INSERT INTO jobs ({_FIELDS}) VALUES ({', '.join('?' * 14)})"  # noqa: S608
_UPDATE = f"UPDATE jobs SET {', '.join(f'{name} = ?' for name in COLUMNS[1:])} WHERE id = ?"  # noqa: S608


class BrokenStoreError(Exception):
    """The file is not a sound database of ours; it can be moved aside and made again from the job folders."""


class Store:
    """Raises ``AgentError`` (``store_too_new``, ``disk``) and, on opening only, ``BrokenStoreError``."""

    def __init__(self, path: str) -> None:
        existed = os.path.exists(path)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        self._db = sqlite3.connect(path, isolation_level=None, timeout=5.0)
        try:
            self._open(existed)
        except sqlite3.OperationalError as error:
            self._db.close()
            raise AgentError("disk", f"{path} can't be opened: {error}") from error
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise BrokenStoreError(str(error)) from error
        except (AgentError, BrokenStoreError):
            self._db.close()
            raise

    def _open(self, existed: bool) -> None:
        version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        if version > SCHEMA_VERSION:
            raise AgentError(
                "store_too_new",
                f"the job record was written by a newer release (schema {version}, this one knows {SCHEMA_VERSION})",
                "use the newer release of skyx; nothing was changed",
            )
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute("PRAGMA cache_size = -512")
        if existed:
            verdict = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
            if verdict != "ok" or version == 0:
                raise BrokenStoreError(str(verdict) if version else "it is empty")
        elif version == 0:
            self._db.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}PRAGMA user_version = {SCHEMA_VERSION};COMMIT;")

    def add(self, make: Callable[[int], tuple[Job, bytes | None]]) -> Job:
        """Give the next number to a job. ``make(number)`` writes its folder first; if it raises, nothing is kept.

        The bytes that ``make`` returns (a spec that isn't on the disk for sure) are kept here until the job ends.
        """
        self._execute("BEGIN IMMEDIATE")
        try:
            row = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'jobs'").fetchone()
            job, body = make((row[0] if row else 0) + 1)
            self._db.execute(_INSERT_WITH_ID, (job.id, *job.as_row()))
            if body is not None:
                self._db.execute("INSERT INTO specs VALUES (?, ?)", (job.id, body))
            self._db.execute("COMMIT")
        except BaseException as error:
            self._roll_back()
            if isinstance(error, sqlite3.Error):
                raise AgentError("disk", f"the job could not be recorded: {error}") from error
            raise
        return job

    def spec(self, job_id: int) -> bytes | None:
        row = self._db.execute("SELECT body FROM specs WHERE job_id = ?", (job_id,)).fetchone()
        return bytes(row[0]) if row else None

    def save(self, job: Job) -> None:
        """Record a job's new state; durable on return. When it has ended, its spec isn't needed any more."""
        if not job.terminal:
            self._execute(_UPDATE, (*job.as_row(), job.id))
            return
        try:
            self._execute("BEGIN IMMEDIATE")
            self._execute(_UPDATE, (*job.as_row(), job.id))
            self._execute("DELETE FROM specs WHERE job_id = ?", (job.id,))
            self._execute("COMMIT")
        except AgentError:
            self._roll_back()
            raise

    def restore(self, job: Job) -> None:
        """Put back a job read from its folder."""
        self._execute(_INSERT_WITH_ID, (job.id, *job.as_row()))

    def get(self, job_id: int) -> Job | None:
        return self._one(f"{_SELECT} WHERE id = ?", job_id) if abs(job_id) <= LARGEST else None

    def latest(self) -> Job | None:
        return self._one(f"{_SELECT} ORDER BY id DESC LIMIT 1")

    def by_submit_id(self, submit_id: str) -> Job | None:
        return self._one(f"{_SELECT} WHERE submit_id = ?", submit_id)

    def active(self) -> list[Job]:
        """The jobs that have not ended, oldest first."""
        return self._many(f"{_SELECT} WHERE status IN ('PENDING', 'SETTING_UP', 'RUNNING') ORDER BY id")

    def ended(self, since: int, limit: int) -> list[Job]:
        """The last ``limit`` jobs after number ``since`` that have ended, newest first."""
        return self._many(
            f"{_SELECT} WHERE id > ? AND status NOT IN ('PENDING', 'SETTING_UP', 'RUNNING') ORDER BY id DESC LIMIT ?",
            since,
            limit,
        )

    def counts(self) -> dict[str, int]:
        """Number of jobs per state, over the whole history: slow with many, asked once per start."""
        counted = dict.fromkeys(states.ALL, 0)
        counted.update(self._db.execute("SELECT status, COUNT(*) FROM jobs GROUP BY status").fetchall())
        return counted

    def meta(self, key: str) -> str:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def set_meta(self, key: str, value: str) -> None:
        self._execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value", (key, value)
        )

    def close(self) -> None:
        self._db.close()

    def _execute(self, statement: str, values: Iterable[object] = ()) -> None:
        try:
            self._db.execute(statement, tuple(values))
        except sqlite3.Error as error:
            raise AgentError("disk", f"the job record can't be written: {error}", "make room on the disk") from error

    def _roll_back(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def _one(self, query: str, *values: object) -> Job | None:
        row = self._db.execute(query, values).fetchone()
        return from_row(row) if row else None

    def _many(self, query: str, *values: object) -> list[Job]:
        return [from_row(row) for row in self._db.execute(query, values)]
