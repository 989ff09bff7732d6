"""The benchmarks by name. Each is imported when it is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import cast

from benchmarks.rows import Benchmark

_ABOUT: Mapping[str, str] = {
    "cli_help": "skyx --help as a process: time, peak memory, growth with installed distributions",
    "import_core": "import skyx_core, then the first Task",
    "plugin_lookup": "one driver by name, first and again",
    "task_load": "a task file, after the import",
    "exec_one": "one job on a live cluster, from Python and as a command, with and without history",
    "gang_start_fail": "N ranks ready at a barrier, then one fails",
    "queue_1000": "a thousand queued jobs that do nothing",
    "status_n": "skyx status with up to 10,000 clusters",
    "footprint": "what an installation holds and what idles after a job",
    "payload": "bytes sent to the head per job",
    "plan": "a ranked plan over catalogues of real size: warm, cold, growth, memory",
    "failover": "N candidates of which all but the last fail, through the real launch",
    "engine": "the engine by itself, per failed attempt, with blocks and attempts",
    "classify": "errors per second through the rules of real clouds",
    "simulate": "a simulated search over 10,000 zones",
}


def names() -> list[str]:
    return list(_ABOUT)


def about() -> Sequence[tuple[str, str]]:
    return list(_ABOUT.items())


def benchmark(name: str) -> Benchmark:
    """The function ``run`` of the module of this name."""
    return cast("Benchmark", import_module(f"benchmarks.cases.{name}").run)
