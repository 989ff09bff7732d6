"""Autostop under a clock that the test moves."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from unit.agent.client import AgentRefusal, Client, Head, eventually


def _up(head: Head, **fields: Any) -> Client:
    return head.up(serve_env={"SKYX_TEST_CLOCK": str(head.clock)}, **fields)


def _arm(head: Head, client: Client, minutes: float = 5, script: str = "", **fields: Any) -> Path:
    mark = head.root / "fired"
    argv = ["/bin/sh", "-c", script or f"echo $$ >> {mark}"]
    client.ask("autostop", set={"idle_minutes": minutes, "wait_for": "jobs", "argv": argv, **fields})
    return mark


def _state(client: Client) -> str:
    return str(client.ask("status")["autostop"]["state"])


def _quiet(mark: Path) -> bool:
    time.sleep(0.15)
    return not mark.exists()


def test_it_fires_when_idle_for_long_enough_and_not_before(head: Head) -> None:
    client = _up(head)
    mark = _arm(head, client, 5, down=True)
    head.advance(290)
    assert _quiet(mark)
    shown = client.ask("autostop")["autostop"]
    assert (shown["state"], shown["idle_minutes"], shown["down"]) == ("armed", 5, True)
    assert 0 < shown["due_in_s"] <= 10
    head.advance(11)
    assert eventually(mark.exists)
    assert _state(client) == "AUTOSTOPPING"
    with pytest.raises(AgentRefusal) as refusal:
        client.submit("true")
    assert refusal.value.code == "autostopping"


def test_a_running_job_holds_it_up_and_the_clock_begins_at_its_end(head: Head) -> None:
    client = _up(head)
    mark = _arm(head, client, 1)
    job = client.submit("while [ ! -e ~/go ]; do sleep 0.01; done")
    head.advance(600)
    assert _quiet(mark)
    (head.root / "home0/go").touch()
    client.wait(job)
    head.advance(50)
    assert _quiet(mark)
    head.advance(11)
    assert eventually(mark.exists)


@pytest.mark.parametrize("fields", [{"run": "exit 1"}, {"run": "true", "setup": "exit 1"}])
def test_a_failed_job_or_setup_does_not_hold_it_up(head: Head, fields: dict[str, str]) -> None:
    client = _up(head)
    mark = _arm(head, client, 1)
    client.wait(client.submit(**fields))
    head.advance(61)
    assert eventually(mark.exists)


def test_zero_minutes_means_as_soon_as_idle(head: Head) -> None:
    client = _up(head)
    job = client.submit("while [ ! -e ~/go ]; do sleep 0.01; done")
    mark = _arm(head, client, 0)
    assert _quiet(mark)
    (head.root / "home0/go").touch()
    client.wait(job)
    assert eventually(mark.exists)


def test_wait_for_none_counts_from_when_it_was_set_whatever_runs(head: Head) -> None:
    client = _up(head)
    client.submit("sleep 60")
    mark = _arm(head, client, 1, wait_for="none")
    client.ask("touch")
    head.advance(61)
    assert eventually(mark.exists)


def test_a_held_connection_and_a_touch_count_as_activity(head: Head) -> None:
    client = _up(head)
    mark = _arm(head, client, 1)
    holder = head.client()
    holder.ask("hold")
    head.advance(120)
    assert _quiet(mark)
    holder.close()
    head.advance(40)
    client.ask("touch")
    head.advance(40)
    assert _quiet(mark)
    head.advance(25)
    assert eventually(mark.exists)


def test_it_can_be_cancelled_and_negative_minutes_are_off(head: Head) -> None:
    client = _up(head)
    mark = _arm(head, client, 1)
    client.ask("autostop", cancel=True)
    head.advance(300)
    assert _quiet(mark)
    _arm(head, client, -1)
    head.advance(300)
    assert _quiet(mark)
    assert _state(client) == "off"


def test_a_failure_is_shown_and_tried_again(head: Head) -> None:
    client = _up(head)
    mark = head.root / "fired"
    script = f"echo x >> {mark}; [ $(wc -l < {mark}) -ge 3 ] || {{ echo token expired >&2; exit 7; }}"
    _arm(head, client, 0, script)
    assert eventually(lambda: _state(client) == "failing")
    assert client.ask("autostop")["autostop"]["reason"] == "failing: exit code 7: token expired"
    for _ in range(2):
        head.advance(61)
        time.sleep(0.2)
    assert eventually(lambda: mark.read_text() == "x\nx\nx\n")
    assert _state(client) == "AUTOSTOPPING"


def test_the_setting_and_the_idle_time_outlive_the_agent(head: Head) -> None:
    client = _up(head)
    mark = _arm(head, client, 1)
    head.advance(40)
    old = head.kill_agent()
    client = head.reconnect(old)
    assert _state(client) == "armed"
    head.advance(21)
    assert eventually(mark.exists)


def test_the_program_runs_apart_from_the_agent_and_outlives_it(head: Head) -> None:
    client = _up(head)
    mark = head.root / "late"
    _arm(head, client, 0, f"echo start > {head.root}/start; sleep 0.6; echo done > {mark}")
    assert eventually((head.root / "start").exists)
    client.ask("shutdown", kill_jobs=True)
    assert eventually(mark.exists, 5)


def test_a_cluster_that_was_started_again_ends_itself_only_if_that_is_said_anew(head: Head) -> None:
    client = _up(head, boot="1")
    mark = _arm(head, client, 1)
    client.ask("shutdown", kill_jobs=True)
    head.advance(3600)
    head.serve(SKYX_TEST_CLOCK=str(head.clock))
    client = head.client()
    client.ask("configure", cluster=head.cluster(boot="2"))
    assert _quiet(mark)
    assert _state(client) == "off"
    head.advance(3600)
    assert _quiet(mark)
    _arm(head, client, 1)
    head.advance(61)
    assert eventually(mark.exists)


@pytest.mark.parametrize(
    "setting",
    [{"idle_minutes": "5"}, {"idle_minutes": 1, "argv": []}, {"idle_minutes": 1, "argv": ["x"], "wait_for": "y"}],
)
def test_wrong_settings_are_refused(head: Head, setting: dict[str, object]) -> None:
    client = _up(head)
    with pytest.raises(AgentRefusal) as refusal:
        client.ask("autostop", set=setting)
    assert refusal.value.code == "invalid"


def test_somebody_logged_in_through_ssh_holds_it_up(head: Head, monkeypatch: pytest.MonkeyPatch) -> None:
    client = _up(head, watch_ssh=True)
    title = "import ctypes,os,sys; sys.stdout.write('x'); sys.stdout.flush(); sys.stdin.read()"
    import subprocess
    import sys

    with subprocess.Popen(
        ["sshd: somebody@pts/7", "-c", title], executable=sys.executable, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as session:
        assert session.stdout is not None
        session.stdout.read(1)
        mark = _arm(head, client, 1, wait_for="jobs_and_ssh")
        head.advance(120)
        assert _quiet(mark)
        assert session.stdin is not None
        session.stdin.close()
    head.advance(61)
    assert eventually(mark.exists)


def test_the_agent_keeps_no_credentials_of_its_caller(head: Head) -> None:
    head.serve(AWS_SECRET_ACCESS_KEY="hidden-value")
    for key in ("pid", "supervisor_pid"):
        assert b"hidden-value" not in Path(f"/proc/{head.info[key]}/environ").read_bytes()
    assert json.loads((head.dir / "agent.json").read_text())["pid"] == head.info["pid"]
    assert os.environ.get("AWS_SECRET_ACCESS_KEY") is None


def test_an_end_that_does_nothing_is_given_up_and_jobs_are_taken_again(head: Head) -> None:
    client = _up(head)
    mark = _arm(head, client, 1)  # exits with 0 and ends nothing
    head.advance(70)
    assert eventually(mark.exists)
    assert _state(client) == "AUTOSTOPPING"
    head.advance(1000)
    assert eventually(lambda: _state(client) != "AUTOSTOPPING")
    assert "did not end" in client.ask("status")["autostop"]["reason"]
    assert client.wait(client.submit("true"))
