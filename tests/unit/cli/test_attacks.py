"""What a hostile or broken surrounding hands to the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli_fakes import FakeSession, cluster, job, skyx
from skyx_core.cli.main import _line
from skyx_core.errors import SkyxError
from skyx_core.results import LifecycleResult

BYTES = "caf\udce9"
MAIN = "import sys; from skyx_core.cli.main import main; sys.exit(main())"


def process(*args: str | bytes, shell: str = "", **env: str) -> subprocess.CompletedProcess[bytes]:
    command: list[str | bytes] = [sys.executable, "-c", MAIN, *args]
    if shell:
        command = ["/bin/sh", "-c", f'exec "$@" {shell}', "sh", *command]
    return subprocess.run(command, capture_output=True, timeout=30, check=False, env={**os.environ, **env})


def test_ctrl_c_while_the_program_loads_is_one_line(tmp_path: Path) -> None:
    code = "import os, signal, sys\nfrom skyx_core.cli import main\n"
    code += "class Finder:\n    def find_spec(self, name, path=None, target=None):\n"
    code += "        if name == MODULE: os.kill(os.getpid(), signal.SIGINT)\n"
    code += "sys.meta_path.insert(0, Finder())\nsys.exit(main.main(['--no-plugins', 'plan', 'true']))"
    for module in ("click", "skyx_core.cli.app", "skyx_core.cli.commands.plan", "pydantic"):
        done = subprocess.run(
            [sys.executable, "-c", f"MODULE = {module!r}\n{code}"],
            capture_output=True,
            timeout=30,
            check=False,
            env={**os.environ, "SKYX_HOME": str(tmp_path)},
        )
        assert (done.returncode, done.stdout) == (130, b""), (module, done.stderr)
        assert done.stderr.count(b"\n") == 1, (module, done.stderr)
        assert b"interrupted" in done.stderr


def test_an_ignored_ctrl_c_stays_ignored(tmp_path: Path) -> None:
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN)\nfrom skyx_core.cli.main import main\n"
    code += "main(['--version']); sys.exit(signal.getsignal(signal.SIGINT) is not signal.SIG_IGN)"
    assert subprocess.run([sys.executable, "-c", code], timeout=30, check=False).returncode == 0
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@pytest.mark.parametrize("output", ["text", "json"])
def test_what_a_purge_may_leave_is_said_and_ends_with_7(output: str) -> None:
    left = LifecycleResult("a", None, ["disk-1 in north"])
    result = skyx("down", "a", "--purge", "-y", "-o", output, session=FakeSession(lifecycle={"a": left}))
    assert result.code == 7
    assert "disk-1 in north" in result.err


@pytest.mark.parametrize(
    "args",
    [
        ["status", BYTES],
        ["down", "-y", BYTES],
        ["queue", BYTES],
        ["exec", BYTES, "true"],
        ["launch", "-y", "-c", BYTES, "true"],
        ["launch", "-y", "--name", BYTES, "true"],
        ["launch", "-y", "--infra", BYTES, "true"],
        ["launch", "-y", "-e", f"A={BYTES}", "true"],
    ],
)
def test_arguments_that_are_not_text_are_refused(args: list[str]) -> None:
    session = FakeSession()
    result = skyx(*args, "-o", "json", session=session)
    assert result.code == 2
    assert "UTF-8" in result.error["what"]
    assert session.calls == []


@pytest.mark.parametrize("value", ["~no-such-user-here/x", os.fsdecode(b"/tmp/\xff")])
def test_a_home_that_cannot_be_used_is_one_error(value: str) -> None:
    done = process("status", SKYX_HOME=value)
    assert done.returncode == 2
    assert b"SKYX_HOME" in done.stderr
    assert b"Unexpected" not in done.stderr
    assert done.stdout == b""


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "-1", "1e400", "soon"])
def test_only_a_finite_wait(seconds: str) -> None:
    session = FakeSession()
    assert skyx("stop", "a", "-y", f"--wait={seconds}", session=session).code == 2
    assert session.calls == []


EVIL = "x\x1b]0;title\x07\x1b[31m\r\x9b2J\u202e"


@pytest.mark.parametrize("tty", [False, True])
def test_control_characters_of_others_are_shown_not_obeyed(tty: bool) -> None:
    session = FakeSession(jobs=[job(name=EVIL, reason=EVIL)], clusters=[cluster(head=EVIL)])
    broken = FakeSession(raises=SkyxError(EVIL, where=EVIL, why=EVIL, hint=EVIL))
    shown = [skyx("queue", "a", session=session, tty=tty), skyx("status", session=session, tty=tty)]
    shown.append(skyx("queue", "a", session=broken, tty=tty))
    for result in shown:
        text = str(result.out)
        assert not set(text + result.err) & set("\x1b\x07\r\x9b\u202e")
        assert "\\u001b]0;title" in (text + result.err)


def test_json_of_control_characters_means_the_same() -> None:
    result = skyx("queue", "a", "-o", "json", session=FakeSession(jobs=[job(name=EVIL)]))
    assert result.json[0]["name"] == EVIL
    assert "\x9b" not in str(result.out)


@pytest.mark.parametrize(
    "words",
    [
        "-eV=hidden",
        "-e V=hidden",
        "--env V=hidden",
        "--env=V=hidden",
        "-yeV=hidden",
        "-ye V=hidden",
        "--secret=V=hidden",
        "--secret V=hidden",
        "-e=V=hidden",
        "-dyeV=hidden=x",
    ],
)
def test_values_of_variables_never_come_into_the_record_of_a_command(words: str) -> None:
    line = _line(["launch", *words.split(), "true"])
    assert "hidden" not in line
    assert "true" in line


def test_a_full_stdout_is_one_clear_error() -> None:
    for args in (["--help"], ["--version"]):
        done = process(*args, shell=">/dev/full")
        assert done.returncode == 1
        assert b"No space left" in done.stderr
        assert b"Unexpected" not in done.stderr


def test_data_for_a_closed_stdout_does_not_come_out_elsewhere(tmp_path: Path) -> None:
    for shell in (">&-", "<&- >&-", ">&- 2>&-"):
        done = process("schema", shell=shell, SKYX_HOME=str(tmp_path))
        assert done.returncode == 1
        assert b"properties" not in done.stderr + done.stdout


def test_logs_go_only_where_files_can_be() -> None:
    result = skyx("logs", "a", "1", "--download", "/dev/null/x", "-o", "json")
    assert result.code == 2
    assert "folder" in result.error["hint"]


def test_a_rank_that_is_not_there_is_named_with_those_that_are() -> None:
    result = skyx("logs", "a", "--rank", "99")
    assert result.code == 2
    assert "rank 0 only" in result.err
    assert skyx("logs", "a", "--rank", "3", session=FakeSession(jobs=[job(num_nodes=3)])).err.count("ranks 0 to 2") == 1


@pytest.mark.parametrize("verb", [["launch", "true"], ["start", "a"], ["autostop", "a"]])
def test_a_number_beyond_all_bounds_is_one_short_error(verb: list[str]) -> None:
    result = skyx(*verb, "-y", "-i", "9" * 400, "-o", "json")
    assert result.code == 2
    assert "400 characters" in result.error["what"]
    assert len(json.dumps(result.error)) < 600


def test_no_nodes_at_all() -> None:
    result = skyx("launch", "-y", "--num-nodes", "0", "true")
    assert result.code == 2
    assert "0 is not a whole number from 1 to 100000" in result.err
