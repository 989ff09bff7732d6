"""What users get wrong, and what breaks around the tool: one clear error each, and nothing half-made."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from cli_process import SKYX, Cli, Result, node_processes, wait_for

pytestmark = pytest.mark.e2e

WRONG = {
    "tab": ("run: x\n\tsetup: y\n", ["2:"]),
    "section": ("resource: {cpus: 1}\nrun: x\n", ["1:1", "resource", "resources"]),
    "field": ("resources: {accelerator: T4}\nrun: x\n", ["1:13", "accelerator", "accelerators"]),
    "nodes-0": ("num_nodes: 0\nrun: x\n", ["1:", "num_nodes"]),
    "nodes-half": ("num_nodes: 2.5\nrun: x\n", ["num_nodes"]),
    "run-list": ("run: [a, b]\n", ["1:", "run"]),
    "list": ("- run: x\n", ["1:1"]),
    "twice": ("run: x\nrun: y\n", ["2:1", "run"]),
    "negative": ("resources: {cpus: -1}\nrun: x\n", ["resources.cpus"]),
    "two-clouds": ("resources: {infra: aws/us-east-1, cloud: gcp}\nrun: x\n", ["infra", "cloud"]),
    "both-lists": ("resources: {any_of: [{cpus: 1}], ordered: [{cpus: 1}]}\nrun: x\n", ["any_of", "ordered"]),
    "env-name": ("envs: {A-B: x}\nrun: x\n", ["A-B"]),
    "port": ("resources: {ports: 70000}\nrun: x\n", ["ports", "70000"]),
    "several": ("num_nodes: 0\nresources: {cpus: -1, gpu: 1}\nrunn: x\n", ["num_nodes", "cpus", "gpu", "runn"]),
}


@pytest.fixture(scope="module")
def nobody(new_user) -> Cli:
    """A user for whom nothing may ever be made."""
    return new_user()


def one_error(ended: Result, code: int) -> str:
    assert ended.code == code, ended.err
    assert ended.err.count("error[SKYX-E") == 1, ended.err
    return ended.err


@pytest.mark.parametrize("name", sorted(WRONG))
def test_a_wrong_task_file_is_refused_by_line_and_key_and_nothing_is_made(nobody, name):
    text, words = WRONG[name]
    nobody.write(f"{name}.yaml", text)
    told = one_error(nobody.run("launch", f"{name}.yaml", "-c", "c", "-y", "--infra", "local"), 2)
    assert f"{name}.yaml" in told
    assert [word for word in words if word not in told] == []
    assert not nobody.home.exists() or nobody.nothing_made()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["launch", "tsk.yaml", "-y"], "tsk.yaml"),
        (["launch", "-y", "--num-nodes", "0", "true"], "num"),
        (["launch", "-y", "--env", "A-B=x", "true"], "A-B"),
        (["launch", "-y", "--infra", "nowhere", "true"], "nowhere"),
        (["launch", "-y", "--workdir", "absent", "--infra", "local", "true"], "absent"),
        (["launch", "--no-input", "-c", "c", "--infra", "local", "true"], "-y"),
        (["launch", "-y", "--gpus", "H100:x", "true"], "H100"),
        (["exec", "c"], "exec"),
        (["lunch"], "launch"),
        (["launch", "--num-node", "2", "-y", "true"], "--num-nodes"),
        (["down", "-y"], "--all"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_command_line_is_refused_and_nothing_is_made(nobody, words, says):
    assert says in one_error(nobody.run(*words), 2)
    assert not nobody.home.exists() or nobody.nothing_made()


def test_an_empty_file_and_one_of_two_hundred_documents_are_told_apart(nobody):
    nobody.write("empty.yaml", "")
    nobody.write("many.yaml", "---\nrun: x\n" * 200)
    assert nobody.run("validate", "empty.yaml").code in (0, 2)
    assert "documents" in one_error(nobody.run("launch", "many.yaml", "-y"), 2)
    [row] = nobody.run("validate", "many.yaml", "-o", "json", code=2).json
    assert not row["ok"]
    assert "documents" in row["errors"][0]["message"]


def test_errors_are_data_too(nobody):
    ended = nobody.run("launch", "absent.yaml", "-y", "-o", "json", code=2)
    assert ended.out == ""
    error = json.loads(ended.err.splitlines()[-1])["error"]
    assert error["code"].startswith("SKYX-E2")
    assert error["exit_code"] == 2
    assert error["hint"]


def test_unknown_names_end_with_3_and_the_nearest_one(shared):
    for words in (
        ["exec", "cc", "true"],
        ["queue", "cc"],
        ["logs", "cc"],
        ["down", "cc", "-y"],
        ["cancel", "cc", "-y"],
    ):
        told = one_error(shared.run(*words), 3)
        assert "'c'" in told


def test_a_state_of_a_newer_release_is_left_alone(cli):
    cli.ok("launch", "-c", "c", "-y", "--infra", "local")
    path = cli.home / "state" / "state.db"
    with sqlite3.connect(path) as con:
        version = con.execute("PRAGMA user_version").fetchone()[0]
        con.execute(f"PRAGMA user_version = {version + 7}")
    for words in (["status"], ["launch", "-c", "d", "-y", "--infra", "local"]):
        told = one_error(cli.run(*words), 1)
        assert "SKYX-E810" in told
        assert "newer" in told
    with sqlite3.connect(path) as con:
        con.execute(f"PRAGMA user_version = {version}")
    con.close()
    assert cli.ok("status", "-o", "json").json[0]["name"] == "c"


def test_a_truncated_state_is_said_and_kept(cli):
    cli.ok("launch", "-c", "c", "-y", "--infra", "local")
    path = cli.home / "state" / "state.db"
    whole = path.read_bytes()
    for wal in path.parent.glob("state.db-*"):
        wal.unlink()
    path.write_bytes(whole[:100])
    told = one_error(cli.run("launch", "-c", "d", "-y", "--infra", "local"), 1)
    assert "SKYX-E8" in told
    assert str(path.parent) in told
    assert len(cli.nodes()) == 1
    kept = [file for file in path.parent.rglob("*") if file.is_file() and file.read_bytes()[:100] == whole[:100]]
    assert kept
    for file in path.parent.glob("state.db*"):
        file.unlink()
    path.write_bytes(whole)


def test_no_space_left_ends_the_launch_and_leaves_nothing(cli):
    for point in ("state.intent.before_commit", "local.create.after_claim"):
        ended = cli.run("launch", "-c", "c", "-y", "--infra", "local", env={"SKYX_FAILPOINT": f"{point}=enospc"})
        assert ended.code not in (0, -signal.SIGKILL)
        assert ended.err.count("error[SKYX-E") == 1, ended.err
        assert "space" in ended.err
        assert cli.left() == []


@pytest.mark.skipif(os.getuid() != 0, reason="gives up a capability that only root has")
def test_an_unreadable_folder_is_named_also_for_root(cli):
    secret = cli.write("wd/closed/x", "x").parent
    secret.chmod(0)
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
    words = ["launch", "-c", "c", "-y", "--infra", "local", "--workdir", "wd", "true"]
    done = subprocess.run(
        [*drop, SKYX, *words], env=cli.environ, cwd=cli.cwd, capture_output=True, text=True, timeout=60, check=False
    )
    secret.chmod(0o700)
    if "setpriv" in done.stderr:
        pytest.skip("this machine doesn't let capabilities be given up")
    told = one_error(Result(done.returncode, done.stdout, done.stderr), 2)
    assert "closed" in told
    assert cli.left() == []


def test_a_state_folder_that_can_not_be_made_is_named(nobody, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    told = one_error(nobody.run("launch", "-c", "c", "-y", "--infra", "local", env={"SKYX_HOME": f"{file}/home"}), 1)
    assert str(file) in told
    assert "SKYX_HOME" in told


def test_a_killed_agent_comes_back_and_no_job_is_lost_or_run_twice(cli):
    cli.ok("launch", "-c", "c", "-y", "--infra", "local")
    cli.ok("exec", "c", "-d", "echo x >> ~/ran; sleep 3; echo done")
    agents = [pid for pid in node_processes(cli.root) if b"\0agent\0" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert len(agents) == 1
    with cli.session() as session:
        wait_for(lambda: session.queue("c")[0].status == "RUNNING")
    os.kill(agents[0], signal.SIGKILL)
    assert cli.ok("logs", "c", "1").lines[-1].endswith("done")
    assert cli.ok("exec", "c", "cat ~/ran").lines == ["(head, rank=0) x"]


def test_a_cluster_whose_nodes_are_gone_can_be_taken_down(cli):
    cli.ok("launch", "-c", "c", "-y", "-d", "--infra", "local")
    for pid in node_processes(cli.root):
        os.kill(pid, signal.SIGKILL)
    subprocess.run(["rm", "-rf", *map(str, (cli.home / "data" / "local" / "nodes").iterdir())], check=True)
    told = one_error(cli.run("exec", "c", "true"), 1)
    assert "c" in told
    cli.ok("down", "c", "-y")
    assert cli.left() == []
    one_error(cli.run("down", "c", "-y"), 3)
