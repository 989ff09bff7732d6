"""From what SQLite raised to what the user is told."""

from __future__ import annotations

import shlex
import sqlite3
from pathlib import Path

from skyx_core.errors import StateStoreError

_SPACE = "free some space there (nothing that was recorded is lost), then repeat the command"
_PLACE = "make that folder and file readable and writable, or set SKYX_HOME to another folder"


def is_damage(error: BaseException) -> bool:
    """Whether the file's content is wrong, not just the moment or the place."""
    if isinstance(error, UnicodeDecodeError):  # SQLite's own message quotes the damaged bytes
        return True
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT", "SQLITE_IOERR_SHORT_READ")):
        return True
    text = str(error)
    return isinstance(error, sqlite3.Error) and (
        "no such table" in text or "no such column" in text or "UTF-8" in text or "malformed" in text
    )


def is_busy(error: sqlite3.Error) -> bool:
    return (getattr(error, "sqlite_errorname", "") or "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def is_unwritable(error: sqlite3.Error) -> bool:
    name = getattr(error, "sqlite_errorname", "") or ""
    return name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM"))


def store_error(path: Path, error: BaseException) -> StateStoreError:
    """One clear error for anything that SQLite or the file system raised about ``path``."""
    if isinstance(error, OSError):
        from skyx_core.dirs import unusable

        shown = unusable(path, error)
        return shown if isinstance(shown, StateStoreError) else StateStoreError(str(shown))
    if is_damage(error):
        return damaged(path, str(error))
    name = getattr(error, "sqlite_errorname", "") or ""
    if isinstance(error, sqlite3.Error) and is_busy(error):
        return StateStoreError(
            "the record of clusters is in use by other commands",
            where=str(path),
            why="none of them let go of it for 30 s",
            hint="repeat the command; if this stays, look for a skyx process that hangs",
        )
    if name.startswith("SQLITE_FULL"):
        return StateStoreError(
            "the record of clusters can't be written", where=str(path), why="no space left", hint=_SPACE
        )
    if isinstance(error, sqlite3.Error) and is_unwritable(error):
        return StateStoreError(
            "the record of clusters can't be opened or written", where=str(path), why=str(error), hint=_PLACE
        )
    hint = _SPACE if name.startswith("SQLITE_IOERR") else _PLACE
    return StateStoreError(
        "the record of clusters can't be read or written", where=str(path), why=str(error) or repr(error), hint=hint
    )


def damaged(path: Path, why: str) -> StateStoreError:
    """Names what can still be read, and the command that saves it. Reads the file; never raises."""
    from skyx_core.state.salvage import readable_names

    names = readable_names(path)
    listed = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    left = f"{len(names)} clusters can still be read: {listed}" if names else "no cluster can be read from it"
    return StateStoreError(
        "the record of clusters is damaged",
        where=str(path),
        why=f"{why}; {left}",
        hint=f"'python -m skyx_core.state.salvage {shlex.quote(str(path))}' saves what can be read into a new file "
        "and keeps the broken one beside it",
    )
