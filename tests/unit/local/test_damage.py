"""Damaged claims, records and folders give nothing away and are named."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from local_cloud import PLACE, MemoryAttempt, concrete, driver, handle, request
from skyx_core.api import CloudError, NodeState
from skyx_local.claim_files import path_of
from skyx_local.claims import Capacity, Demand
from skyx_local.driver import LocalDriver
from skyx_local.errors import RULES
from skyx_local.ledger import Ledger

FOUR = Capacity(cpus=4, memory_gb=8)


@pytest.fixture
def cloud(tmp_path: Path) -> LocalDriver:
    return driver(tmp_path / "home", tmp_path / "ledger", cpus=4, memory_gb=8)


def _claimed(tmp_path: Path) -> tuple[Ledger, Path, Path]:
    """A ledger, a node's folder, and its claim of all cores."""
    ledger, node = Ledger(tmp_path / "ledger"), tmp_path / "nodes" / "a"
    node.mkdir(parents=True)
    ledger.claim([Demand(str(node), "a", cpus=4)], FOUR)
    ledger.settle([str(node)])
    return ledger, node, path_of(ledger.folder, str(node))


@pytest.mark.parametrize("damage", ["empty", "cut", "folder"])
def test_a_damaged_claim_blocks_and_is_named(tmp_path: Path, damage: str) -> None:
    ledger, _, path = _claimed(tmp_path)
    text = path.read_text()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        path.write_text("" if damage != "cut" else text[:-10])
    with pytest.raises(CloudError, match=path.name) as caught:
        ledger.claim([Demand(str(tmp_path), "b", cpus=1)], FOUR)
    assert caught.value.code == "LedgerDamaged"


def test_a_damaged_claim_of_a_node_that_is_gone_does_not_block(tmp_path: Path) -> None:
    ledger, node, path = _claimed(tmp_path)
    path.write_text(path.read_text()[:-10])
    node.rmdir()
    assert ledger.claim([Demand(str(tmp_path), "b", cpus=4)], FOUR)
    assert not path.exists()


def test_ones_own_damaged_claim_is_written_again_from_the_record(cloud: LocalDriver, tmp_path: Path) -> None:
    wanted = concrete(cloud, request(1, cpus=3))
    node = cloud.provision(PLACE, wanted, MemoryAttempt(handle("aa", "train"))).nodes[0]
    path = path_of(tmp_path / "ledger", node.data["sandbox"])
    path.write_text("{")
    with pytest.raises(CloudError, match="3 cores asked for, 1 of 4 free") as caught:
        cloud.provision(PLACE, wanted, MemoryAttempt(handle("bb")))
    assert caught.value.code == "InsufficientCapacity"
    assert node.address in path.read_text()


def test_taking_down_a_cluster_with_damaged_record_and_claim_frees_what_it_held(
    cloud: LocalDriver, tmp_path: Path
) -> None:
    mine, wanted = handle("aa"), concrete(cloud, request(1, cpus=3))
    folder = Path(cloud.provision(PLACE, wanted, MemoryAttempt(mine)).nodes[0].data["sandbox"])
    path_of(tmp_path / "ledger", str(folder)).write_text("{")
    (folder / "node.json").write_text("{")
    with pytest.raises(CloudError, match=r"\.json") as caught:
        cloud.provision(PLACE, wanted, MemoryAttempt(handle("bb")))
    assert caught.value.code == "LedgerDamaged"
    for again in (cloud.start, lambda *_: cloud.provision(PLACE, wanted, MemoryAttempt(mine))):
        with pytest.raises(CloudError, match=r"node\.json") as caught:
            again(mine, PLACE, MemoryAttempt(mine))
        assert caught.value.code == "NodeDamaged"
    assert cloud.teardown(mine, PLACE).done
    assert cloud.provision(PLACE, wanted, MemoryAttempt(handle("bb"))).nodes


@pytest.mark.parametrize("code", ["LedgerUnusable", "LedgerDamaged", "NodeDamaged"])
def test_damage_ends_the_search(code: str) -> None:
    assert [rule.abort for rule in RULES if rule.code == code] == [True]


def test_a_node_without_folder_is_failed_until_its_processes_have_ended(cloud: LocalDriver, tmp_path: Path) -> None:
    mine = handle("aa")
    node = cloud.provision(PLACE, concrete(cloud, request()), MemoryAttempt(mine)).nodes[0]
    env = {"SKYX_SANDBOX": node.data["sandbox"], "PATH": os.environ["PATH"]}
    with subprocess.Popen(["sleep", "60"], env=env, cwd=tmp_path, start_new_session=True) as process:
        shutil.rmtree(node.data["sandbox"])
        [seen] = cloud.describe(mine, PLACE).nodes
        assert (seen.id, seen.rank, seen.state) == (node.id, 0, NodeState.FAILED)
        assert "its folder is gone" in seen.reason
        assert cloud.teardown(mine, PLACE).done
        assert process.wait(10) != 0
    assert cloud.describe(mine, PLACE).nodes == ()


def test_far_too_many_nodes_are_refused_by_number(cloud: LocalDriver) -> None:
    [why] = cloud.why_nothing(request(10**9))
    assert "1000000000 nodes asked for" in why.reason
