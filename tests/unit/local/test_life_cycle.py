"""A cluster on this machine, from the first node to the last trace."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from local_cloud import PLACE, MemoryAttempt, concrete, driver, handle, request
from skyx_core.api import CloudError, NodeError, NodeState
from skyx_local.driver import LocalDriver


@pytest.fixture
def cloud(tmp_path: Path) -> LocalDriver:
    return driver(tmp_path / "home", tmp_path / "ledger", cpus=8, memory_gb=16, gpus={"name": "H100", "count": 2})


@pytest.fixture
def cluster_files(tmp_path: Path) -> Iterator[list[Path]]:
    """All folders and claims of nodes; empty when nothing is left."""

    class Files(list[Path]):
        def __iter__(self) -> Iterator[Path]:
            nodes = tmp_path / "home" / "nodes"
            yield from (path for path in nodes.glob("*") if path.name not in (".lock", ".ending"))
            yield from (tmp_path / "ledger").glob("*.json")

    return Files()  # type: ignore[return-value]


def test_nodes_live_stop_start_and_go(cloud: LocalDriver, cluster_files: list[Path]) -> None:
    mine = handle("aa", "train")
    attempt = MemoryAttempt(mine)
    cluster = cloud.provision(PLACE, concrete(cloud, request(3, cpus=2)), attempt)
    assert [node.rank for node in cluster.nodes] == [0, 1, 2]
    assert attempt.intents[0].ids == [node.id for node in cluster.nodes]
    addresses = [node.address for node in cluster.nodes]
    assert len(set(addresses)) == 3
    assert all(address.startswith("127.") for address in addresses)

    seen = cloud.describe(mine, PLACE)
    assert seen.complete
    assert seen.nodes == cluster.nodes
    cloud.runner(mine, cluster.nodes[1]).put_bytes(b"kept", "~/skyx_workdir/result")

    assert cloud.stop(mine, PLACE).done
    assert {node.state for node in cloud.describe(mine, PLACE).nodes} == {NodeState.STOPPED}
    with pytest.raises(NodeError, match="stopped"):
        cloud.runner(mine, cluster.nodes[0]).run(["true"], timeout=5)

    again = cloud.start(mine, PLACE, MemoryAttempt(mine))
    assert [node.address for node in again.nodes] == addresses
    assert [node.id for node in again.nodes] == [node.id for node in cluster.nodes]
    read = cloud.runner(mine, again.nodes[1]).run(["cat", "skyx_workdir/result"], timeout=5)
    assert read.stdout == b"kept"

    result = cloud.teardown(mine, PLACE)
    assert (result.done, result.remaining) == (True, ())
    assert cloud.teardown(mine, PLACE).done
    assert cloud.describe(mine, PLACE).nodes == ()
    assert list(cluster_files) == []


def test_all_ranks_can_listen_on_one_port(cloud: LocalDriver) -> None:
    cluster = cloud.provision(PLACE, concrete(cloud, request(3)), MemoryAttempt(handle("ab")))
    with socket.socket() as first:
        first.bind((cluster.nodes[0].address, 0))
        port = first.getsockname()[1]
        for node in cluster.nodes[1:]:
            with socket.socket() as other:
                other.bind((node.address, port))
                other.listen()
                socket.create_connection((node.address, port), timeout=5).close()


def test_provisioning_again_makes_only_what_is_missing(cloud: LocalDriver) -> None:
    mine = handle("ac")
    first = cloud.provision(PLACE, concrete(cloud, request(2, cpus=1)), MemoryAttempt(mine))
    attempt = MemoryAttempt(mine)
    more = cloud.provision(PLACE, concrete(cloud, request(3, cpus=1)), attempt)
    assert more.nodes[:2] == first.nodes
    assert [intent.ranks for intent in attempt.intents] == [(2,)]
    attempt = MemoryAttempt(mine)
    assert cloud.provision(PLACE, concrete(cloud, request(3, cpus=1)), attempt).nodes == more.nodes
    assert attempt.intents == []


def test_what_an_intent_made_is_found(cloud: LocalDriver) -> None:
    attempt = MemoryAttempt(handle("ad"))
    cloud.provision(PLACE, concrete(cloud, request(2)), attempt)
    found = cloud.find(attempt.intents[0])
    assert found.complete
    assert [node.id for node in found.nodes] == attempt.intents[0].ids
    attempt.intents[0].id = "another"
    assert cloud.find(attempt.intents[0]).nodes == ()


def test_inventory_tells_owners_apart(cloud: LocalDriver) -> None:
    mine, theirs = handle("ae"), handle("af", owner="other")
    for one in (mine, theirs):
        cloud.provision(PLACE, concrete(cloud, request()), MemoryAttempt(one))
    [everything] = cloud.inventory(None, [PLACE])
    assert everything.complete
    assert {cluster for cluster, _ in everything.nodes} == {mine, theirs}
    [only] = cloud.inventory("owner", [PLACE])
    assert [cluster for cluster, _ in only.nodes] == [mine]


def test_a_damaged_record_hides_nothing_and_can_be_taken_down(cloud: LocalDriver, cluster_files: list[Path]) -> None:
    mine = handle("ba")
    cluster = cloud.provision(PLACE, concrete(cloud, request(2)), MemoryAttempt(mine))
    Path(cluster.nodes[1].data["sandbox"], "node.json").write_text("{")
    seen = cloud.describe(mine, PLACE)
    assert not seen.complete
    assert "damaged" in seen.reason
    assert len(seen.nodes) == 1
    assert cloud.teardown(mine, PLACE).done
    assert list(cluster_files) == []


def test_a_reboot_stops_every_node(cloud: LocalDriver) -> None:
    mine = handle("bb")
    wanted = concrete(cloud, request(1, cpus=8))
    node = cloud.provision(PLACE, wanted, MemoryAttempt(mine)).nodes[0]
    for path in (Path(node.data["sandbox"], "node.json"), *Path(cloud._do.ledger.folder).glob("*.json")):
        path.write_text(path.read_text().replace(Path("/proc/sys/kernel/random/boot_id").read_text().strip(), "before"))
    assert cloud.describe(mine, PLACE).nodes[0].state is NodeState.STOPPED
    other = handle("bc")
    cloud.provision(PLACE, wanted, MemoryAttempt(other))  # the cores are free again
    cloud.teardown(other, PLACE)
    again = cloud.start(mine, PLACE, MemoryAttempt(mine)).nodes[0]
    assert (again.state, again.address) == (NodeState.RUNNING, node.address)


def test_files_that_a_job_made_unreadable_are_deleted(cloud: LocalDriver, cluster_files: list[Path]) -> None:
    mine = handle("bd")
    node = cloud.provision(PLACE, concrete(cloud, request()), MemoryAttempt(mine)).nodes[0]
    cloud.runner(mine, node).run(["bash", "-c", "mkdir -p a/b; touch a/b/c; chmod 0 a/b; chmod 0 a"], timeout=5)
    assert cloud.teardown(mine, PLACE).done
    assert list(cluster_files) == []


def test_a_place_for_nodes_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cloud = driver(tmp_path, tmp_path / "ledger", root=str(tmp_path / "file" / "nodes"))
    with pytest.raises(CloudError, match="Not a directory") as caught:
        cloud.provision(PLACE, concrete(cloud, request()), MemoryAttempt(handle("be")))
    assert str(tmp_path / "file") in caught.value.message
    assert not list((tmp_path / "ledger").glob("*.json"))


def test_nothing_of_the_callers_environment_reaches_a_node(cloud: LocalDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_MINE", "x")
    mine = handle("bf")
    node = cloud.provision(PLACE, concrete(cloud, request()), MemoryAttempt(mine)).nodes[0]
    shown = cloud.runner(mine, node).run(["env", "-0"], timeout=5, env={"MORE": "a\nb"}).stdout.decode().split("\0")
    names = {line.partition("=")[0] for line in shown if line}
    assert names == {"HOME", "PATH", "USER", "LOGNAME", "LANG", "SHELL", "SKYX_SANDBOX", "MORE"}
    assert f"HOME={node.data['home']}" in shown
    assert os.environ["HOME"] != node.data["home"]
