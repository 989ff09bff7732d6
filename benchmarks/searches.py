"""One search for capacity through the whole launch, and the least that any tool would have to do for it."""

from __future__ import annotations

import heapq
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING
from unittest.mock import patch

from benchmarks.failing_cloud import NAME, failing_cloud
from benchmarks.live import FULL, LIMIT_S
from benchmarks.places import SKYX

if TYPE_CHECKING:
    import sqlite3

    from benchmarks.market import Market
    from benchmarks.places import Scratch

TASK = f"resources: {{infra: {NAME}, accelerators: 'A100:8', use_spot: true}}\nrun: echo hi\n"


@dataclass(frozen=True)
class Found:
    """``moments``: s at which the cloud was asked; ``cpu_s``: processor time of the whole search."""

    moments: list[float]
    total_s: float
    cpu_s: float

    @property
    def each_ms(self) -> float:
        """Mean of the failed attempts."""
        return (self.moments[-1] - self.moments[0]) / (len(self.moments) - 1) * 1e3

    def quarters(self) -> tuple[float, float]:
        """Medians in ms of the first and the last quarter."""
        each = [(after - before) * 1e3 for before, after in pairwise(self.moments)]
        part = max(1, len(each) // 4)
        return median(each[:part]), median(each[-part:])


def search(
    scratch: Scratch, home: Path, market: Market, *, may_exist: bool = False, catalogue: Path | None = None
) -> Found:
    """Launch in a home of its own until the last zone is asked. Every event goes into a log file too.

    ``catalogue``: a folder of imported catalogues to plan from; None = offers from memory.
    """
    from skyx_core import Session
    from skyx_core.errors import UsageError
    from skyx_core.task import loads

    cloud = failing_cloud(market, may_exist=may_exist, catalogued=catalogue is not None)
    home.mkdir(parents=True)
    if catalogue is not None:
        (home / "data").mkdir()
        (home / "data" / "catalog").symlink_to(catalogue)
    environ = scratch.environ(SKYX_HOME=str(home))
    task = loads(TASK, file="benchmark").tasks[0]
    with (
        (home / "search.log").open("w") as log,
        Session(
            environ=environ, cwd=home, scan_plugins=False, plugins=[("cloud", NAME, cloud)],
            on_event=lambda event: print(event.time, event.kind, event.attempt, event.error, file=log),
        ) as session,
    ):  # fmt: skip
        began, cpu = time.perf_counter(), time.process_time()
        with suppress(UsageError):
            session.launch(task, cluster="bench")
        ended, cpu_ended = time.perf_counter(), time.process_time()
    moments = cloud.asked.moments
    assert len(moments) == market.candidates, f"{len(moments)} of {market.candidates} zones were asked"
    return Found(moments, ended - began, cpu_ended - cpu)


def imported(scratch: Scratch, user: str, file: Path) -> Path:
    """The folder of catalogues of a user who has imported this file. 120 s at most."""
    environ = scratch.environ(user)
    argv = [SKYX, "catalog", "import", NAME, str(file)]
    done = subprocess.run(argv, env=environ, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    if done.returncode:
        raise RuntimeError(f"the import of {file} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return Path(environ["SKYX_HOME"]) / "data" / "catalog"


@contextmanager
def counted_commits() -> Iterator[list[bool]]:
    """The list grows by one for each transaction that is written; False: one that need not be on the disk at once."""
    from skyx_core.state.db import Database

    counts: list[bool] = []
    real = Database.write

    @contextmanager
    def write(self: Database, **how: bool) -> Iterator[sqlite3.Connection]:
        with real(self, **how) as con:
            yield con
        counts.append(how.get("durable", True))

    with patch.object(Database, "write", write):
        yield counts


def floor(folder: Path, market: Market) -> float:
    """Milliseconds per failed attempt of an ordered heap, a set of what is blocked, and one durable commit each."""
    import sqlite3

    path = folder / "floor.db"
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript(f"{FULL}; CREATE TABLE attempts (id INTEGER PRIMARY KEY, zone TEXT, error TEXT, time REAL)")
    heap = [(float(str(row["SpotPrice"])), str(row["AvailabilityZone"])) for row in market.needles()]
    heapq.heapify(heap)
    blocked: set[str] = set()
    began, count = time.perf_counter(), len(heap)
    while heap:
        _, zone = heapq.heappop(heap)
        if zone not in blocked:
            blocked.add(zone)
            db.execute("INSERT INTO attempts (zone, error, time) VALUES (?, ?, ?)", (zone, "none left", time.time()))
    each = (time.perf_counter() - began) / count * 1e3
    db.close()
    return each


def memory_folder() -> Path | None:
    """Of a file system without a disk, where commits cost next to nothing; None where there is none."""
    folder = Path("/dev/shm")
    return folder if os.access(folder, os.W_OK) else None
