"""A task file, text to checked task, once everything is imported."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.pairs import interleave
from benchmarks.places import REPOSITORY
from benchmarks.rows import Goal, Row, Run

FILES = REPOSITORY / "tests" / "data" / "tasks"
REPEATS = 10


def run(run: Run) -> Iterator[Row]:
    """Every example file; the table shows the smallest, the median and the slowest of them."""
    found = [_file(run, path) for path in sorted(FILES.glob("*.yaml"))]
    found.sort(key=lambda row: row.ours)
    for label, row in (("fastest", found[0]), ("median", found[len(found) // 2]), ("slowest", found[-1])):
        yield Row(**{**row.__dict__, "what": f"{label}: {row.what}"})


def _file(run: Run, path: Path) -> Row:
    import yaml

    from skyx_core.task import loads

    text = path.read_text()

    def ours() -> float:
        began = time.perf_counter()
        for _ in range(REPEATS):
            loads(text, file=path.name, lenient=True)
        return (time.perf_counter() - began) / REPEATS * 1e3

    def floor() -> float:
        began = time.perf_counter()
        for _ in range(REPEATS):
            list(yaml.load_all(text, Loader=yaml.CSafeLoader))
        return (time.perf_counter() - began) / REPEATS * 1e3

    series = interleave({"ours": ours, "floor": floor}, run.rounds)
    return Row(
        "task_load", path.name, "ms", series.median("ours"), floor=series.median("floor"),
        floor_is="yaml.load_all with libyaml's loader, no checks", ratio=series.ratio("ours", "floor"),
        goal=Goal("ours", 3, "ms"),
    )  # fmt: skip
