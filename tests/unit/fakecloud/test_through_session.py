"""The same path that real clouds take: task, engine, journal, agent and job, on both shapes of cloud."""

from __future__ import annotations

import os

import pytest

from skyx_core.models import Autostop
from skyx_core.session import Session
from skyx_core.task import load
from skyx_core.testing import FakePodDriver, FakeVmDriver, eventually


@pytest.fixture
def session(bench, tmp_path):
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "SKYX_HOME": str(tmp_path / "skyx"),
        f"SKYX_{bench.driver.name.upper()}_URL": bench.cloud.url,
    }
    drivers = [("cloud", "fakevm", FakeVmDriver), ("cloud", "fakepod", FakePodDriver)]
    with Session(environ=environ, cwd=tmp_path, plugins=drivers) as made:
        yield made


@pytest.fixture
def task(bench, tmp_path):
    file = tmp_path / "task.yaml"
    file.write_text(f"resources:\n  cloud: {bench.driver.name}\nnum_nodes: 2\nrun: echo rank=$SKYX_NODE_RANK\n")
    return load(str(file)).tasks[0]


def states(bench):
    return sorted(str(node["state"]) for node in bench.cloud.nodes() if node["tags"].get("skyx-uid"))


def test_a_gang_job_runs_and_the_cluster_ends_itself(bench, session, task):
    before = len(states(bench))
    launched = session.launch(task, cluster="c")
    lines = sorted(chunk.data for chunk in session.logs("c", launched.job_id))
    assert lines == [b"rank=0\n", b"rank=1\n"]
    assert states(bench).count("running") == 2
    assert len(states(bench)) == before + 2
    session.autostop(["c"], Autostop(idle_minutes=0, down=True))
    eventually(lambda: set(states(bench)) == {"gone"}, limit_s=20, what="the end of the cluster")


def test_a_creating_call_whose_answer_is_lost_leaks_nothing(bench, session, task):
    bench.cloud.fault("RunNodes" if bench.cloud.mode == "vm" else "CreatePod", "error_after")
    session.launch(task, cluster="c")
    assert states(bench).count("running") == 2
    assert session.down(["c"])[0].remaining == []
    assert set(states(bench)) == {"gone"}
