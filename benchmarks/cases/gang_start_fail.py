"""N ranks up to a barrier; then rank 0 fails, and all must be dead, reaped and on record."""

from __future__ import annotations

import os
import select
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.live import LIMIT_S, Live, durable, live
from benchmarks.pairs import Series, interleave
from benchmarks.rows import Goal, Row, Run

RANK = """printf r > {folder}/ready
read -rn1 go < {folder}/go-{rank}
{then}
"""


PEER_RANKS = 8


class Times(NamedTuple):
    """Milliseconds: from the submission until all are ready; from the order to fail until the end is on record."""

    ready: float
    end: float


class Meeting:
    """The pipes by which ranks say that they are ready and rank 0 hears that it is to fail."""

    def __init__(self, folder: Path, ranks: int) -> None:
        self.folder, self.ranks = folder, ranks
        folder.mkdir()
        os.mkfifo(folder / "ready")
        for rank in range(ranks):
            os.mkfifo(folder / f"go-{rank}")
        self._ready = os.open(folder / "ready", os.O_RDWR | os.O_CLOEXEC)
        self._go = os.open(folder / "go-0", os.O_RDWR | os.O_CLOEXEC)

    def script(self, rank: int) -> str:
        return RANK.format(folder=self.folder, rank=rank, then="exit 1" if rank == 0 else "sleep 600")

    def all_ready(self) -> None:
        """Until every rank has reported, for 120 s at most."""
        seen, end = 0, time.monotonic() + LIMIT_S
        while seen < self.ranks:
            if not select.select([self._ready], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError(f"only {seen} of {self.ranks} ranks became ready")
            seen += len(os.read(self._ready, 4096))

    def fail(self) -> None:
        os.write(self._go, b"g")

    def close(self) -> None:
        for fd in (self._ready, self._go):
            os.close(fd)


def run(run: Run) -> Iterator[Row]:
    """A cluster as large as the gang; the floor is a gang of bare processes that does and records the same."""
    for ranks in (8, 64) if run.quick else (8, 64, 256):
        with durable(run.scratch.root / "floor.db") as db, live(run.scratch, f"gang-{ranks}", nodes=ranks) as cluster:
            yield from _rows(run, ranks, cluster, db)


def _rows(run: Run, ranks: int, cluster: Live, db: sqlite3.Connection) -> Iterator[Row]:
    numbers = iter(range(10_000))
    ends: dict[str, list[float]] = {"ours": [], "floor": []}

    def meeting() -> Meeting:
        return Meeting(run.scratch.root / f"meeting-{ranks}-{next(numbers)}", ranks)

    def measure(name: str) -> float:
        with closing(meeting()) as met:
            times = _ours(cluster, met) if name == "ours" else _bare(db, met)
        ends[name].append(times.end)
        return times.ready

    ready = interleave({name: partial(measure, name) for name in ends}, run.rounds)
    end = Series({name: found[1:] for name, found in ends.items()})
    peers = _dask(run, ranks) if ranks == PEER_RANKS else []
    faster = median(peer / ours for peer, ours in zip(peers, ready.values["ours"], strict=True)) if peers else None
    each = (ready.median("ours") + end.median("ours")) / ranks
    yield Row(
        "gang_start_fail", f"{ranks} ranks to ready", "ms", ready.median("ours"), floor=ready.median("floor"),
        floor_is="posix_spawn of N bash that do the same, and two durable commits", ratio=ready.ratio("ours", "floor"),
        goal=Goal("ratio", 2), note=f"{each:.2f} ms per rank in all (goal: linear, <= 1.2)",
        peer=median(peers) if peers else None, peer_is="dask" if ranks == PEER_RANKS else "", peer_goal=50,
        times_faster=faster,
    )  # fmt: skip
    yield Row(
        "gang_start_fail", f"{ranks} ranks, fail to recorded", "ms", end.median("ours"), floor=end.median("floor"),
        ratio=end.ratio("ours", "floor"), goal=Goal("ours", 100, "ms") if ranks == 256 else Goal("ratio", 2),
    )  # fmt: skip


def _dask(run: Run, ranks: int) -> list[float]:
    """Until each worker has run one bash, by round; [] without the peer."""
    home = run.scratch.folder("peer")
    found = [run.peers.ask("dask", "dask_gang.py", [str(ranks)], home) for _ in range(run.rounds)]
    return [float(times[0]) for times in found if isinstance(times, list)]


def _ours(cluster: Live, met: Meeting) -> Times:
    task = cluster.job("true", nodes=met.ranks)
    began = time.perf_counter()
    job = cluster.session.exec(cluster.name, task, run=lambda rank, _: met.script(rank))
    assert job.job_id is not None
    met.all_ready()
    ready = time.perf_counter()
    met.fail()
    status = cluster.session.wait(cluster.name, job.job_id, LIMIT_S).status
    end = time.perf_counter()
    assert status == "FAILED", status
    return Times((ready - began) * 1e3, (end - ready) * 1e3)


def _bare(db: sqlite3.Connection, met: Meeting) -> Times:
    began = time.perf_counter()
    row = db.execute("INSERT INTO jobs (state) VALUES ('RUNNING')").lastrowid
    out = os.open(met.folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    actions = [(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)]
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    pids = [
        os.posix_spawn("/bin/bash", ["bash", "-c", met.script(rank)], env, file_actions=actions, setpgroup=0)
        for rank in range(met.ranks)
    ]
    met.all_ready()
    ready = time.perf_counter()
    met.fail()
    os.waitpid(pids[0], 0)
    for pid in pids[1:]:
        os.killpg(pid, signal.SIGKILL)
    for pid in pids[1:]:
        os.waitpid(pid, 0)
    db.execute("UPDATE jobs SET state = 'FAILED' WHERE id = ?", (row,))
    end = time.perf_counter()
    os.close(out)
    return Times((ready - began) * 1e3, (end - ready) * 1e3)
