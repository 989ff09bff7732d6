"""One driver found by name: in a fresh process, and again in the same one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.contests import Program, contest
from benchmarks.distributions import padded
from benchmarks.pairs import interleave
from benchmarks.places import PYTHON
from benchmarks.processes import spawner
from benchmarks.rows import Goal, Row, Run

NAME = "local"
FLOOR = "import importlib.metadata"
FIND = """
import sys
from pathlib import Path
from skyx_core.index import read_index
[entry] = [e for e in read_index(Path(sys.argv[1])).entries if (e.kind, e.name) == ("cloud", "local")]
"""
LOAD = """
import sys
from pathlib import Path
from skyx_core.calls import Caller
from skyx_core.clock import SystemClock
from skyx_core.discovery import Plugins
Plugins(caller=Caller(SystemClock()), index_dir=Path(sys.argv[1])).cloud_class("local")
"""
DIRECT = "from skyx_local.driver import LocalDriver"
STEVEDORE = "from stevedore.driver import DriverManager; DriverManager('skyx.clouds', 'local').driver"
METADATA = (
    "from importlib.metadata import entry_points; [e] = entry_points(group='skyx.clouds', name='local'); e.load()"
)
REPEATS = 2000


def run(run: Run) -> Iterator[Row]:
    """The index finds the entry; loading it costs what the driver itself imports, which the floor of that row has."""
    index = run.scratch.folder("index")
    sizes = (10, 200) if run.quick else (10, 1000)
    for count in sizes:
        yield from _first(run, index, count)
    yield _again(run, index)


def _first(run: Run, index: Path, count: int) -> Iterator[Row]:
    env = run.scratch.environ(PYTHONPATH=padded(run.scratch.root / f"padding-{count}", count))
    programs = {
        name: Program([PYTHON, "-c", code, str(index)], env)
        for name, code in {
            "find": FIND, "floor": FLOOR, "load": LOAD, "direct": DIRECT, "stevedore": STEVEDORE, "metadata": METADATA
        }.items()
    }  # fmt: skip
    with spawner(run.scratch.root) as spawn:
        found = contest(spawn, programs, run.rounds, warm=2)
    wall = found.wall
    yield Row(
        "plugin_lookup", f"find among {count}", "ms", wall.median("find"), floor=wall.median("floor"),
        floor_is="find: python -c 'import importlib.metadata'; load: importing the driver's module directly",
        ratio=wall.ratio("find", "floor"), goal=Goal("ratio", 1.3), note=found.note("find", "floor"),
    )  # fmt: skip
    yield Row(
        "plugin_lookup", f"find and load among {count}", "ms", wall.median("load"), floor=wall.median("direct"),
        ratio=wall.ratio("load", "direct"), goal=Goal("ratio", 1.3), peer=wall.median("stevedore"),
        peer_is="stevedore", times_faster=wall.ratio("stevedore", "load"),
        note=f"{found.note('load', 'direct')}; by importlib.metadata: {wall.median('metadata'):.0f} ms",
    )  # fmt: skip


def _again(run: Run, index: Path) -> Row:
    from skyx_core.calls import Caller
    from skyx_core.clock import SystemClock
    from skyx_core.discovery import Plugins

    plugins = Plugins(caller=Caller(SystemClock()), index_dir=index)
    plugins.cloud_class(NAME)
    known = {NAME: object()}

    def each(ask: Callable[[str], object]) -> float:
        began = time.perf_counter()
        for _ in range(REPEATS):
            ask(NAME)
        return (time.perf_counter() - began) / REPEATS * 1e6

    series = interleave({"ours": lambda: each(plugins.cloud_class), "floor": lambda: each(known.get)}, run.rounds)
    return Row(
        "plugin_lookup", "again, in process", "us", series.median("ours"), floor=series.median("floor"),
        floor_is="again: one dictionary look-up", ratio=series.ratio("ours", "floor"), goal=Goal("ours", 10, "us"),
    )  # fmt: skip
