"""Records and child processes for tests of the state store."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from depth import depth
from skyx_core.state.records import ClusterRecord, IntentRecord

if TYPE_CHECKING:
    from skyx_core.models import ClusterHandle

DEPTH = depth(1, 10)


class FakeClock:
    """Stands still unless told; a sleep moves it."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def handle(name: str, uid: str = "") -> ClusterHandle:
    from skyx_core.models import ClusterHandle  # children that need none start faster

    return ClusterHandle(uid=uid or f"uid-{name}", name=name, owner="o" * 16, cloud_name=name.lower())


def record(name: str, **changes: object) -> ClusterRecord:
    full = replace(
        ClusterRecord.of(handle(name), "fake"),
        region="r1",
        zone="r1-a",
        instance_type="m4",
        accelerators={"H100": 8.0},
        num_nodes=2,
        hourly_usd=12.5,
        autostop={"idle_minutes": 5, "down": False, "wait_for": "jobs"},
        task_yaml="run: 'true'\n",
        command="skyx launch",
    )
    return replace(full, **changes)  # type: ignore[arg-type]


def intent(intent_id: str, uid: str = "uid-a", **changes: object) -> IntentRecord:
    return replace(IntentRecord(intent_id, uid, 1, "vm", '{"v":1}', (0, 1), "digest", "token"), **changes)  # type: ignore[arg-type]


def start(code: str, *args: object, failpoint: str = "") -> subprocess.Popen[str]:
    """A Python process that runs ``code``; ``sys.argv[1:]`` are ``args``."""
    env = {**os.environ, "SKYX_FAILPOINT": failpoint}
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        cwd=Path(__file__).parent,
    )


def until(condition: Callable[[], bool], limit: float = 20.0) -> None:
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)
