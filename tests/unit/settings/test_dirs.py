"""Where skyx keeps its things."""

import os

from skyx_core.dirs import Dirs, cache_folder


def test_the_quick_way_to_the_cache_agrees_with_the_platform(monkeypatch, tmp_path):
    for value in (None, "", str(tmp_path), "relative/path", f"  {tmp_path}  "):
        if value is None:
            monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        else:
            monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert cache_folder(os.environ) == str(Dirs.from_environ(os.environ).cache), value
    monkeypatch.setenv("SKYX_HOME", str(tmp_path / "home"))
    assert cache_folder(os.environ) == str(tmp_path / "home" / "cache")
