"""``echo hi`` on a live cluster, from submission to its end on record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from benchmarks.contests import Program, contest
from benchmarks.live import Live, add_history, bare_job, durable, live, stop_agent
from benchmarks.pairs import interleave
from benchmarks.places import PYTHON, SKYX
from benchmarks.processes import spawner
from benchmarks.rows import Goal, Row, Run

if TYPE_CHECKING:
    from skyx_core import Task

BASH = ["/bin/bash", "-c", "echo hi"]
FLOOR_PROCESS = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS jobs (state TEXT)")
db.execute("INSERT INTO jobs VALUES ('RUNNING')")
pid = os.posix_spawn("/bin/bash", ["/bin/bash", "-c", "echo hi"], {})
os.waitpid(pid, 0)
db.execute("UPDATE jobs SET state = 'SUCCEEDED'")
"""


def run(run: Run) -> Iterator[Row]:
    """In process, as a whole command, and on a cluster with 10,000 jobs behind it beside one with few."""
    log = run.scratch.root / "floor.log"
    with durable(run.scratch.root / "floor.db") as db, live(run.scratch, "user") as cluster:
        found = interleave(
            {"ours": lambda: _job(cluster), "floor": lambda: _timed(lambda: bare_job(db, BASH, log))},
            run.rounds * 5,
            warm=3,
        )
        yield Row(
            "exec_one", "Session.exec and wait", "ms", found.median("ours"), floor=found.median("floor"),
            floor_is="posix_spawn of bash and two durable commits of SQLite; command: the same in python -c",
            ratio=found.ratio("ours", "floor"), goal=Goal("ours", 15, "ms"),
        )  # fmt: skip
        yield _command(run, cluster)
        yield _with_history(run, cluster, 1000 if run.quick else 10_000)


def _with_history(run: Run, few: Live, history: int) -> Row:
    with live(run.scratch, "veteran") as many:
        _job(many)
        stop_agent(many)
        add_history(many, history)
        found = interleave({"ours": lambda: _job(many), "floor": lambda: _job(few)}, run.rounds * 5, warm=3)
    return Row(
        "exec_one", f"with {history} jobs before it, to few", "ms", found.median("ours"), floor=found.median("floor"),
        ratio=found.ratio("ours", "floor"), goal=Goal("ratio", 1.15),
    )  # fmt: skip


def _job(cluster: Live) -> float:
    task = cluster.job("echo hi")
    return _timed(lambda: _succeed(cluster, task))


def _timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1e3


def _succeed(cluster: Live, task: Task) -> None:
    status = cluster.run(task)
    assert status == "SUCCEEDED", status


def _command(run: Run, cluster: Live) -> Row:
    programs = {
        "ours": Program([SKYX, "exec", cluster.name, "echo hi"], cluster.env),
        "floor": Program([PYTHON, "-c", FLOOR_PROCESS, str(run.scratch.root / "floor2.db")], cluster.env),
        "detached": Program([SKYX, "exec", cluster.name, "-d", "echo hi"], cluster.env),
    }
    with spawner(run.scratch.root) as spawn:
        found = contest(spawn, programs, run.rounds)
    return Row(
        "exec_one", "skyx exec, whole process", "ms", found.wall.median("ours"), floor=found.wall.median("floor"),
        ratio=found.wall.ratio("ours", "floor"), goal=Goal("ours", 250, "ms"),
        note=f"{found.note('ours', 'floor')}; detached {found.wall.median('detached'):.0f} ms",
    )  # fmt: skip
