"""Where skyx keeps its things."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Dirs:
    """Five folders. Making one of these does no I/O; ``ensure`` makes a folder when it is first used.

    ``SKYX_HOME`` moves all of them; otherwise they are where the platform keeps such things.
    """

    config: Path
    state: Path
    cache: Path
    logs: Path
    data: Path

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Dirs:
        """By ``SKYX_HOME`` (``~`` is expanded, a relative path starts at the current directory)."""
        home = environ.get("SKYX_HOME")
        if home:
            return cls.under(_home(home))
        import platformdirs

        def place(kind: str) -> Path:
            found = {
                "config": platformdirs.user_config_path,
                "state": platformdirs.user_state_path,
                "cache": platformdirs.user_cache_path,
                "logs": platformdirs.user_log_path,
                "data": platformdirs.user_data_path,
            }[kind]
            return found("skyx", appauthor=False)

        for kind in ("config", "state", "cache", "logs", "data"):
            _check_text(str(place(kind)), "the home folder or an XDG_ variable")
        return cls(place("config"), place("state"), place("cache"), place("logs"), place("data"))

    @classmethod
    def under(cls, home: Path) -> Dirs:
        """All below one folder."""
        return cls(home, home / "state", home / "cache", home / "logs", home / "data")

    @property
    def state_db(self) -> Path:
        return self.state / "state.db"

    @property
    def locks(self) -> Path:
        return self.state / "locks"

    @property
    def settings_file(self) -> Path:
        return self.config / "config.yaml"

    @property
    def rules_file(self) -> Path:
        return self.config / "rules.yaml"

    @property
    def catalogues(self) -> Path:
        return self.data / "catalog"


def _home(text: str) -> Path:
    from pathlib import Path

    from skyx_core.errors import SettingsError

    try:
        home = Path(text).expanduser().absolute()
    except (RuntimeError, OSError) as error:
        raise SettingsError(
            "SKYX_HOME can't be used",
            where=f"SKYX_HOME={text}",
            why="the folder that it starts from can't be told (no such user, or no current directory)",
            hint="set SKYX_HOME to an absolute path",
        ) from error
    _check_text(str(home), "SKYX_HOME")
    return home


def _check_text(path: str, name: str) -> None:
    """Paths go into records and messages, which are UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError as error:
        from skyx_core.errors import SettingsError

        raise SettingsError(
            f"{name} can't be used",
            where=repr(path),
            why="the path holds bytes that are not UTF-8",
            hint="set SKYX_HOME to an absolute path of UTF-8 text",
        ) from error


def cache_folder(environ: Mapping[str, str]) -> str:
    """``Dirs.from_environ(environ).cache`` without loading what that takes: ``skyx --help`` needs no other folder."""
    if environ.get("SKYX_HOME") or not sys.platform.startswith("linux"):
        return str(Dirs.from_environ(environ).cache)
    chosen = environ.get("XDG_CACHE_HOME", "")
    base = chosen if os.path.isabs(chosen) else os.path.expanduser("~/.cache")
    return os.path.join(base, "skyx")


def ensure(directory: Path) -> Path:
    """Make ``directory`` and its missing parents, for the owner only (0700); what exists is left as it is.

    Safe to repeat and to race. Raises ``StateStoreError``.
    """
    try:
        _make(directory)
    except OSError as error:
        raise unusable(directory, error) from error
    return directory


def _make(directory: Path) -> None:
    if directory.is_dir():
        return
    if directory.parent != directory:
        _make(directory.parent)
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:
        if not directory.is_dir():
            raise


def unusable(path: Path, error: OSError) -> Exception:
    """What to tell about a folder or file of ours that can't be used."""
    from skyx_core.errors import StateStoreError

    reason = os.strerror(error.errno) if error.errno else str(error)
    return StateStoreError(
        "skyx's own files can't be used",
        where=str(path),
        why=reason.lower() if reason[:1].isupper() and not reason[1:2].isupper() else reason,
        hint="make that place readable and writable, free some space, or set SKYX_HOME to another folder",
    )
