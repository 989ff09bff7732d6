"""Killed in the middle of making nodes, and errors half-way: nothing is held or left that a teardown doesn't find."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from local_cloud import PLACE, MemoryAttempt, concrete, driver, handle, request
from skyx_core.api import CloudError

_PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from local_cloud import PLACE, MemoryAttempt, concrete, driver, handle, request
base, step = Path(sys.argv[2]), sys.argv[3]
cloud, mine = driver(base / "home", base / "ledger", cpus=8), handle("aa")
if step == "provision":
    cloud.provision(PLACE, concrete(cloud, request(3, cpus=2)), MemoryAttempt(mine))
else:
    getattr(cloud, step)(mine, PLACE, *([MemoryAttempt(mine)] if step == "start" else []))
"""


def _run(base: Path, step: str, failpoint: str) -> int:
    environ = {"PATH": os.environ["PATH"], "SKYX_FAILPOINT": failpoint}
    tests = str(Path(__file__).parents[2])
    argv = [sys.executable, "-c", _PROGRAM, tests, str(base), step]
    done = subprocess.run(argv, env=environ, timeout=60, check=False, capture_output=True)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode


def _left(base: Path) -> list[str]:
    nodes = [path.name for path in (base / "home" / "nodes").glob("*") if path.name not in (".lock", ".ending")]
    return nodes + [path.name for path in (base / "ledger").iterdir() if path.name != "lock"]


@pytest.mark.parametrize(
    "failpoint",
    [
        "local.create.before_claim=kill",
        "local.create.after_claim=kill",
        "local.create.after_node=kill",
        "local.create.after_node@2=kill",
        "local.create.after_nodes=kill",
    ],
)
def test_killed_while_making_nodes(tmp_path: Path, failpoint: str) -> None:
    assert _run(tmp_path, "provision", failpoint) == -signal.SIGKILL
    cloud = driver(tmp_path / "home", tmp_path / "ledger", cpus=8)
    other = handle("bb")
    if failpoint != "local.create.after_nodes=kill":  # what didn't come to life holds nothing
        cloud.provision(PLACE, concrete(cloud, request(1, cpus=8)), MemoryAttempt(other))
        cloud.teardown(other, PLACE)
    mine = handle("aa")
    assert cloud.teardown(mine, PLACE).done
    assert _left(tmp_path) == []
    assert len(cloud.provision(PLACE, concrete(cloud, request(3, cpus=2)), MemoryAttempt(mine)).nodes) == 3


def test_killed_while_making_nodes_then_made_again(tmp_path: Path) -> None:
    assert _run(tmp_path, "provision", "local.create.after_node@2=kill") == -signal.SIGKILL
    cloud, mine = driver(tmp_path / "home", tmp_path / "ledger", cpus=8), handle("aa")
    attempt = MemoryAttempt(mine)
    nodes = cloud.provision(PLACE, concrete(cloud, request(3, cpus=2)), attempt).nodes
    assert [node.rank for node in nodes] == [0, 1, 2]
    assert [intent.ranks for intent in attempt.intents] == [(2,)]
    assert len({node.address for node in nodes}) == 3
    with pytest.raises(CloudError, match="2 of 8 free"):
        cloud.provision(PLACE, concrete(cloud, request(1, cpus=4)), MemoryAttempt(handle("bb")))


@pytest.mark.parametrize(
    ("step", "failpoint"),
    [
        ("stop", "local.stop.after_nodes=kill"),
        ("start", "local.start.after_claim=kill"),
        ("teardown", "local.teardown.after_nodes=kill"),
    ],
)
def test_killed_while_ending_or_starting(tmp_path: Path, step: str, failpoint: str) -> None:
    assert _run(tmp_path, "provision", "") == 0
    if step == "start":
        assert _run(tmp_path, "stop", "") == 0
    assert _run(tmp_path, step, failpoint) == -signal.SIGKILL
    cloud, mine = driver(tmp_path / "home", tmp_path / "ledger", cpus=8), handle("aa")
    if step != "teardown":
        assert cloud.stop(mine, PLACE).done
        cloud.provision(PLACE, concrete(cloud, request(1, cpus=8)), MemoryAttempt(handle("bb")))
        cloud.teardown(handle("bb"), PLACE)
        assert len(cloud.start(mine, PLACE, MemoryAttempt(mine)).nodes) == 3
    assert cloud.teardown(mine, PLACE).done
    assert _left(tmp_path) == []


@pytest.mark.parametrize("action", ["raise", "enospc"])
def test_an_error_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str) -> None:
    cloud = driver(tmp_path / "home", tmp_path / "ledger", cpus=8)
    wanted = concrete(cloud, request(3, cpus=2))
    monkeypatch.setenv("SKYX_FAILPOINT", f"local.create.after_node@2={action}")
    with pytest.raises(RuntimeError if action == "raise" else CloudError) as caught:
        cloud.provision(PLACE, wanted, MemoryAttempt(handle("aa")))
    if isinstance(caught.value, CloudError):
        assert (caught.value.code, caught.value.nodes_may_exist) == ("NoSpace", False)
    assert _left(tmp_path) == []


def test_a_full_disk_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = driver(tmp_path / "home", tmp_path / "ledger", cpus=8)
    wanted = concrete(cloud, request(3, cpus=2))

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.rename", full)
        with pytest.raises(CloudError, match="no space is left for the ledger") as caught:
            cloud.provision(PLACE, wanted, MemoryAttempt(handle("aa")))
    assert caught.value.code == "NoSpace"
    assert _left(tmp_path) == []
