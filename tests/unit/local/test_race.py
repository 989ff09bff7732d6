"""Sixteen processes of two homes want more than this machine is declared to have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from skyx_local.ledger import Ledger

_RACERS = """
import os, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from local_cloud import PLACE, MemoryAttempt, concrete, driver, handle, request
from skyx_core.api import CloudError
base = Path(sys.argv[2])

def race(number):
    cloud = driver(base / f"home{number % 2}", base / "ledger", cpus=8, gpus={"name": "T4", "count": 2})
    wanted = concrete(cloud, request(2, cpus=1.5, accelerators={"T4": 0.5}))
    won = 0
    for turn in range(3):
        mine = handle(f"{number:02x}{turn:02x}")
        try:
            assert len(cloud.provision(PLACE, wanted, MemoryAttempt(mine)).nodes) == 2
        except CloudError as error:
            assert error.code == "InsufficientCapacity", error
            continue
        time.sleep(0.02)
        cloud.teardown(mine, PLACE)

children = []
for number in range(16):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            race(number)
            code = 0
        finally:
            os._exit(code)
    children.append(child)
sys.exit(any(os.waitpid(child, 0)[1] for child in children))
"""


def test_racing_homes_never_hold_more_than_is_declared(tmp_path: Path) -> None:
    """A watcher adds up the live claims all the while."""
    tests = str(Path(__file__).parents[2])
    racers = subprocess.Popen([sys.executable, "-c", _RACERS, tests, str(tmp_path)])
    ledger = Ledger(tmp_path / "ledger", limit_s=30)
    most, looks = 0.0, 0
    try:
        while racers.poll() is None:
            claims = ledger.live()
            shares: dict[str, float] = {}
            for claim in claims:
                for device, share in claim.gpus.items():
                    shares[device] = shares.get(device, 0) + share
            assert sum(claim.cpus for claim in claims) <= 8
            assert max(shares.values(), default=0) <= 1
            addresses = [claim.address for claim in claims]
            assert len(set(addresses)) == len(addresses)
            most = max(most, sum(claim.cpus for claim in claims))
            looks += 1
    finally:
        racers.kill()
        racers.wait()
    assert racers.returncode == 0
    assert most == 6  # two clusters of two nodes with 1.5 cores each: all that fits
    assert looks > 5
