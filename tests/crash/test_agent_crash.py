"""Kill the agent anywhere: no job is lost, none runs twice, each end is recorded once."""

from __future__ import annotations

import shutil
import sqlite3
import time
from pathlib import Path

import pytest

from unit.agent.client import AgentRefusal, Head, eventually, kill, lives, marked
from unit.agent.conftest import head as head  # noqa: PLC0414 - a fixture


@pytest.fixture
def ran(head: Head) -> Head:
    """Jobs of these tests append their number to ~/ran of the head."""
    (head.root / "home0").mkdir()
    return head


def _count(head: Head) -> list[int]:
    path = head.root / "home0/ran"
    return sorted(int(line) for line in path.read_text().split()) if path.exists() else []


RECORD = "echo $SKYX_INTERNAL_JOB_ID >> ~/ran; "


@pytest.mark.parametrize("with_supervisor", [False, True])
def test_one_running_and_twelve_queued_survive_a_kill(ran: Head, with_supervisor: bool) -> None:
    client = ran.up(gpus=1)
    gate = "while [ ! -e ~/go ]; do sleep 0.02; done"
    jobs = [client.submit(RECORD + gate, accelerators={"H100": 1})]
    jobs += [client.submit(RECORD, accelerators={"H100": 1}) for _ in range(12)]
    assert eventually(lambda: _count(ran) == jobs[:1])
    old = ran.kill_agent(with_supervisor)
    if with_supervisor:
        ran.serve()
    client = ran.reconnect(old)
    assert client.ask("job", job_id=jobs[0])["job"]["status"] == "RUNNING"
    (ran.root / "home0/go").touch()
    assert [client.wait(job)["status"] for job in jobs] == ["SUCCEEDED"] * 13
    assert _count(ran) == jobs
    assert client.ask("status")["jobs"]["SUCCEEDED"] == 13
    assert client.text(jobs[0]) == ""


def test_a_job_that_ends_while_no_agent_runs_keeps_its_code_and_log(ran: Head) -> None:
    client = ran.up()
    good = client.submit("echo before; while [ ! -e ~/go ]; do sleep 0.02; done; echo after")
    bad = client.submit("while [ ! -e ~/go ]; do sleep 0.02; done; exit 9")
    assert eventually(lambda: client.ask("status")["jobs"]["RUNNING"] == 2 and client.text(good))
    old = ran.kill_agent(with_supervisor=True)
    (ran.root / "home0/go").touch()
    folder = ran.dir / "jobs"
    assert eventually(lambda: all((folder / str(job) / "rank-0.exit").exists() for job in (good, bad)))
    ran.serve()
    client = ran.reconnect(old)
    assert client.wait(good)["status"] == "SUCCEEDED"
    assert client.text(good) == "before\nafter\n"
    assert client.wait(bad)["exit_codes"] == [9]


def test_a_rank_that_vanished_without_a_code_is_failed_driver_with_a_reason(ran: Head) -> None:
    import os
    import signal

    client = ran.up()
    job = client.submit("echo $$ $PPID > ~/pids; sleep 60")
    assert eventually(lambda: (ran.root / "home0/pids").exists() and (ran.root / "home0/pids").read_text())
    assert eventually(lambda: client.ask("status")["jobs"]["RUNNING"] == 1)
    old = ran.kill_agent(with_supervisor=True)
    for pid in (ran.root / "home0/pids").read_text().split()[::-1]:
        os.kill(int(pid), signal.SIGKILL)
    ran.serve()
    found = ran.reconnect(old).wait(job)
    assert found["status"] == "FAILED_DRIVER"
    assert "left no exit code" in found["reason"]


def test_the_agent_outlives_its_supervisor_and_gets_a_new_one(ran: Head) -> None:
    client = ran.up()
    job = client.submit("while [ ! -e ~/go ]; do sleep 0.02; done; exit 5")
    eventually(lambda: client.ask("status")["jobs"]["RUNNING"] == 1)
    kill(ran.info["supervisor_pid"])
    client = ran.reconnect(ran.info["pid"])
    status = client.ask("status")
    assert status["supervised"]
    assert status["supervisor_pid"] != ran.info["supervisor_pid"]
    ran.info = status
    (ran.root / "home0/go").touch()
    assert client.wait(job)["exit_codes"] == [5]


def test_a_stray_from_before_a_kill_ends_with_its_job(ran: Head) -> None:
    client = ran.up(grace_s=0.3)
    stray = "(env -i setsid sh -c 'echo $$ > pid; exec sleep 300' &); "
    job = client.submit(stray + "while [ ! -e ~/go ]; do sleep 0.02; done")
    mark = ran.root / "home0/pid"
    assert eventually(lambda: mark.exists() and mark.read_text().strip())
    old = ran.kill_agent()
    client = ran.reconnect(old)
    (ran.root / "home0/go").touch()
    assert client.wait(job)["status"] == "SUCCEEDED"
    assert not lives(int(mark.read_text()))


POINTS = (
    "agent.submit.before_commit",
    "agent.submit.after_commit",
    "agent.job.after_setting_up",
    "agent.setup.before_spawn",
    "agent.setup.after_spawn",
    "agent.setup.after_exit",
    "agent.job.after_running",
    "agent.rank.before_spawn",
    "agent.rank.after_spawn",
    "agent.rank.after_exit",
    "agent.job.before_end",
    "agent.job.before_record",
    "agent.job.after_record",
)


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_any_point_every_accepted_job_runs_once(ran: Head, point: str) -> None:
    client = ran.up(nodes=2, serve_env={"SKYX_FAILPOINT": f"{point}@2=kill"})
    old = ran.agent_pid()
    names = [f"submit-{number}" for number in range(2)]
    for name in names:
        for _ in range(3):
            try:
                client.submit(RECORD, submit_id=name, setup="echo s$SKYX_SETUP_NODE_RANK >> ~/set")
                break
            except (EOFError, ConnectionError):
                client = ran.reconnect(old)
    client = ran.reconnect(old)
    listed = client.ask("queue")["jobs"][::-1]
    assert len(listed) == 2
    assert [client.wait(job["id"])["status"] for job in listed] == ["SUCCEEDED"] * 2
    assert _count(ran) == [job["id"] for job in listed]
    assert (ran.root / "home0/set").read_text() == "s0\n" * 2
    assert client.ask("status")["jobs"]["SUCCEEDED"] == 2


@pytest.mark.parametrize("point", ["agent.job.before_end", "agent.job.before_record", "agent.rank.after_exit"])
def test_a_failing_gang_killed_over_stays_failed(ran: Head, point: str) -> None:
    client = ran.up(nodes=2, serve_env={"SKYX_FAILPOINT": f"{point}=kill"})
    old = ran.agent_pid()
    job = client.submit(["exit 3", "sleep 60"], num_nodes=2)
    found = ran.reconnect(old).wait(job)
    assert (found["status"], found["exit_codes"]) == ("FAILED", [3, 137])


def test_a_cancel_killed_over_stays_cancelled(ran: Head) -> None:
    client = ran.up(serve_env={"SKYX_FAILPOINT": "agent.job.before_end=kill"})
    old = ran.agent_pid()
    job = client.submit("sleep 60")
    eventually(lambda: client.ask("status")["jobs"]["RUNNING"] == 1)
    with pytest.raises((EOFError, ConnectionError)):
        client.ask("cancel", jobs=[job])
    assert ran.reconnect(old).wait(job)["status"] == "CANCELLED"


def test_an_error_in_one_job_does_not_stop_the_agent(ran: Head) -> None:
    client = ran.up(serve_env={"SKYX_FAILPOINT": "agent.submit.before_commit=raise"})
    with pytest.raises(AgentRefusal) as refusal:
        client.submit("true")
    assert refusal.value.code == "internal"
    assert client.wait(client.submit("true"))["status"] == "SUCCEEDED"


def test_a_full_disk_is_told_and_waited_out(ran: Head) -> None:
    client = ran.up(serve_env={"SKYX_FAILPOINT": "agent.rank.before_spawn=enospc"})
    found = client.wait(client.submit("true"))
    assert (found["status"], found["exit_codes"]) == ("FAILED", [126])
    assert "No space left" in client.text(found["id"])
    assert client.wait(client.submit("true"))["status"] == "SUCCEEDED"


@pytest.mark.parametrize("damage", ["truncate", "empty", "garbage", "remove"])
def test_a_damaged_record_is_moved_aside_and_made_again(ran: Head, damage: str) -> None:
    client = ran.up()
    done = client.submit("echo kept", name="old")
    client.wait(done)
    failed = client.submit("exit 4")
    client.wait(failed)
    running = client.submit("while [ ! -e ~/go ]; do sleep 0.02; done; echo end")
    eventually(lambda: client.ask("status")["jobs"]["RUNNING"] == 1)
    old = ran.kill_agent(with_supervisor=True)
    _damage(ran, damage)
    ran.serve()
    client = ran.reconnect(old)
    assert "made again from 3 job folders" in client.ask("status")["notes"][0]
    (ran.root / "home0/go").touch()
    jobs = {job["id"]: job for job in client.ask("queue")["jobs"]}
    assert (jobs[done]["status"], jobs[done]["name"]) == ("SUCCEEDED", "old")
    assert (jobs[failed]["status"], jobs[failed]["exit_codes"]) == ("FAILED", [4])
    assert client.wait(running)["status"] == "SUCCEEDED"
    assert client.submit("true") == running + 1
    if damage != "remove":
        assert (ran.dir / "agent.db.broken-1").exists()


def _damage(head: Head, damage: str) -> None:
    path = head.dir / "agent.db"
    for ending in ("-wal", "-shm"):
        (head.dir / f"agent.db{ending}").unlink(missing_ok=True)
    content = {"truncate": path.read_bytes()[:5000], "empty": b"", "garbage": b"garbage" * 1000}
    path.unlink()
    if damage != "remove":
        path.write_bytes(content[damage])


def test_a_record_of_a_newer_release_is_refused_and_left_alone(head: Head) -> None:
    head.up()
    head.client().ask("shutdown", kill_jobs=True)
    assert eventually(lambda: not lives(head.info["supervisor_pid"]))
    database = sqlite3.connect(head.dir / "agent.db")
    database.execute("PRAGMA user_version = 99")
    database.close()
    error = head.serve()["error"]
    assert error["code"] == "store_too_new"
    assert "schema 99" in error["message"]
    assert "newer release" in error["hint"]


def test_serve_may_be_repeated_and_gives_one_agent(head: Head) -> None:
    first = head.serve()
    assert head.serve() == first
    old = head.kill_agent()
    assert eventually(lambda: head.agent_pid() != old, 5)
    assert head.serve()["supervisor_pid"] == first["supervisor_pid"]


@pytest.mark.parametrize("agent_dies", [True, False])
def test_nothing_stays_when_the_folder_is_removed(head: Head, agent_dies: bool) -> None:
    client = head.up(serve_env={"SKYX_TEST_CLOCK": str(head.clock)}, grace_s=0.1)
    client.submit("sleep 300")
    assert eventually(lambda: client.ask("status")["jobs"]["RUNNING"] == 1)
    while Path(head.dir).exists():  # the agent may write while it is removed
        shutil.rmtree(head.dir, ignore_errors=True)
    if agent_dies:
        kill(head.info["pid"])
    head.advance(31)
    time.sleep(0.3)
    head.advance(10)
    assert eventually(lambda: not any(lives(head.info[key]) for key in ("pid", "supervisor_pid")))
    if not agent_dies:
        assert not marked(f"uid-{head.root.name}:")
