"""Plugins in this process: listing, loading by name, and each of the ways in which that can fail."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from plugin_fixtures import SOURCES, plugins, uninstall
from skyx_core import loading
from skyx_core.errors import (
    PluginBrokenError,
    PluginConflictError,
    PluginError,
    PluginIncompatibleError,
    PluginNotInstalledError,
)

Install = Callable[..., Path]
EVERYTHING = sorted(path.name for path in SOURCES.iterdir() if path.name != "skyx-fakecloud")


def test_listing_shows_every_plugin_and_imports_none(installed: Install) -> None:

    site = installed(*EVERYTHING)
    rows = {(row.kind, row.name): row for row in plugins().list()}
    assert rows["cloud", "good"].status == "installed"
    assert (rows["cloud", "good"].distribution, rows["cloud", "good"].version) == ("skyx-good", "1.2.0")
    assert rows["cloud", "hanging"].status == "installed"
    assert rows["cloud", "twin"].status == "conflict"
    assert rows["cloud", "future"].status == "incompatible"
    assert {kind for kind, _ in rows} >= {"cloud", "executor", "rules", "kit", "command", "listener"}
    assert not [file.stem for file in site.glob("*.py") if file.stem in sys.modules]


def test_a_good_plugin_is_loaded_by_name(installed: Install) -> None:
    installed("skyx-good", "skyx-raising", "skyx-hanging")
    found = plugins()
    assert found.cloud_class("good").__name__ == "GoodCloud"
    assert found.executor_class("good").__name__ == "GoodExecutor"
    assert [rule.id for table in found.rules("good") for rule in table.rules] == ["good.full"]
    assert found.rules("a-cloud-without-rules") == ()
    assert found.where("cloud", "good") == "skyx-good 1.2.0"
    assert "skyx_raising" not in sys.modules


def test_a_loaded_plugin_is_found_again_without_looking(installed: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    installed("skyx-good")
    found = plugins()
    first = found.cloud_class("good")
    monkeypatch.setattr(found, "index", lambda: pytest.fail("looked"))
    assert found.cloud_class("good") is first


@pytest.mark.parametrize(
    ("distribution", "name", "why"),
    [
        ("skyx-raising", "raising", "ValueError: no luck today"),
        ("skyx-leaving", "exiting", "SystemExit: 3"),
        ("skyx-leaving", "interrupting", "KeyboardInterrupt"),
        ("skyx-leaving", "unprintable", "Unprintable: (its message can't be shown: RuntimeError)"),
        ("skyx-faulty", "notaclass", "an object of object"),
        ("skyx-faulty", "incomplete", "describe, find, inventory, locate, offers, provision, runner, teardown"),
        ("skyx-faulty", "misnamed", "its class says 'something-else'"),
        ("skyx-faulty", "unlinked", "link"),
        ("skyx-faulty", "nowhere", "AttributeError"),
        ("skyx-faulty", "needy", "it needs the module 'a_module_that_nobody_has', which is not installed"),
        ("skyx-faulty", "gone", "its module 'skyx_gone' is not there, though its distribution is installed"),
    ],
)
def test_a_broken_plugin_is_named_with_its_cause(
    installed: Install, tmp_path: Path, distribution: str, name: str, why: str
) -> None:
    installed("skyx-good", distribution)
    for found in (plugins(), plugins(index_dir=tmp_path / "index"), plugins(index_dir=tmp_path / "index")):
        with pytest.raises(PluginBrokenError) as caught:
            found.cloud_class(name)
        assert why in caught.value.why
        assert name in caught.value.what
        assert caught.value.plugin == name
        assert caught.value.distribution.startswith(distribution)
        assert caught.value.hint
        assert found.cloud_class("good")


def test_the_cause_of_a_broken_plugin_is_chained(installed: Install) -> None:
    installed("skyx-raising")
    with pytest.raises(PluginBrokenError) as caught:
        plugins().cloud_class("raising")
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_hanging_import_is_given_up_and_not_tried_again(installed: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    installed("skyx-hanging", "skyx-good")
    monkeypatch.setattr(loading, "IMPORT_LIMIT_S", 0.3)
    found = plugins()
    with pytest.raises(PluginBrokenError, match="did not end within") as caught:
        found.cloud_class("hanging")
    assert "SKYX_DISABLE_PLUGINS=hanging" in caught.value.hint
    start = time.monotonic()
    with pytest.raises(PluginBrokenError):
        found.cloud_class("hanging")
    assert time.monotonic() - start < 0.2
    assert found.cloud_class("good")


def test_the_limit_of_an_import_is_five_seconds() -> None:
    assert loading.IMPORT_LIMIT_S == 5.0


def test_bad_rules_are_a_broken_plugin(installed: Install) -> None:
    installed("skyx-good", "skyx-faulty")
    with pytest.raises(PluginBrokenError, match="returned str instead of ErrorRule"):
        plugins().rules("faulty")


def test_an_unknown_name_gets_the_nearest_or_the_line_to_install(installed: Install) -> None:
    installed("skyx-good")
    with pytest.raises(PluginNotInstalledError) as near:
        plugins().cloud_class("godo")
    assert near.value.hint == "did you mean 'good'?"
    with pytest.raises(PluginNotInstalledError) as known:
        plugins().cloud_class("aws")
    assert known.value.hint == "pip install 'skyx[aws]'"
    with pytest.raises(PluginNotInstalledError) as unknown:
        plugins().cloud_class("zzzzzz")
    assert "good" in unknown.value.hint
    assert unknown.value.exit_code == 2


def test_a_name_offered_twice_names_both_and_loads_neither(installed: Install) -> None:
    installed("skyx-twin-a", "skyx-good", "skyx-twin-b")
    with pytest.raises(PluginConflictError) as caught:
        plugins().cloud_class("twin")
    assert "skyx-twin-a 0.1.0" in caught.value.distribution
    assert "skyx-twin-b 0.2.0" in caught.value.distribution
    assert not {"skyx_twin_a", "skyx_twin_b"} & set(sys.modules)


def test_disabling_one_of_two_ends_the_conflict(installed: Install) -> None:
    installed("skyx-twin-a", "skyx-twin-b")
    with pytest.raises(PluginBrokenError, match="import of plugin 'twin'") as caught:
        plugins(disabled=["skyx_twin_b"]).cloud_class("twin")
    assert caught.value.distribution == "skyx-twin-a 0.1.0"


def test_a_plugin_of_another_range_is_refused_before_its_import(installed: Install) -> None:
    installed("skyx-future")
    with pytest.raises(PluginIncompatibleError, match=r"needs skyx-core>=5,<6") as caught:
        plugins().cloud_class("future")
    assert "skyx-future" in caught.value.hint
    assert "skyx_future" not in sys.modules


def test_another_api_version_is_refused(installed: Install) -> None:
    installed("skyx-good", "skyx-faulty")
    with pytest.raises(PluginIncompatibleError, match="speaks api_version 99, this skyx-core speaks 1"):
        plugins().cloud_class("otherapi")


@pytest.mark.parametrize("off", ["good", "skyx-good", "Skyx_Good"])
def test_a_disabled_plugin_is_listed_and_not_loaded(installed: Install, off: str) -> None:
    installed("skyx-good")
    found = plugins(disabled=[off])
    assert {row.status for row in found.list() if row.distribution == "skyx-good"} == {"disabled"}
    assert "good" not in found.names("cloud")
    with pytest.raises(PluginError, match="is disabled"):
        found.cloud_class("good")
    assert "skyx_good" not in sys.modules


def test_without_scanning_only_what_is_named_is_loaded(installed: Install) -> None:
    installed("skyx-good", "skyx-listeners", "skyx-commands")
    found = plugins(scan=False)
    assert found.names("listener") == found.names("command") == []
    assert found.cloud_class("good")
    assert {row.status for row in found.list() if row.kind in ("listener", "command")} == {"disabled"}


def test_what_a_program_passes_in_goes_before_what_is_installed(installed: Install) -> None:
    installed("skyx-good")
    own = type("Own", (plugins().cloud_class("good"),), {})
    found = plugins(extra=[("cloud", "good", own)])
    assert found.cloud_class("good") is own
    assert found.where("cloud", "good") == ""
    assert [row.distribution for row in found.list() if (row.kind, row.name) == ("cloud", "good")] == [""]
    with pytest.raises(PluginBrokenError):
        plugins(extra=[("cloud", "good", object())]).cloud_class("good")


def test_commands_and_kits_are_loaded_by_name(installed: Install) -> None:
    site = installed("skyx-good", "skyx-commands")
    found = plugins()
    assert {"badcommand", "hello"} <= {*found.names("command")}
    assert getattr(found.command("hello"), "name", None) == "hello"
    assert found.kit("good") == site
    with pytest.raises(PluginBrokenError, match="badcommand"):
        found.command("badcommand")


def test_a_plugin_is_gone_right_after_its_removal(installed: Install, tmp_path: Path) -> None:
    site = installed("skyx-good")
    for _ in range(5):
        assert "good" in plugins(index_dir=tmp_path / "index").names("cloud")
        uninstall("skyx-good", site)
        assert "good" not in plugins(index_dir=tmp_path / "index").names("cloud")
        installed("skyx-good")
