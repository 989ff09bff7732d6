"""The life of a sandbox and of what runs in it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from local_cloud import alive, eventually, kill_quietly
from skyx_core.errors import NodeError
from skyx_core.node.sandbox import Sandbox, Sandboxes, SandboxRunner, SandboxSpec


def test_it_has_a_home_and_a_workdir_under_both_names(sandbox: Sandbox) -> None:
    assert (sandbox.home / "skyx_workdir").is_dir()
    assert os.readlink(sandbox.home / "sky_workdir") == "skyx_workdir"
    assert sandbox.folder.stat().st_mode & 0o777 == 0o700


def test_making_it_again_changes_nothing(sandboxes: Sandboxes, sandbox: Sandbox) -> None:
    assert sandboxes.create(SandboxSpec(id="n0", cluster_uid="other")) == sandbox
    assert sandboxes.list() == [sandbox]


def test_many_at_once_make_one(sandboxes: Sandboxes) -> None:
    made: list[Sandbox] = []
    spec = SandboxSpec(id="same", cluster_uid="u")
    threads = [threading.Thread(target=lambda: made.append(sandboxes.create(spec))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 8
    assert len({repr(one) for one in made}) == 1
    assert sandboxes.remnants("") == []


def test_it_remembers_what_it_was_made_from(sandboxes: Sandboxes) -> None:
    spec = SandboxSpec("x", "u", "name", 3, "127.64.0.9", "intent", "owner", 1.5, 2.0, {"0": 0.5}, {"k": "v"})
    sandboxes.create(spec)
    found = Sandboxes(sandboxes.root).get("x")
    assert found is not None
    assert all(getattr(found, name) == getattr(spec, name) for name in spec.__dataclass_fields__)


@pytest.mark.parametrize("id_", ["", ".", "..", ".new-x", "a/b", "x\0y"])
def test_ids_that_are_no_names_are_refused(sandboxes: Sandboxes, id_: str) -> None:
    with pytest.raises(NodeError, match="can't be the id"):
        sandboxes.create(SandboxSpec(id=id_, cluster_uid="u"))


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("plain", "sleep 300 & echo $!"),
        ("deaf", "(trap '' TERM HUP INT; while :; do sleep 300; done) >/dev/null 2>&1 & echo $!"),
        ("own session", "setsid sleep 300 >/dev/null 2>&1 & echo $!"),
        ("orphan", "(setsid sleep 300 >/dev/null 2>&1 & echo $!)"),
        ("child without the marker", "bash -c 'env -i sleep 300 >/dev/null 2>&1 & echo $!; wait' & sleep 0.3"),
        ("stopped", "sleep 300 >/dev/null 2>&1 & kill -STOP $!; echo $!"),
    ],
)
def test_ending_a_sandbox_ends_all_that_runs_in_it(
    sandboxes: Sandboxes, sandbox: Sandbox, name: str, script: str
) -> None:
    output = sandbox.folder / "out"
    with output.open("wb") as file:
        started = subprocess.Popen(
            ["bash", "-c", f"{script}\nsleep 0.2"], env=sandbox.env(), stdout=file, start_new_session=True
        )
    eventually(output.read_text)
    pid = int(output.read_text().split()[0])
    assert alive(pid)
    assert sandboxes.stop(["n0"]) == []
    started.wait(10)
    assert not alive(pid)
    assert [one.state for one in sandboxes.list()] == ["stopped"]


def test_strangers_and_other_sandboxes_live_on(sandboxes: Sandboxes, sandbox: Sandbox) -> None:
    other = sandboxes.create(SandboxSpec(id="n01", cluster_uid="u"))  # the other's id begins with this one's
    environments = [other.env(), {"PATH": os.environ["PATH"]}, {"SKYX_SANDBOX": f"{sandbox.folder}/"}]
    strangers = [subprocess.Popen(["sleep", "300"], env=env, cwd=sandbox.home) for env in environments]
    mine = subprocess.Popen(["sleep", "300"], env=sandbox.env())
    try:
        assert sandboxes.remove(["n0"]) == []
        assert mine.wait(5) == -signal.SIGTERM
        assert [one.poll() for one in strangers] == [None] * 3
    finally:
        for process in (*strangers, mine):
            process.kill()
            process.wait()


def test_two_that_end_the_same_sandbox_both_come_to_an_end(sandboxes: Sandboxes, sandbox: Sandbox) -> None:
    """Each is itself a process of the sandbox, as when a cluster stops itself twice."""
    program = (
        "import sys; from pathlib import Path; from skyx_core.node.sandbox import Sandboxes;"
        "sys.exit(len(Sandboxes(Path(sys.argv[1])).stop(['n0'])))"
    )
    argv = [sys.executable, "-c", program, str(sandboxes.root)]
    both = [subprocess.Popen(argv, env=sandbox.env()) for _ in range(2)]
    codes = [one.wait(30) for one in both]
    assert 0 in codes
    assert sandboxes.list()[0].state == "stopped"


def test_starting_again_keeps_files(sandboxes: Sandboxes, sandbox: Sandbox, runner: SandboxRunner) -> None:
    runner.put_bytes(b"kept", "file")
    sandboxes.stop(["n0"])
    with pytest.raises(NodeError, match="the node is stopped"):
        runner.run(["true"], timeout=5)
    sandboxes.start("n0")
    assert runner.run(["cat", "file"], timeout=5).stdout == b"kept"
    sandboxes.remove(["n0"])
    with pytest.raises(NodeError, match="the node is gone"):
        runner.run(["true"], timeout=5)


def test_removing_what_is_gone_is_success(sandboxes: Sandboxes) -> None:
    assert sandboxes.remove(["never was"]) == []
    assert sandboxes.list() == []


def test_half_made_and_half_deleted_folders_are_found_and_deleted(sandboxes: Sandboxes, sandbox: Sandbox) -> None:
    for name in (".new-n0-00aa11bb", ".old-n0-00aa11bb", ".new-n1-00aa11bb"):
        (sandboxes.root / name / "home").mkdir(parents=True)
    assert sandboxes.remnants("n0") == ["n0"]
    assert sandboxes.remove(["n0"]) == []
    assert sandboxes.remnants("") == ["n1"]


def test_run_passes_words_input_and_bytes(runner: SandboxRunner) -> None:
    words = ["$(touch x)", "a b", "'\"", "*", "é\n", "-n"]
    result = runner.run(["printf", "%s\\0", *words], timeout=5)
    assert result.stdout.decode().split("\0")[:-1] == words
    echoed = runner.run(["bash", "-c", "cat; pwd >&2; exit 3"], timeout=5, stdin=b"\0\xff", cwd="~/skyx_workdir")
    assert (echoed.returncode, echoed.stdout) == (3, b"\0\xff")
    assert echoed.stderr.strip().endswith(b"/n0/home/skyx_workdir")
    assert runner.run(["bash", "-c", "kill -9 $$"], timeout=5).returncode == 137


def test_a_program_that_is_not_there_is_named(runner: SandboxRunner) -> None:
    with pytest.raises(NodeError, match="'no-such-program' can't be run, at head"):
        runner.run(["no-such-program"], timeout=5)


def test_on_time_out_the_whole_tree_is_ended(runner: SandboxRunner, sandbox: Sandbox) -> None:
    begin = time.monotonic()
    with pytest.raises(NodeError, match=r"did not end within 0\.5 s"):
        runner.run(["bash", "-c", "setsid sleep 300 & echo $! > ~/pid; wait"], timeout=0.5)
    assert time.monotonic() - begin < 10
    pid = int((sandbox.home / "pid").read_text())
    try:
        eventually(lambda: not alive(pid))
    finally:
        kill_quietly(pid)


def test_sockets_with_long_names_can_be_reached(
    runner: SandboxRunner, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = sandbox.home / ("d" * 100) / ("e" * 100)
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        server.listen()
        channel = runner.connect(f"~/{'d' * 100}/{'e' * 100}/s", timeout=5)
        peer, _ = server.accept()
        with peer:
            channel.send(b"hello")
            assert peer.recv(10) == b"hello"
            with pytest.raises(TimeoutError):
                channel.receive(10, 0.01)
            peer.sendall(b"x" * 10)
            assert channel.receive(4, 5) == b"xxxx"
        assert channel.receive(10, 5) == b"x" * 6
        assert channel.receive(10, 5) == b""
        channel.close()
        channel.close()
    with pytest.raises(NodeError, match="can't be opened"):
        runner.connect("~/nothing", timeout=1)


def test_records_that_are_damaged_are_told_and_pass_no_lie(sandboxes: Sandboxes, sandbox: Sandbox) -> None:
    record: Path = sandbox.folder / "node.json"
    good = record.read_text()
    for bad in ("", "{", "[]", good.replace('"n0"', "7"), good.replace("rank", "renk"), "[" * 70_000, "\0"):
        record.write_text(bad)
        found, problems = sandboxes.scan()
        assert found == []
        assert len(problems) == 1
        assert "damaged" in problems[0]
