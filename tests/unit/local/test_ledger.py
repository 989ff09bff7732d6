"""The ledger of a machine that many share, not all of them friendly."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from skyx_core.api import CloudError
from skyx_local.claims import Capacity, Claim, Demand, GpuDemand, NoAddress, Shortage, share_out
from skyx_local.ledger import Ledger
from skyx_local.nodes import shortage_text

EIGHT = Capacity(cpus=8, memory_gb=16, gpus=("0", "1"))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger", limit_s=5)


def _demand(tmp_path: Path, name: str, cpus: float = 1, **fields: object) -> Demand:
    (tmp_path / name).mkdir(exist_ok=True)
    return Demand(str(tmp_path / name), name, cpus=cpus, **fields)  # type: ignore[arg-type]


def test_all_or_nothing(ledger: Ledger, tmp_path: Path) -> None:
    with pytest.raises(Shortage) as caught:
        ledger.claim([_demand(tmp_path, name, 5) for name in ("a", "b")], EIGHT)
    assert (caught.value.lacks[0].asked, caught.value.lacks[0].free) == (10, 8)
    assert ledger.live() == []


def test_every_lack_is_named_at_once(ledger: Ledger, tmp_path: Path) -> None:
    wanted = _demand(tmp_path, "a", 9, memory_gb=17, gpus=(GpuDemand(("0", "1"), 3),))
    with pytest.raises(Shortage) as caught:
        ledger.claim([wanted], EIGHT)
    assert [lack.what for lack in caught.value.lacks] == ["cores", "GiB of memory", "GPUs"]


def test_a_claim_ends_with_its_folder(ledger: Ledger, tmp_path: Path) -> None:
    ledger.claim([_demand(tmp_path, "a", 8)], EIGHT)
    ledger.settle([str(tmp_path / "a")])
    with pytest.raises(Shortage):
        ledger.claim([_demand(tmp_path, "b", 8)], EIGHT)
    (tmp_path / "a").rmdir()
    ledger.claim([_demand(tmp_path, "b", 8)], EIGHT)
    assert [claim.cluster for claim in ledger.live()] == ["b"]


def test_claims_of_another_boot_keep_their_addresses_only(ledger: Ledger, tmp_path: Path) -> None:
    [claim] = ledger.claim([_demand(tmp_path, "a", 8)], EIGHT)
    ledger.settle([claim.folder])
    [path] = ledger.folder.glob("*.json")
    path.write_text(path.read_text().replace(claim.boot, "before"))
    assert [(c.cpus, c.address) for c in ledger.live()] == [(0, claim.address)]
    [other] = ledger.claim([_demand(tmp_path, "b", 8)], EIGHT)
    assert other.address != claim.address


def test_claimed_again_it_keeps_what_it_has(ledger: Ledger, tmp_path: Path) -> None:
    wanted = _demand(tmp_path, "a", 8, gpus=(GpuDemand(("0", "1"), 1),))
    first = ledger.claim([wanted], EIGHT)
    assert ledger.claim([wanted], EIGHT) == first


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff",
        b"[]",
        b"{}",
        b"[" * 100_000,
        b"x" * 100_000,
        json.dumps({"folder": "/x", "cluster": "u", "address": "127.0.0.1", "cpus": -5}).encode(),
        b'{"folder":"/x","cluster":"u","address":"127.0.0.1","cpus":NaN,"memory_gb":0,"gpus":{},"boot":"","claimer":null}',
        b'{"folder":"x","cluster":"u","address":"127.0.0.1","cpus":1,"memory_gb":0,"gpus":{},"boot":"","claimer":null}',
        b'{"folder":"/x","cluster":"u","address":"host","cpus":1,"memory_gb":0,"gpus":{},"boot":"","claimer":[1]}',
    ],
)
def test_files_that_are_no_claims_are_passed_over(ledger: Ledger, tmp_path: Path, content: bytes) -> None:
    ledger.claim([_demand(tmp_path, "a", 4)], EIGHT)
    (ledger.folder / f"{os.getuid()}-bad.json").write_bytes(content)
    (ledger.folder / f"{os.getuid() + 1}-forged.json").write_bytes(next(ledger.folder.glob("*.json")).read_bytes())
    os.mkfifo(ledger.folder / "pipe.json")
    (ledger.folder / "link.json").symlink_to("/etc/passwd")
    ledger.claim([_demand(tmp_path, "b", 4)], EIGHT)
    assert len(ledger.live()) == 2
    assert len(ledger.notes()) == 4


def test_another_users_claims_count(ledger: Ledger, tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can make another user's file")
    [claim] = ledger.claim([_demand(tmp_path, "a", 8)], EIGHT)
    ledger.settle([claim.folder])
    [path] = ledger.folder.glob("*.json")
    theirs = path.with_name(path.name.replace("0-", "12345-", 1))
    path.rename(theirs)
    os.chown(theirs, 12345, 12345)
    with pytest.raises(Shortage) as caught:
        ledger.claim([_demand(tmp_path, "b", 1)], EIGHT)
    assert caught.value.holders[0].user == 12345
    ledger.release("a", tmp_path)
    assert theirs.exists()
    assert shortage_text(caught.value, 1) == "1 core asked for, 0 of 8 free (held by another user: 8 cores)"


def test_the_folder_is_open_to_all_users(ledger: Ledger, tmp_path: Path) -> None:
    ledger.claim([_demand(tmp_path, "a")], EIGHT)
    assert ledger.folder.stat().st_mode & 0o7777 == 0o1777
    assert {path.stat().st_mode & 0o777 for path in ledger.folder.iterdir()} == {0o644}


def test_a_held_lock_is_named_in_time(ledger: Ledger, tmp_path: Path) -> None:
    inside, done = threading.Event(), threading.Event()

    def hold() -> None:
        with ledger._locked("test"):
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait(10)
    try:
        with pytest.raises(CloudError, match=r"another process has held .*/lock") as caught:
            Ledger(ledger.folder, limit_s=0.1).claim([_demand(tmp_path, "a")], EIGHT)
        assert caught.value.code == "LedgerBusy"
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_ledger_that_is_no_folder_is_refused(tmp_path: Path, kind: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    if kind == "file":
        (tmp_path / "ledger").write_text("")
    else:
        (tmp_path / "ledger").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CloudError, match="no folder of its own") as caught:
        Ledger(tmp_path / "ledger").claim([_demand(tmp_path, "a")], EIGHT)
    assert caught.value.code == "LedgerUnusable"


def test_addresses_run_out_with_a_clear_error(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger", pool=4)
    ledger.claim([_demand(tmp_path, name) for name in "abc"], EIGHT)
    with pytest.raises(CloudError, match="all loopback addresses are taken"):
        ledger.claim([_demand(tmp_path, "d")], EIGHT)


def test_addresses_of_a_cluster_lie_side_by_side_and_are_the_same_each_time() -> None:
    demands = [Demand(f"/{rank}", "uid", rank) for rank in range(300)]
    made = share_out(demands, (), EIGHT)
    assert len({claim.address for claim in made}) == 300
    assert made == share_out(demands, (), EIGHT)
    assert not {claim.address.rpartition(".")[2] for claim in made} & {"0", "255"}
    with pytest.raises(NoAddress):
        share_out(demands, (), EIGHT, pool=256)


def test_gpus_are_taken_whole_and_in_tight_shares() -> None:
    held = [Claim("/a", "a", "127.64.0.1", gpus={"0": 0.25}), Claim("/b", "b", "127.64.0.2", gpus={"1": 0.5})]
    capacity = Capacity(1, 1, ("0", "1", "2", "3"))
    ids = capacity.gpus

    def taken(*counts: float) -> list[dict[str, float]]:
        demands = [Demand(f"/{n}", "c", n, gpus=(GpuDemand(ids, count),)) for n, count in enumerate(counts)]
        return [claim.gpus for claim in share_out(demands, held, capacity)]

    assert taken(0.5) == [{"1": 0.5}]
    assert taken(2) == [{"2": 1.0, "3": 1.0}]
    assert taken(1.5) == [{"2": 1.0, "1": 0.5}]
    assert taken(0.75, 0.5, 1, 1) == [{"0": 0.75}, {"1": 0.5}, {"2": 1.0}, {"3": 1.0}]
    with pytest.raises(Shortage):
        taken(3)
