"""A thousand jobs that do nothing, queued behind one another by the one accelerator there is."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from statistics import median

from benchmarks.live import LIMIT_S, Live, bare_job, durable, live
from benchmarks.rows import Goal, Row, Run

SETTINGS = "clouds: {local: {gpus: {name: BENCH, count: 1}}}\n"


def run(run: Run) -> Iterator[Row]:
    """Time between the recorded ends of neighbours, so that starting the next one is in it."""
    count = 200 if run.quick else 1000
    with live(run.scratch, "user", settings=SETTINGS, resources="accelerators: 'BENCH:1'") as cluster:
        submitted, ended = _queued(run, cluster, count)
    with durable(run.scratch.root / "floor.db") as db:
        floors = []
        for _ in range(count // 5):
            began = time.perf_counter()
            bare_job(db, ["/bin/bash", "-c", "true"], run.scratch.root / "floor.log")
            floors.append((time.perf_counter() - began) * 1e3)
    each = [(after - before) * 1e3 for before, after in pairwise(ended)]
    floor, quarter = median(floors), len(each) // 4
    first, last = median(each[:quarter]), median(each[-quarter:])
    yield Row(
        "queue_1000", "each job, our own cost", "ms", median(each) - floor, floor=floor,
        floor_is="posix_spawn of bash and two durable commits of SQLite (one process; not interleaved)",
        ratio=median(each) / floor, goal=Goal("ours", 30, "ms"), note=f"ratio of {median(each):.1f} ms from end to end",
    )  # fmt: skip
    yield Row(
        "queue_1000", "last quarter, to the first", "ms", last, floor=first, ratio=last / first, goal=Goal("ratio", 1.2)
    )
    yield Row("queue_1000", "each submission", "ms", submitted, note="Session.exec, one after another")


def _queued(run: Run, cluster: Live, count: int) -> tuple[float, list[float]]:
    """Median time of a submission in ms, and the moments at which the jobs ended in s."""
    gate = run.scratch.root / "gate"
    os.mkfifo(gate)
    session, name = cluster.session, cluster.name
    first = session.exec(name, cluster.job(f"read -rn1 go < {gate}"))
    times = []
    job, last = cluster.job("true"), first.job_id
    for _ in range(count):
        began = time.perf_counter()
        last = session.exec(name, job).job_id
        times.append((time.perf_counter() - began) * 1e3)
    assert first.job_id is not None
    assert last is not None
    with gate.open("wb", buffering=0) as writer:
        writer.write(b"g")
    for _ in range(5):
        if session.wait(name, last, LIMIT_S).status == "SUCCEEDED":
            break
    with closing(sqlite3.connect(f"file:{cluster.head / 'agent.db'}?mode=ro", uri=True)) as db:
        rows = db.execute(
            "SELECT status, ended_at FROM jobs WHERE id > ? ORDER BY ended_at", (first.job_id,)
        ).fetchall()
    assert [status for status, _ in rows] == ["SUCCEEDED"] * count, "not every job ran"
    return median(times), [float(ended) for _, ended in rows]
