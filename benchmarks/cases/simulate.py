"""A simulated search that sees every zone: the real planner, engine and rules, on a clock that doesn't wait."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from benchmarks.contests import Program, contest
from benchmarks.pairs import Series, interleave
from benchmarks.places import PYTHON, SKYX
from benchmarks.processes import spawner
from benchmarks.rows import Goal, Row, Run

LIMIT_S, FLAT = 5.0, 1.2
SCENARIO = """
task:
  resources: {{accelerators: H100:8, use_spot: true}}
clouds:
  - name: sim
    rules: aws
    regions: {regions}
    zones: {zones}
    price_spread: 0
    types:
      - {{name: gpu.8xh100, cpus: 192, memory: 2048, accelerators: H100:8, price: 90, spot_price: 30}}
    capacity:
      - {{zone: r{regions}-z{zones}, nodes: 8}}
      - {{nodes: 0}}
"""
FLOOR = "import yaml, sys; yaml.safe_load(open(sys.argv[1]))"


def run(run: Run) -> Iterator[Row]:
    """Growth in process, then the whole command."""
    sizes = ((5, 20), (10, 100)) if run.quick else ((5, 20), (10, 100), (100, 100))
    found = interleave({str(r * z): partial(_simulated, r, z) for r, z in sizes}, run.rounds)
    for regions, zones in sizes:
        size = regions * zones
        seconds = found.median(str(size)) * size / 1e6
        yield Row(
            "simulate", f"{size} zones, each attempt", "us", found.median(str(size)), size=size,
            note=f"processor time; {seconds:.2f} s in all",
        )  # fmt: skip
    yield _growth(found, *(str(regions * zones) for regions, zones in sizes[-2:]))
    yield _command(run, *sizes[-1])


def _growth(found: Series, few: str, many: str) -> Row:
    return Row(
        "simulate", f"{many} zones, each attempt, to {few}", "us", found.median(many), floor=found.median(few),
        ratio=found.ratio(many, few), goal=Goal("ratio", FLAT),
    )  # fmt: skip


def _simulated(regions: int, zones: int) -> float:
    """Microseconds of processor time per attempt, reading the scenario included."""
    from skyx_sim import parse_scenario, simulate

    text = SCENARIO.format(regions=regions, zones=zones)
    began = time.process_time()
    result = simulate(parse_scenario(text, file="benchmark"))
    spent = time.process_time() - began
    assert result.status == "UP", result.status
    assert len(result.attempts) == regions * zones, "not every zone was tried"
    return spent / (regions * zones) * 1e6


def _command(run: Run, regions: int, zones: int) -> Row:
    file = run.scratch.root / "scenario.yaml"
    file.write_text(SCENARIO.format(regions=regions, zones=zones))
    env = run.scratch.environ()
    programs = {
        "ours": Program([SKYX, "-o", "json", "simulate", str(file)], env),
        "floor": Program([PYTHON, "-c", FLOOR, str(file)], env),
    }
    with spawner(run.scratch.root) as spawn:
        found = contest(spawn, programs, run.rounds)
    return Row(
        "simulate", f"skyx simulate, {regions * zones} zones", "s", found.wall.median("ours") / 1e3,
        floor=found.wall.median("floor") / 1e3, floor_is="python -c: reading the scenario with yaml",
        goal=Goal("ours", LIMIT_S, "s"),
        note=f"{found.note('ours', 'floor')}; peak memory {found.peak.median('ours'):.0f} MiB",
    )  # fmt: skip
