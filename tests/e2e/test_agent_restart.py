"""Sessions whose agent is killed under them."""

from __future__ import annotations

import json
import os
import signal

import pytest

from skyx_core.task import loads

pytestmark = pytest.mark.e2e


def agent_pids(home) -> list[int]:
    (file,) = home.rglob("agent.json")
    data = json.loads(file.read_text())
    return [data["supervisor_pid"], data["pid"]]


@pytest.mark.parametrize("victims", ["agent", "both"])
def test_a_session_goes_on_after_its_agent_was_killed(session, victims):
    task = loads("resources: {infra: local}\nrun: echo one").tasks[0]
    first = session.launch(task, cluster="c")
    assert session.wait("c", first.job_id, 30).status == "SUCCEEDED"
    supervisor, agent = agent_pids(session.dirs.data)
    for pid in [agent] if victims == "agent" else [supervisor, agent]:
        os.kill(pid, signal.SIGKILL)
    second = session.exec("c", task)
    assert session.wait("c", second.job_id, 30).status == "SUCCEEDED"
    assert [job.id for job in session.queue("c")] == [second.job_id, first.job_id]
