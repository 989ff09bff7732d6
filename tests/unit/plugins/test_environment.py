"""Plugins in an environment of their own: what only shows in a fresh process, and with stevedore's cache on."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from plugin_fixtures import Environment, build_wheel, environment, install

HEAD = """
import sys
from pathlib import Path
from skyx_core.calls import Caller
from skyx_core.clock import SystemClock
from skyx_core.discovery import Plugins
from skyx_core.errors import SkyxError
plugins = Plugins(caller=Caller(SystemClock()), index_dir=Path("index"))
"""
TRY = """
try:
    print(plugins.cloud_class(sys.argv[1]).__module__)
except SkyxError as error:
    print(type(error).__name__)
"""


@pytest.fixture(scope="module")
def env() -> Iterator[Environment]:
    names = ["skyx-good", "skyx-raising", "skyx-hanging", "skyx-leaving", "skyx-printing", "skyx-twin-a"]
    with environment(*names, "skyx-twin-b", "skyx-future", "skyx-faulty") as made:
        yield made


def load(env: Environment, name: str) -> str:
    result = env.run("-P", "-c", HEAD + TRY, name)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_the_cache_of_stevedore_is_on_here(env: Environment) -> None:
    code = "from stevedore import _cache; print(_cache._c._disable_caching, _cache._get_cache_dir())"
    off, folder = env.run("-c", code).stdout.split()
    assert off == "False"
    assert folder.startswith(str(env.root))


def test_pip_install_and_uninstall_show_at_once(tmp_path: Path) -> None:
    def pip(*arguments: str) -> None:
        argv = [sys.executable, "-m", "pip", "--python", made.python, "--disable-pip-version-check", *arguments]
        subprocess.run(argv, check=True, capture_output=True, timeout=60, env=made.environ())

    def stevedore_looks() -> None:
        made.run("-c", "from stevedore import ExtensionManager as E; E('skyx.clouds', on_load_failure_callback=print)")

    wheel = str(build_wheel("skyx-good", tmp_path))
    with environment() as made:
        stevedore_looks()  # so that its cache holds what was true before
        assert load(made, "good") == "PluginNotInstalledError"
        pip("install", "--no-deps", "--no-index", wheel)
        assert load(made, "good") == "skyx_good"
        stevedore_looks()
        pip("uninstall", "-y", "skyx-good")
        assert load(made, "good") == "PluginNotInstalledError"


def test_an_editable_install_is_found(tmp_path: Path) -> None:
    with environment() as made:
        source = made.root / "source"
        install("skyx-good", source)
        assert load(made, "good") == "PluginNotInstalledError"
        (made.site / "good.pth").write_text(f"{source}\n")
        assert load(made, "good") == "skyx_good"
        (made.site / "good.pth").unlink()
        assert load(made, "good") == "PluginNotInstalledError"


def test_a_look_up_with_a_fresh_index_needs_neither_metadata_nor_stevedore(env: Environment) -> None:
    time.sleep(0.06)  # until the last change can be told apart from a next one
    seen = "print([m for m in ('importlib.metadata', 'stevedore', 'pluggy', 'rich', 'yaml') if m in sys.modules])"
    load(env, "twin")
    names = env.run("-P", "-c", HEAD + "print(plugins.names('cloud'))\n" + seen)
    assert names.stdout.splitlines()[-1] == "[]", names
    assert "good" in names.stdout


def test_a_hanging_driver_holds_up_neither_others_nor_the_end(env: Environment) -> None:
    code = (
        """
from skyx_core import loading
from skyx_core.api import Category, Inventory, JobReceipt, Offer  # the time to load pydantic is not the plugin's
loading.IMPORT_LIMIT_S = 2.0
"""
        + TRY
    )
    start = time.monotonic()
    result = env.run("-c", HEAD + code + "print(plugins.cloud_class('good').__module__)", "hanging")
    assert result.stdout.split() == ["PluginBrokenError", "skyx_good"], result.stderr
    assert time.monotonic() - start < 30


def test_what_a_plugin_prints_stays_out_of_stdout(env: Environment) -> None:
    code = """
from skyx_core.stdout_guard import guard_stdout
with guard_stdout() as out:
    out.write(plugins.cloud_class("printing").name)
"""
    result = env.run("-c", HEAD + code)
    assert result.stdout == "printing"
    assert result.stderr.split("\n")[:3] == ["printed at import", "written at import", "echoed at import"]


def test_checking_loads_each_plugin_in_a_process_of_its_own(env: Environment) -> None:
    code = """
import json
from skyx_core import plugins_report
from skyx_core.results import to_json
rows = plugins_report.check(plugins)
assert not [m for m in sys.modules if m.startswith("skyx_") and not m.startswith("skyx_core")]
print(json.dumps([to_json(row) for row in rows]))
"""
    rows = {(row["kind"], row["name"]): row for row in json.loads(env.run("-c", HEAD + code).stdout)}
    good = rows["cloud", "good"]
    assert (good["status"], good["api_version"], good["error"]) == ("ok", 1, None)
    assert good["load_ms"] > 0
    assert rows["cloud", "printing"]["status"] == "ok"
    expected = {"raising": "broken", "hanging": "broken", "exiting": "broken", "interrupting": "broken"}
    expected |= {"twin": "conflict", "future": "incompatible", "otherapi": "incompatible", "needy": "broken"}
    assert {name: rows["cloud", name]["status"] for name in expected} == expected
    assert "no luck today" in rows["cloud", "raising"]["error"]
    assert re.search(r"did not (end|load) within (5|10) s", rows["cloud", "hanging"]["error"])


def test_ctrl_c_is_acknowledged_while_a_driver_hangs(env: Environment) -> None:
    code = """
import _thread, threading, time
from skyx_core.calls import Caller
from skyx_core.clock import SystemClock
import os, signal
threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
start = time.monotonic()
try:
    Caller(SystemClock()).call(time.sleep, 600, limit=600, what="provision", plugin="x")
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 2)
"""
    assert env.run("-c", code, timeout=20).stdout == "interrupted True\n"
