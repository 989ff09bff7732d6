"""The real program as a process: start-up, stdout by descriptor, Ctrl-C, plugins' commands."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
HEAVY = {
    "pydantic",
    "rich",
    "yaml",
    "stevedore",
    "pluggy",
    "importlib.metadata",
    "sqlite3",
    "paramiko",
    "shutil",
    "pathlib",
}

FAKE = """
import os, sys, threading, time
from cli_fakes import FakeSession
from skyx_core.cli import app, main
from skyx_core.errors import InterruptedBySignal
def make(**kw):
    return session(**kw)
session = FakeSession(events=[])
app.App.__init__.__kwdefaults__["make_session"] = make
"""


def start(code: str, *args: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(TESTS), *sys.path])
    return subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths, **(env or {})},
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    return process.returncode, out, err


def run(code: str, *args: str, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    return finish(start(code, *args, env=env))


MODULES = """
import sys
from skyx_core.cli.main import main
code = main()
print("MODULES", *sys.modules, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["lanch"]])
def test_the_first_answers_need_nothing_heavy(args: list[str], tmp_path: Path) -> None:
    env = {"SKYX_HOME": str(tmp_path / "home"), "NO_COLOR": "1"}
    if args != ["--version"]:
        args = ["--no-plugins", *args]  # the index of plugins has its own tests
    _, _, err = run(MODULES, *args, env=env)
    loaded = set(err.rpartition("MODULES ")[2].split())
    assert "skyx_core.cli.main" in loaded
    assert loaded & HEAVY == set()
    assert not {name for name in loaded if name.startswith("skyx_core.cli.commands.")}
    if args == ["--version"]:
        assert "click" not in loaded


def test_names_of_plugins_commands_come_from_the_index_file_once_it_is_there(tmp_path: Path) -> None:
    env = {"SKYX_HOME": str(tmp_path / "home")}
    for _ in range(3):  # a folder changed just now isn't trusted yet
        _, _, err = run(MODULES, "--help", env=env)
        if "importlib.metadata" not in err.rpartition("MODULES ")[2].split():
            return
        time.sleep(0.1)
    pytest.fail("each run reads the metadata of all distributions")


def test_help_lists_every_command_on_stdout() -> None:
    code, out, err = run("from skyx_core.cli.main import main; raise SystemExit(main())", "--no-plugins", "--help")
    assert (code, err) == (0, "")
    for name in ("launch", "exec", "show-gpus", "completion"):
        assert f"\n  {name} " in out


def test_version() -> None:
    import tomllib

    code, out, _ = run("from skyx_core.cli.main import main; raise SystemExit(main())", "--version")
    project = tomllib.loads((TESTS.parent / "skyx_core" / "pyproject.toml").read_text())["project"]
    assert (code, out) == (0, f"skyx {project['version']}\n")


def test_stdout_holds_data_only_whatever_else_prints() -> None:
    code = FAKE + (
        "def chat(s):\n"
        "    print('printed'); sys.__stdout__.write('dunder\\n'); os.write(1, b'raw\\n')\n"
        "    os.system('echo child')\n"
        "session.on_launch = chat\n"
        "sys.exit(main.main())"
    )
    status, out, err = run(code, "launch", "-y", "-d", "-o", "json", "true")
    assert status == 0, err
    assert out.startswith('{"cluster"')
    assert len(out.splitlines()) == 1
    for word in ("printed", "dunder", "raw", "child"):
        assert word in err


def test_a_closed_stdout_is_quiet() -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.run(
        [sys.executable, "-c", "from skyx_core.cli.main import main; raise SystemExit(main(['--help']))"],
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=30,
        check=False,
    )
    os.close(write)
    assert process.stderr == b""
    assert process.returncode == 141


def wait_for(process: subprocess.Popen[str], text: str) -> float:
    """Seconds until a line with this text is on stderr."""
    assert process.stderr is not None
    begin = time.monotonic()
    while True:
        line = process.stderr.readline()
        assert line, f"ended without {text!r}"
        if text in line:
            return time.monotonic() - begin


OBEYS = """
def work(s):
    print("READY", file=sys.stderr, flush=True)
    while not any(name == "interrupt" for name, _ in s.calls):
        time.sleep(0.01)
    raise InterruptedBySignal("The launch was interrupted", why="nothing is left")
session.on_launch = work
sys.exit(main.main())
"""
HANGS = """
def work(s):
    print("READY", file=sys.stderr, flush=True)
    time.sleep(60)
session.on_launch = work
sys.exit(main.main())
"""


def test_the_first_ctrl_c_is_acknowledged_and_cleans_up() -> None:
    process = start(FAKE + OBEYS, "launch", "-y", "true")
    wait_for(process, "READY")
    process.send_signal(signal.SIGINT)
    assert wait_for(process, "interrupted") < 2
    code, out, err = finish(process)
    assert (code, out) == (130, "")
    assert "nothing is left" in err


def test_the_second_ctrl_c_ends_at_once_even_if_a_driver_hangs() -> None:
    process = start(FAKE + HANGS, "launch", "-y", "true")
    wait_for(process, "READY")
    process.send_signal(signal.SIGINT)
    assert wait_for(process, "interrupted") < 2
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert time.monotonic() - begin < 2
    assert code == 130
    assert "skyx status --refresh" in err


COMPLETE = "from skyx_core.cli.main import main; raise SystemExit(main())"


def complete(words: str, number: int, env: dict[str, str] | None = None, code: str = COMPLETE) -> list[str]:
    variables = {"_SKYX_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(number), **(env or {})}
    _, out, _ = run(code, env=variables)
    return [line.partition(",")[2] for line in out.splitlines() if line]


def test_completion_knows_commands_flags_and_clusters(tmp_path: Path) -> None:
    env = {"SKYX_HOME": str(tmp_path)}
    assert complete("skyx stat", 1, env) == ["status"]
    assert "--refresh" in complete("skyx status --re", 2, env)
    assert complete("skyx down x", 2, env) == []
    code = FAKE + "sys.exit(main.main())"
    assert complete("skyx down ", 2, env, code) == ["a"]
