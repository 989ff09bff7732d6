"""Making, opening and migrating the state file itself."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from skyx_core.errors import StateStoreError, StateTooNewError
from skyx_core.state.migrations import Migration
from skyx_core.state.sqlite_errors import damaged

_BUSY_STEP_S = 1.0  # SQLite waits this long inside one call, during which Ctrl-C is not seen


def connect(path: Path, query: str) -> sqlite3.Connection:
    """Opens what exists (``mode=rw`` never makes a file). Transactions are begun by hand."""
    return sqlite3.connect(
        f"{path.as_uri()}?{query}", uri=True, isolation_level=None, timeout=_BUSY_STEP_S, check_same_thread=False
    )


def refuse_odd_files(path: Path) -> None:
    """An emptied file, or a journal without its file, is damage: SQLite would take it for a new database."""
    if path.with_name(f"{path.name}-wal").exists() and not path.exists():  # in this order: the file is made first
        raise damaged(path, "the file is gone, and its journal (-wal) is still there")
    if path.exists() and not path.is_file():
        raise StateStoreError("the record of clusters is not a file", where=str(path), hint="move it away")
    if path.exists() and path.stat().st_size == 0:
        raise damaged(path, "the file is empty")


def create(path: Path, migrations: Sequence[Migration]) -> None:
    """Make it whole beside its place, then link it there: no process ever sees half of one. Safe to race."""
    part = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}.part")
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        con = connect(part, "mode=rw")
        try:
            con.execute("PRAGMA journal_mode=WAL")
            _run(con, 0, migrations)
        finally:
            con.close()
        _link(part, path)
    finally:
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                os.unlink(f"{part}{suffix}")
    _sync_directory(path.parent)


def _link(part: Path, path: Path) -> None:
    try:
        os.link(part, path)
    except FileExistsError:
        return  # another process was first
    except OSError:  # a file system without hard links
        if not path.exists():
            part.replace(path)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some file systems refuse it
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def migrate(con: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    """Bring it to the newest version, all steps in one transaction; what was there before is kept as a backup.

    Safe to race. A newer one is refused unchanged (``StateTooNewError``).
    """
    version = _version(con)
    if version == len(migrations):
        return
    if version > len(migrations):
        raise StateTooNewError(
            "the record of clusters was written by a newer skyx",
            where=str(path),
            why=f"it has version {version}, and this release knows versions up to {len(migrations)}",
            hint="upgrade skyx ('pip install -U skyx'), or set SKYX_HOME to another folder; nothing was changed",
        )
    if version == 0:
        raise damaged(path, "it is not a state file of skyx")
    backup = _back_up(con, path, version)
    try:
        _run(con, version, migrations)
    except sqlite3.Error as error:
        raise StateStoreError(
            f"the record of clusters could not be brought from version {version} to {len(migrations)}",
            where=str(path),
            why=str(error),
            hint=f"nothing was changed, and a copy is in {backup}; please report this",
        ) from error


def _version(con: sqlite3.Connection) -> int:
    return int(con.execute("PRAGMA user_version").fetchone()[0])


def _run(con: sqlite3.Connection, known: int, migrations: Sequence[Migration]) -> None:
    con.execute("BEGIN IMMEDIATE")
    try:
        version = _version(con)  # another process may have done it meanwhile
        if version == known:
            for step in migrations[version:]:
                for statement in step:
                    con.execute(statement)
            con.execute(f"PRAGMA user_version={len(migrations):d}")
        con.execute("COMMIT")
    finally:
        if con.in_transaction:
            con.execute("ROLLBACK")


def _back_up(con: sqlite3.Connection, path: Path, version: int) -> Path:
    kept = path.with_name(f"{path.name}.v{version}.bak")
    part = path.with_name(f"{kept.name}.{os.getpid()}.part")
    os.close(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
    target = sqlite3.connect(part)
    try:
        con.backup(target)
        same = _version(target) == version
    finally:
        target.close()
    if same:
        part.replace(kept)
    else:  # another process migrated between the two looks, and made the backup
        part.unlink()
    return kept
