"""Interruptions and refusals at awkward moments: nothing is left, nothing is ended that should live."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from skyx_core import Session
from skyx_core.errors import InterruptedBySignal
from skyx_core.results import ClusterStatus
from skyx_core.task import loads
from skyx_core.testing import FakeCloud, FakePodDriver, FakeVmDriver, eventually

pytestmark = pytest.mark.e2e

DRIVERS = [("cloud", "fakevm", FakeVmDriver), ("cloud", "fakepod", FakePodDriver)]


@pytest.fixture
def lab(cli, tmp_path) -> Iterator[tuple[Session, FakeCloud]]:
    with FakeCloud("vm", tmp_path / "cloud") as cloud:
        cli.extra["SKYX_FAKEVM_URL"] = cloud.url
        with cli.session(plugins=DRIVERS) as session:
            yield session, cloud
            session.down(all=True)


def task(nodes: int = 2):
    return loads(f"num_nodes: {nodes}\nresources: {{infra: fakevm}}\nrun: echo hi\n").tasks[0]


def existing(cloud: FakeCloud) -> list[str]:
    return [key for key, node in cloud.ledger().items() if node.exists]


def test_an_interruption_before_a_launch_has_begun_is_not_lost(lab):
    session, cloud = lab
    session.interrupt()
    with pytest.raises(InterruptedBySignal):
        session.launch(task(), cluster="c")
    assert cloud.ledger() == {}
    assert session.status().clusters == []
    session.launch(task(), cluster="c")  # one interruption ends one command
    assert len(existing(cloud)) == 2


def test_what_a_creating_call_makes_after_the_interruption_is_removed(lab):
    session, cloud = lab
    cloud.fault("RunNodes", "delay", seconds=3)
    timer = threading.Timer(1.0, session.interrupt)
    timer.start()
    with pytest.raises(InterruptedBySignal):
        session.launch(task(), cluster="c")
    timer.join()
    time.sleep(1)
    eventually(lambda: cloud.calls("RunNodes"), limit_s=5)
    assert existing(cloud) == []
    assert session.status().clusters == []


def test_a_dry_run_on_a_cluster_that_is_being_taken_down_ends_nothing(lab):
    session, cloud = lab
    session.launch(task(), cluster="c")
    record = session.store.get("c")
    session.store.update("c", record.generation, status=ClusterStatus.TERMINATING)
    session.launch(task(), cluster="c", dryrun=True)
    assert len(existing(cloud)) == 2


def test_credentials_of_another_account_change_nothing(lab):
    session, cloud = lab
    session.launch(task(), cluster="c")
    session.store.update("c", session.store.get("c").generation, account="someone-else")
    for act in (session.down, session.stop):
        (result,) = act(["c"])
        assert result.exit_code == 4
        assert "someone-else" in result.error
    assert session.status().clusters[0].status == "UP"
    assert len(existing(cloud)) == 2
    (purged,) = session.down(["c"], purge=True)
    assert purged.error == ""


def test_a_start_that_finds_fewer_nodes_is_not_up(lab):
    session, cloud = lab
    session.launch(task(), cluster="c")
    assert session.stop(["c"])[0].error == ""
    cloud.control("end", id=existing(cloud)[1], how="terminate")
    (result,) = session.start(["c"])
    assert result.error
    assert session.status().clusters[0].status != "UP"


def test_ctrl_c_during_one_of_several_leaves_the_others_alone(lab):
    session, _ = lab
    for name in ("a", "b"):
        session.launch(task(1), cluster=name)
    session.stop(["a", "b"])
    threading.Timer(0.05, session.interrupt).start()
    time.sleep(0.2)
    results = session.start(["a", "b"])
    assert [result.exit_code for result in results] == [130, 130]
    assert {info.status for info in session.status().clusters} == {"STOPPED"}
