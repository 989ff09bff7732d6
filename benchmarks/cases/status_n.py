"""``skyx status`` as a process, with up to 10,000 clusters on record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from benchmarks.contests import Contest, Program, contest
from benchmarks.pairs import Series
from benchmarks.places import PYTHON, SKYX
from benchmarks.processes import Spawner, spawner
from benchmarks.rows import Goal, Row, Run

COLUMNS = (
    "name, status, cloud, region, zone, instance_type, accelerators, use_spot, num_nodes, hourly_usd, autostop,"
    " created_at, head"
)
FLOOR = f"""
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1] if sys.argv[2] != "0" else ":memory:")
rows = db.execute("SELECT {COLUMNS} FROM clusters ORDER BY name").fetchall() if sys.argv[2] != "0" else []
names = {COLUMNS!r}.split(", ")
print(json.dumps([dict(zip(names, row)) for row in rows]))
"""
FORMS: Mapping[str, list[str]] = {"json": ["-o", "json"], "plain": []}
PER_CLUSTER_US = 10.0


def run(run: Run) -> Iterator[Row]:
    """Per size and form; then what each cluster adds, from none to the most."""
    sizes = (0, 100, 1000) if run.quick else (0, 100, 1000, 10_000)
    homes = {size: _home(run, size) for size in sizes}
    slopes = []
    with spawner(run.scratch.root) as spawn:
        for form, flags in FORMS.items():
            found = contest(spawn, _programs(homes, flags), run.rounds)
            for size in sizes:
                yield _row(form, size, found)
            slopes.append(_slope(form, found, sizes[-1]))
        for size, env in homes.items():
            _check(spawn, env, size)
    yield from slopes


def _programs(homes: Mapping[int, Mapping[str, str]], flags: Sequence[str]) -> dict[str, Program]:
    programs = {}
    for size, env in homes.items():
        database = str(Path(env["SKYX_HOME"]) / "state" / "state.db")
        programs[f"ours {size}"] = Program([SKYX, "status", *flags], env)
        programs[f"floor {size}"] = Program([PYTHON, "-c", FLOOR, database, str(size)], env)
    return programs


def _check(spawn: Spawner, env: Mapping[str, str], size: int) -> None:
    spawn.run([SKYX, "status", "-o", "json"], env)
    assert len(json.loads(spawn.output())) == size, "the status that was measured does not hold every cluster"


def _row(form: str, size: int, found: Contest) -> Row:
    ours, floor = f"ours {size}", f"floor {size}"
    return Row(
        "status_n", f"{form}, {size} clusters", "ms", found.wall.median(ours), floor=found.wall.median(floor),
        floor_is="python -c: select the same columns with sqlite3, print json", ratio=found.wall.ratio(ours, floor),
        note=found.note(ours, floor),
    )  # fmt: skip


def _slope(form: str, found: Contest, size: int) -> Row:
    def each(series: Series, name: str) -> float:
        pairs = zip(series.values[f"{name} 0"], series.values[f"{name} {size}"], strict=True)
        return median(most - none for none, most in pairs) / size * 1e3

    ours, floor = each(found.wall, "ours"), each(found.wall, "floor")
    return Row(
        "status_n", f"{form}, each cluster", "us", ours, floor=floor, ratio=ours / floor if floor > 0 else None,
        goal=Goal("ours", PER_CLUSTER_US, "us"),
        note=f"the slope from 0 to {size} clusters; in processor time {each(found.cpu, 'ours'):.1f} us",
    )  # fmt: skip


def _home(run: Run, size: int) -> dict[str, str]:
    from dataclasses import replace

    from skyx_core.clock import SystemClock
    from skyx_core.dirs import Dirs
    from skyx_core.models import ClusterHandle
    from skyx_core.results import ClusterStatus
    from skyx_core.state.db import Database
    from skyx_core.state.records import ClusterRecord
    from skyx_core.state.rows import PUT_CLUSTER, PUT_DOCUMENTS, from_cluster, from_documents
    from skyx_core.state.store import Store

    env = run.scratch.environ(f"with-{size}")
    path = Dirs.from_environ(env).state_db
    if not size:
        return env
    clock = SystemClock()
    Store(path, clock).owner  # noqa: B018 - makes the file
    database = Database(path)
    with database.write() as db:
        for number in range(size):
            name = f"cluster-{number:05}"
            handle = ClusterHandle(uid=f"uid-{name}", name=name, owner="0" * 16, cloud_name=name)
            record = replace(
                ClusterRecord.of(handle, "local"), region="local", instance_type="local", hourly_usd=1.25,
                accelerators={"H100": 8.0} if number % 2 else {}, num_nodes=2, status=ClusterStatus.UP,
                head="127.1.2.3", created_at=clock.time(), updated_at=clock.time(), generation=number + 1,
            )  # fmt: skip
            db.execute(PUT_CLUSTER, from_cluster(record))
            db.execute(PUT_DOCUMENTS, from_documents(record))
    database.close()
    return env
