"""Where things are kept."""

import subprocess
import sys
from pathlib import Path

import pytest

from skyx_core.dirs import Dirs, ensure
from skyx_core.errors import StateStoreError


def test_home_moves_all_of_it(tmp_path):
    home = tmp_path / "h"
    dirs = Dirs.from_environ({"SKYX_HOME": str(home)})
    assert dirs == Dirs(home, home / "state", home / "cache", home / "logs", home / "data")
    assert (dirs.state_db, dirs.locks) == (home / "state" / "state.db", home / "state" / "locks")
    assert dirs.settings_file == home / "config.yaml"
    assert not home.exists()


def test_a_relative_home_starts_here_and_a_tilde_is_the_users(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/someone")
    assert Dirs.from_environ({"SKYX_HOME": "h"}).config == tmp_path / "h"
    assert Dirs.from_environ({"SKYX_HOME": "~/h"}).config == Path("/home/someone/h")


def test_without_home_they_are_apart_and_where_the_platform_keeps_them():
    dirs = Dirs.from_environ({"SKYX_HOME": ""})
    places = {dirs.config, dirs.state, dirs.cache, dirs.logs, dirs.data}
    assert len(places) >= 4
    assert all("skyx" in str(place) for place in places)


def test_folders_are_made_for_the_owner_only(tmp_path):
    made = ensure(tmp_path / "a" / "b")
    assert made.stat().st_mode & 0o777 == 0o700
    assert made.parent.stat().st_mode & 0o777 == 0o700
    assert ensure(made) == made


def test_what_cannot_be_made_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StateStoreError, match="can't be used") as caught:
            ensure(place)
        assert "SKYX_HOME" in caught.value.hint


def test_settings_dirs_and_store_stay_light():
    code = (
        "import sys; from pathlib import Path; from skyx_core.dirs import Dirs;"
        "from skyx_core.settings import Settings;"
        "from skyx_core.state.store import Store; from skyx_core.clock import SystemClock;"
        "d = Dirs.from_environ({'SKYX_HOME': '/nonexistent/skyx'}); Settings.load(d, {}, Path('/nonexistent'));"
        "s = Store(d.state_db, SystemClock()); s.infos(); s.infos_json();"
        "print([m for m in ('pydantic', 'yaml', 'rich', 'platformdirs', 'importlib.metadata') if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", _with_path(code)], check=False, capture_output=True, text=True, timeout=30
    )
    assert (run.stdout.strip(), run.stderr) == ("[]", "")


def _with_path(code: str) -> str:
    return f"import sys; sys.path[:0] = {[each for each in sys.path if each]!r}; {code}"
