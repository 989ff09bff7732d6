"""The agent as it is shipped: one file, an old Python, nothing but the standard library, little memory."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import zipapp
from pathlib import Path

import pytest

from unit.agent.client import PACKAGE, PYTHON, Head, eventually, lives

SOURCES = sorted(PACKAGE.glob("*.py"))


def _archive(target: Path, version: str = "") -> Path:
    """The package as a zip application; ``version`` pretends to be another release."""
    tree = target.with_suffix(".tree")
    shutil.copytree(PACKAGE, tree / "skyx_agent", ignore=shutil.ignore_patterns("__pycache__"))
    if version:
        init = tree / "skyx_agent/__init__.py"
        text = init.read_text()
        init.write_text(text[: text.index("VERSION")] + f'VERSION = "{version}"\n')
    main = "import sys\nfrom skyx_agent.main import main\nraise SystemExit(main(sys.argv[1:]))\n"
    (tree / "__main__.py").write_text(main)
    zipapp.create_archive(tree, target)
    return target


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.stem))
def test_sources_need_python_3_8_and_the_standard_library_only(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 8))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            top = name.partition(".")[0]
            assert top == "skyx_agent" or top in sys.stdlib_module_names, name


@pytest.mark.parametrize("minor", [8, 13])
def test_it_runs_on_other_pythons(head: Head, minor: int) -> None:
    found = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python3")) + [
        Path(folder) / f"python3.{minor}" for folder in ("/usr/bin", "/usr/local/bin")
    ]
    python = next((path for path in found if path.exists()), None)
    if python is None:
        pytest.skip(f"no Python 3.{minor} on this machine")
    head.serve([str(python), "-S", "-E", str(_archive(head.root / "a.pyz"))])
    client = head.client()
    client.ask("configure", cluster=head.cluster(2))
    job = client.submit("echo hi", num_nodes=2, setup="true", secrets={"A": "b"})
    assert client.wait(job)["status"] == "SUCCEEDED"
    running = client.submit("while [ ! -e ~/go ]; do sleep 0.02; done; exit 6")
    eventually(lambda: client.ask("status")["jobs"]["RUNNING"] == 1)
    client = head.reconnect(head.kill_agent())
    (head.root / "home0/go").touch()
    assert client.wait(running)["exit_codes"] == [6]


def test_as_a_module(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    argv = [sys.executable, "-m", "skyx_agent", "version"]
    assert subprocess.run(argv, capture_output=True, text=True, env=env, check=True).stdout.strip()
    done = subprocess.run([*argv[:3], "serve"], capture_output=True, text=True, env=env, check=False)
    assert (done.returncode, done.stderr[:6]) == (2, "usage:")


def test_a_new_release_takes_over_without_ending_what_runs(head: Head) -> None:
    client = head.up()
    first = dict(head.info)
    job = client.submit("(setsid sleep 300 &) ; while [ ! -e ~/go ]; do sleep 0.02; done; exit 8")
    eventually(lambda: client.ask("status")["jobs"]["RUNNING"] == 1)
    second = head.serve([*PYTHON, str(_archive(head.root / "b.pyz", "9.9.9"))])
    assert second["version"] == "9.9.9"
    assert second["supervisor_pid"] == first["supervisor_pid"]
    assert not lives(first["pid"])
    (head.root / "home0/go").touch()
    client = head.client()
    assert client.wait(job)["exit_codes"] == [8]


def test_an_idle_agent_and_its_supervisor_need_little_memory(head: Head) -> None:
    client = head.up()
    client.wait(client.submit("true"))
    total = 0
    for key in ("pid", "supervisor_pid"):
        status = Path(f"/proc/{head.info[key]}/status").read_text()
        total += int(status.split("VmRSS:")[1].split()[0])
    assert total < 30 * 1024


def test_an_idle_agent_sleeps(head: Head) -> None:
    client = head.up()
    client.wait(client.submit("true"))

    def switches() -> int:
        status = Path(f"/proc/{head.info['pid']}/status").read_text()
        return int(status.split("voluntary_ctxt_switches:")[1].split()[0])

    eventually(lambda: False, 0.3)
    before = switches()
    eventually(lambda: False, 1.0)
    assert switches() - before <= 2


def test_many_starts_at_once_make_one_agent(head: Head) -> None:
    argv = [*PYTHON, str(PACKAGE), "serve", "--dir", str(head.dir)]
    starts = [subprocess.Popen(argv, env=head.env, stdout=subprocess.PIPE) for _ in range(4)]
    lines = [start.communicate(timeout=30)[0] for start in starts]
    head.serve()
    assert len(set(lines)) == 1
    assert head.info["pid"] == head.agent_pid()


def test_foreground_stays_and_ends_with_its_signal(head: Head) -> None:
    argv = [*PYTHON, str(PACKAGE), "serve", "--dir", str(head.dir), "--foreground"]
    with subprocess.Popen(argv, env=head.env, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b'"socket"' in process.stdout.readline()
        assert head.client().ask("status")["supervised"]
        process.terminate()
        assert process.wait(10) == 0


def test_a_folder_that_can_not_be_used_is_told(head: Head) -> None:
    head.dir.write_text("a file")
    error = head.serve()["error"]
    assert error["code"] == "disk"
    assert str(head.dir) in error["message"]


def test_a_job_record_with_long_history_is_asked_by_index(tmp_path: Path) -> None:
    import sqlite3

    from skyx_agent import store

    store.Store(str(tmp_path / "agent.db")).close()
    database = sqlite3.connect(tmp_path / "agent.db")
    for query in (
        "SELECT * FROM jobs WHERE status IN ('PENDING', 'SETTING_UP', 'RUNNING') ORDER BY id",
        "SELECT * FROM jobs WHERE submit_id = 'x'",
        "SELECT * FROM jobs ORDER BY id DESC LIMIT 1",
    ):
        plan = " ".join(row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {query}"))
        assert "INDEX" in plan or query.endswith("LIMIT 1"), plan
        assert "TEMP B-TREE" not in plan, plan
    database.close()
