"""Ranked plans over imported catalogues of real size: warm, cold, how they grow, and what they hold in memory."""

from __future__ import annotations

import csv
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.failing_cloud import NAME
from benchmarks.market import NEEDLE, Market
from benchmarks.pairs import Series, interleave
from benchmarks.places import PYTHON, REPOSITORY, SKYX
from benchmarks.planning import Planner
from benchmarks.processes import Spawner, Usage, spawner
from benchmarks.rows import Goal, Row, Run

WARM_MS, COLD_MS, MANY_MS, MANY_MIB = 4.5, 60.0, 10.0, 100.0
PEER_GOAL = 300
REAL = Market(33, 3, 696)  # 69,003 rows
FIVE = Market(20, 5, 399)  # 40,000 rows of one of five clouds
SHOWN = 20
FLOOR_IS = "a query of one indexed SQLite table, ranked: opened, all 99 rows read, closed"


def run(run: Run) -> Iterator[Row]:
    """Growth with rows, each size beside the peer; the largest warm and cold; then five clouds with 200,000 rows."""
    with spawner(run.scratch.root) as spawn:
        for others in (6, 69, REAL.others):
            yield from _one_cloud(run, spawn, Market(REAL.regions, REAL.zones, others))
        yield from _five_clouds(run, spawn)


def _one_cloud(run: Run, spawn: Spawner, market: Market) -> Iterator[Row]:
    file = market.write(run.scratch.root / f"{market.rows}.csv")
    env = run.scratch.environ(f"user-{market.rows}")
    imported = _import(spawn, env, NAME, file)
    table = _table(run.scratch.root / f"{market.rows}.db", file)
    planner = Planner(env, [NAME])
    found = interleave(
        {"ours": planner.warm_ms, "floor": partial(_floor, table), "cold": planner.cold_ms}, run.rounds, warm=2
    )
    plan = planner.plan().candidates
    assert len(plan) == market.candidates, f"{len(plan)} of {market.candidates} candidates"
    beside = _beside_peer(run, market, file, plan[0].zone, planner)
    note = f"{market.candidates} candidates ranked; processor time {planner.cpu_ms():.1f} ms"
    planner.close()
    if beside:
        note += f"; {len(beside.values['peer'])} rounds of the peer; both choose {plan[0].zone} first"
    yield _warm(market, found, beside, note)
    if market.others == REAL.others:
        yield Row(
            "plan", f"{market.rows} rows, cold from disk", "ms", found.median("cold"), floor=found.median("floor"),
            ratio=found.ratio("cold", "floor"), goal=Goal("ours", COLD_MS, "ms"),
            note="a new session that opens its files; Python's imports are done, the file is in the system's cache",
        )  # fmt: skip
        yield Row(
            "plan", f"{market.rows} rows, skyx catalog import", "ms", imported.wall_ms,
            note=f"whole process, once; peak memory {imported.peak_mib:.0f} MiB",
        )  # fmt: skip


def _warm(market: Market, found: Series, beside: Series | None, note: str) -> Row:
    large = market.others == REAL.others
    return Row(
        "plan", f"{market.rows} rows, warm", "ms", found.median("ours"), floor=found.median("floor"),
        floor_is=FLOOR_IS, ratio=found.ratio("ours", "floor"), goal=Goal("ours", WARM_MS, "ms") if large else None,
        peer=beside.median("peer") if beside else None, peer_is="sky's optimizer",
        peer_goal=PEER_GOAL if large else None, times_faster=beside.ratio("peer", "ours") if beside else None,
        size=market.rows, note=note,
    )  # fmt: skip


def _beside_peer(run: Run, market: Market, file: Path, first: str | None, planner: Planner) -> Series | None:
    """The peer's median warm times in ms, ours right before and after each; its first choice must be ours."""
    values: dict[str, list[float]] = {"peer": [], "ours": []}
    for _ in range(2 if run.quick else 5):
        before = planner.warm_ms()
        told = run.peers.ask("skypilot", "sky_plan.py", [str(file), "3"], run.scratch.folder(f"peer-{market.rows}"))
        if told is None:
            return None
        assert isinstance(told, dict)
        assert told["rows"] == market.rows
        assert told["first"]["zone"] == first, f"the peer chooses {told['first']}, skyx {first}"
        values["peer"].append(median(told["times"][1:]))
        values["ours"].append((before + planner.warm_ms()) / 2)
    return Series(values)


def _import(spawn: Spawner, env: Mapping[str, str], cloud: str, file: Path) -> Usage:
    return spawn.run([SKYX, "catalog", "import", cloud, str(file)], env)


def _table(path: Path, file: Path) -> Path:
    """The least that answers the question: one table with an index in the order of the answer."""
    with file.open() as lines, closing(sqlite3.connect(path)) as db:
        rows = [
            (r["InstanceType"], r["AcceleratorName"], r["AcceleratorCount"] or 0, r["SpotPrice"], r["Region"],
             r["AvailabilityZone"]) for r in csv.DictReader(lines)
        ]  # fmt: skip
        db.execute("CREATE TABLE offers (type TEXT, name TEXT, count REAL, price REAL, region TEXT, zone TEXT)")
        db.executemany("INSERT INTO offers VALUES (?, ?, ?, ?, ?, ?)", rows)
        db.execute("CREATE INDEX by_price ON offers (name, count, price)")
        db.commit()
    return path


def _floor(path: Path) -> float:
    began = time.perf_counter()
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
        asked = "SELECT type, region, zone, price FROM offers WHERE name = ? AND count = ? ORDER BY price"
        rows = db.execute(asked, ("A100", 8)).fetchall()
    spent = (time.perf_counter() - began) * 1e3
    assert {row[0] for row in rows} == {NEEDLE}
    return spent


def _five_clouds(run: Run, spawn: Spawner) -> Iterator[Row]:
    env = {**run.scratch.environ("five"), "PYTHONPATH": str(REPOSITORY)}
    names = [f"bench{number}" for number in range(5)]
    for number, name in enumerate(names):
        market = Market(FIVE.regions, FIVE.zones, FIVE.others, dearer=0.01 * number)
        _import(spawn, env, name, market.write(run.scratch.root / f"{name}.csv"))
    usages, answers = [], []
    for _ in range(run.rounds):
        usages.append(spawn.run([PYTHON, "-m", "benchmarks.planning", ",".join(names), str(SHOWN), "9"], env))
        answers.append(json.loads(spawn.output().splitlines()[-1]))
    assert {answer["count"] for answer in answers} == {SHOWN}
    rows = 5 * FIVE.rows
    warm, cold, cpu = (median(answer[key] for answer in answers) for key in ("warm", "cold", "cpu"))
    yield Row(
        "plan", f"{rows} offers of 5 clouds, the first {SHOWN}", "ms", warm, goal=Goal("ours", MANY_MS, "ms"),
        note=f"warm; cold {cold:.1f} ms; processor time, warm, {cpu:.1f} ms",
    )  # fmt: skip
    yield Row(
        "plan", f"{rows} offers of 5 clouds, peak memory", "MiB", median(usage.peak_mib for usage in usages),
        goal=Goal("ours", MANY_MIB, "MiB"), note="of a whole process that plans some twenty times",
    )  # fmt: skip
