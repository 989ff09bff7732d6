"""What a cluster comes to when the cloud takes nodes of it, or its agent goes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from skyx_core import Session
from skyx_core.task import loads
from skyx_core.testing import FakeCloud, FakePodDriver, FakeVmDriver, eventually

pytestmark = pytest.mark.e2e

DRIVERS = [("cloud", "fakevm", FakeVmDriver), ("cloud", "fakepod", FakePodDriver)]


@pytest.fixture(params=["fakevm", "fakepod"])
def lab(request, cli, tmp_path) -> Iterator[tuple[str, Session, FakeCloud]]:
    with FakeCloud("vm" if request.param == "fakevm" else "pod", tmp_path / "cloud") as cloud:
        cli.extra |= {f"SKYX_{request.param.upper()}_URL": cloud.url, "SKYX_TEARDOWN_TIMEOUT_S": "5"}
        with cli.session(plugins=DRIVERS) as session:
            yield request.param, session, cloud
            session.down(all=True)


def task(cloud: str, nodes: int):
    return loads(f"num_nodes: {nodes}\nresources: {{infra: {cloud}}}\nrun: echo rank=$SKYX_NODE_RANK\n").tasks[0]


def test_a_lost_node_is_shown_and_a_launch_replaces_exactly_that_one(lab):
    name, session, cloud = lab
    session.launch(task(name, 3), cluster="c")
    before = {key for key, node in cloud.ledger().items() if node.exists}
    lost = next(key for key, node in cloud.ledger().items() if node.tags["skyx-rank"] == "1")
    cloud.control("end", id=lost, how="terminate")
    (info,) = session.status(refresh=True).clusters
    assert info.status == "INIT"
    assert "worker1" in info.reason or "1 of 3" in info.reason
    launched = session.launch(task(name, 3), cluster="c")
    assert session.wait("c", launched.job_id, 60).exit_codes == [0, 0, 0]
    after = {key for key, node in cloud.ledger().items() if node.exists}
    assert before - after == {lost}
    assert len(after) == 3
    assert session.status().clusters[0].status == "UP"


def test_a_cluster_that_the_cloud_no_longer_shows_goes_to_the_history_and_down_of_it_is_not_found(lab):
    name, session, cloud = lab
    session.launch(task(name, 2), cluster="c")
    for key, node in cloud.ledger().items():
        if node.exists:
            cloud.control("end", id=key, how="terminate")
    eventually(lambda: session.status(refresh=True).clusters == [], limit_s=20)
    assert [past.name for past in session.store.history()] == ["c"]
    (result,) = session.down(["c"])
    assert result.exit_code == 3


def test_a_failed_look_changes_nothing(lab):
    name, session, cloud = lab
    session.launch(task(name, 2), cluster="c")
    cloud.kill()
    (info,) = session.status(refresh=True).clusters
    assert info.status == "UP"
    assert "unknown" in info.reason
    (left,) = session.down(["c"])
    assert left.exit_code == 7
    assert session.status().clusters[0].status == "TERMINATING"
    (purged,) = session.down(["c"], purge=True)
    assert purged.error == ""
    assert purged.remaining
