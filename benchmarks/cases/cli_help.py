"""``skyx --help`` as a process, beside the import of click alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.contests import Program, contest
from benchmarks.distributions import padded
from benchmarks.places import PYTHON, SKYX
from benchmarks.processes import Spawner, spawner
from benchmarks.rows import Goal, Row, Run


def run(run: Run) -> Iterator[Row]:
    """Time and peak memory; then the same command among 10 and 1000 distributions."""
    env = run.scratch.environ()
    with spawner(run.scratch.root) as spawn:
        yield from _beside_click(run, spawn, env)
        yield _growth(run, spawn, env, 200 if run.quick else 1000)


def _beside_click(run: Run, spawn: Spawner, env: Mapping[str, str]) -> Iterator[Row]:
    sky = run.peers.program("skypilot", "sky")
    programs = {
        "ours": Program([SKYX, "--help"], env),
        "floor": Program([PYTHON, "-c", "import click"], env),
        "bare": Program([PYTHON, "-c", "pass"], env),
    }
    if sky:
        programs["peer"] = Program([sky, "--help"], env)
    found = contest(spawn, programs, run.rounds)
    yield Row(
        "cli_help", "whole process", "ms", found.wall.median("ours"),
        floor=found.wall.median("floor"), floor_is="python -c 'import click' in the same environment",
        ratio=found.wall.ratio("ours", "floor"), goal=Goal("ratio", 1.6),
        peer=found.wall.median("peer") if sky else None, peer_is="sky --help",
        times_faster=found.wall.ratio("peer", "ours") if sky else None, peer_goal=30,
        note=f"an empty interpreter takes {found.wall.median('bare'):.0f} ms; {found.note('ours', 'floor')}",
    )  # fmt: skip
    yield Row(
        "cli_help", "peak memory", "MiB", found.peak.median("ours"), floor=found.peak.median("floor"),
        ratio=found.peak.ratio("ours", "floor"), goal=Goal("ours", 22, "MiB"),
        peer=found.peak.median("peer") if sky else None, peer_is="sky --help",
        times_faster=found.peak.ratio("peer", "ours") if sky else None,
    )  # fmt: skip


def _growth(run: Run, spawn: Spawner, env: Mapping[str, str], more: int) -> Row:
    programs = {
        name: Program([SKYX, "--help"], {**env, "PYTHONPATH": padded(run.scratch.root / f"padding-{count}", count)})
        for name, count in (("ours", more), ("floor", 10))
    }
    found = contest(spawn, programs, run.rounds, warm=2)
    return Row(
        "cli_help", f"among {more} distributions, to 10", "ms", found.wall.median("ours"),
        floor=found.wall.median("floor"), ratio=found.wall.ratio("ours", "floor"), goal=Goal("ratio", 1.15),
        note=found.note("ours", "floor"),
    )  # fmt: skip
