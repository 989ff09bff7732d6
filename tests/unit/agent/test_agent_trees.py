"""No process of a job outlives it, and no other process is ever touched."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from unit.agent.client import Client, Head, eventually, lives

STRAYS = {
    "background": "sleep 300 & echo $! > $DIR/pid",
    "setsid": "setsid sh -c 'echo $$ > $DIR/pid; exec sleep 300' & sleep 0.2",
    "double fork": "(setsid sh -c 'echo $$ > $DIR/pid; exec sleep 300' &) ; sleep 0.2",
    "without environment": "(env -i DIR=$DIR setsid sh -c 'echo $$ > $DIR/pid; exec sleep 300' &) ; sleep 0.2",
    "deaf": "(setsid sh -c 'trap \"\" TERM; echo $$ > $DIR/pid; while :; do sleep 1; done' &) ; sleep 0.2",
}


@pytest.fixture(scope="module")
def client(shared_head: Head) -> Client:
    return shared_head.up(nodes=2, grace_s=0.3)


@pytest.mark.parametrize("kind", STRAYS)
@pytest.mark.parametrize("end", ["normal", "cancel"])
def test_strays_end_with_their_job(client: Client, tmp_path: Path, kind: str, end: str) -> None:
    script = STRAYS[kind] + ("" if end == "normal" else "; sleep 300")
    job = client.submit(script, envs={"DIR": str(tmp_path)})
    assert eventually(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    pid = int((tmp_path / "pid").read_text())
    if end == "cancel":
        assert client.ask("cancel", jobs=[job])["cancelled"] == [job]
    found = client.wait(job)
    assert found["status"] == ("SUCCEEDED" if end == "normal" else "CANCELLED")
    assert not lives(pid)


def test_a_polite_end_is_possible_and_its_words_are_in_the_log(head: Head) -> None:
    client = head.up(grace_s=10)
    job = client.submit("trap 'echo saved; exit 0' TERM; echo ready; while :; do sleep 0.05; done")
    assert eventually(lambda: "ready" in client.text(job))
    client.ask("cancel", latest=True)
    assert "saved" in client.text(job)
    assert client.wait(job)["status"] == "CANCELLED"


def test_a_deaf_job_is_killed_after_the_grace(client: Client) -> None:
    job = client.submit("trap '' TERM; echo ready; while :; do sleep 0.05; done", num_nodes=2)
    assert eventually(lambda: client.text(job).count("ready") == 2)
    began = time.monotonic()
    client.ask("cancel", all=True)
    assert 0.25 < time.monotonic() - began < 5
    assert client.wait(job)["exit_codes"] == [137, 137]


def test_strays_of_another_running_job_live_on(client: Client, tmp_path: Path) -> None:
    script = STRAYS["without environment"] + "; while [ ! -e $DIR/go ]; do sleep 0.02; done"
    first = client.submit(script, envs={"DIR": str(tmp_path)})
    assert eventually(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    pid = int((tmp_path / "pid").read_text())
    assert client.wait(client.submit("sleep 300 & true"))["status"] == "SUCCEEDED"
    assert lives(pid)
    (tmp_path / "go").touch()
    assert client.wait(first)["status"] == "SUCCEEDED"
    assert not lives(pid)


def test_a_polite_end_is_asked_for_once_and_not_disturbed(client: Client) -> None:
    job = client.submit("trap 'echo asked; sleep 0.15; echo saved; exit' TERM; echo ready; sleep 60 & wait")
    assert eventually(lambda: "ready" in client.text(job))
    client.ask("cancel", jobs=[job])
    client.wait(job)
    assert client.text(job).split() == ["ready", "asked", "saved"]


def test_the_log_holds_only_what_the_script_wrote(client: Client) -> None:
    job = client.submit(["echo a; sleep 0.1; exit 3", "echo b; exec sleep 60"], num_nodes=2)
    assert client.wait(job)["exit_codes"] == [3, 137]
    assert sorted(client.text(job).split()) == ["a", "b"]
    killed = client.submit("echo c; kill -KILL $$")
    assert client.wait(killed)["exit_codes"] == [137]
    assert client.text(killed) == "c\n"
    noisy = client.submit("echo d >&2")
    assert client.wait(noisy)["status"] == "SUCCEEDED"
    assert client.text(noisy) == "d\n"


def test_a_start_mark_that_is_taken_is_no_success(client: Client, shared_head: Head) -> None:
    gate = shared_head.root / "gate"
    client.submit(f"while [ ! -e {gate} ]; do sleep 0.01; done")
    job = client.submit("true", setup=f"touch {shared_head.dir}/jobs/$SKYX_INTERNAL_JOB_ID/rank-0.started")
    found = client.wait(job)
    gate.touch()
    assert (found["status"], found["exit_codes"]) == ("FAILED", [125])
    assert "can't be recorded" in client.text(job, ranks=[0])


def test_processes_that_are_not_ours_are_left_alone(client: Client) -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True, env={"SKYX_JOB_MARKER": "other:1:"}) as other:
        job = client.submit("sleep 60")
        eventually(lambda: client.ask("job", job_id=job)["job"]["status"] == "RUNNING")
        client.ask("cancel", jobs=[job])
        assert other.poll() is None
        other.kill()


def test_cancelling_what_has_ended_or_never_was_says_so(client: Client) -> None:
    job = client.submit("true")
    client.wait(job)
    answer = client.ask("cancel", jobs=[job, 4_000_000])
    assert (answer["cancelled"], answer["already_done"], answer["unknown"]) == ([], [job], [4_000_000])


def test_cancel_racing_with_the_end_gives_one_end_that_stays(client: Client) -> None:
    seen = set()
    for pause in range(12):
        job = client.submit("sleep 0.02")
        time.sleep(0.015 + pause * 0.002)
        client.ask("cancel", jobs=[job])
        status = client.wait(job)["status"]
        seen.add(status)
        assert client.ask("job", job_id=job)["job"]["status"] == status
    assert seen <= {"SUCCEEDED", "CANCELLED"}


def test_shutdown_ends_everything(head: Head) -> None:
    client = head.up()
    job = client.submit("echo $$ > ~/pid; (setsid sleep 300 &); sleep 300")
    assert eventually(
        lambda: (head.root / "home0/pid").exists() and client.ask("job", job_id=job)["job"]["status"] == "RUNNING"
    )
    assert client.ask("shutdown", kill_jobs=True)["ok"]
    pids = [int(head.info[name]) for name in ("pid", "supervisor_pid")]
    assert eventually(lambda: not any(lives(pid) for pid in pids))
    assert not any(f"uid-{head.root.name}:".encode() in _environ(pid) for pid in os.listdir("/proc") if pid.isdigit())
    head.serve()
    assert head.client().ask("job", job_id=job)["job"]["status"] == "FAILED_DRIVER"


def _environ(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
