"""A cluster ends itself by the command that the driver prepared, run by a process that it ends too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from local_cloud import PLACE, MemoryAttempt, alive, concrete, driver, eventually, handle, kill_quietly, request
from skyx_core.api import CloudError, NodeState
from skyx_local.driver import LocalDriver

# Stands for the agent: starts the command as its child and waits for it; a worker's process does its job.
_AGENT = """
import subprocess, sys, time
subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
time.sleep(600)
"""


@pytest.mark.parametrize("down", [False, True])
def test_it_ends_all_even_what_started_it(tmp_path: Path, down: bool) -> None:
    cloud: LocalDriver = driver(tmp_path / "home", tmp_path / "ledger", cpus=4)
    mine = handle("aa")
    cluster = cloud.provision(PLACE, concrete(cloud, request(2, cpus=2)), MemoryAttempt(mine))
    job = cloud.runner(mine, cluster.nodes[1]).run(
        ["bash", "-c", "trap '' TERM; sleep 600 >/dev/null 2>&1 & echo $!"], timeout=5
    )
    end = cloud.self_end(cluster, down=down)
    head = Path(cluster.nodes[0].data["sandbox"])
    agent = subprocess.Popen(
        [sys.executable, "-S", "-c", _AGENT, *end.argv],
        env={"SKYX_SANDBOX": str(head), "HOME": str(head / "home"), "PATH": "/usr/bin:/bin"},
        cwd=head / "home",
        start_new_session=True,
    )
    try:
        assert agent.wait(30) == -15
        eventually(lambda: not alive(int(job.stdout)))
        if down:
            eventually(lambda: cloud.describe(mine, PLACE).nodes == ())
            eventually(lambda: not list((tmp_path / "ledger").glob("*.json")))
        else:
            eventually(lambda: {n.state for n in cloud.describe(mine, PLACE).nodes} == {NodeState.STOPPED})
        eventually(lambda: _fits(cloud))
    finally:
        kill_quietly(agent.pid)
        kill_quietly(int(job.stdout))


def _fits(cloud: LocalDriver) -> bool:
    """Whether all cores are free again."""
    other = handle("bb")
    try:
        cloud.provision(PLACE, concrete(cloud, request(1, cpus=4)), MemoryAttempt(other))
    except CloudError:
        return False
    return cloud.teardown(other, PLACE).done


def test_repeating_it_changes_nothing_and_a_failure_is_told(tmp_path: Path) -> None:
    cloud = driver(tmp_path / "home", tmp_path / "ledger")
    mine = handle("aa")
    cluster = cloud.provision(PLACE, concrete(cloud, request()), MemoryAttempt(mine))
    argv = list(cloud.self_end(cluster, down=True).argv)
    for _ in range(2):
        done = subprocess.run(argv, timeout=30, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
    (tmp_path / "file").write_text("")
    bad = [str(tmp_path / "file") if part == str(tmp_path / "home" / "nodes") else part for part in argv]
    done = subprocess.run(bad, timeout=30, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"can't be read" in done.stderr
    assert b"Traceback" not in done.stderr
