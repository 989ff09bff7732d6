"""Whole programs against one another, interleaved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.pairs import LEAST_ROUNDS, Series, interleave
from benchmarks.processes import Spawner, Usage


@dataclass(frozen=True)
class Program:
    """One contender."""

    argv: Sequence[str]
    env: Mapping[str, str]


@dataclass(frozen=True)
class Contest:
    """``wall`` and ``cpu`` in ms, ``peak`` in MiB, each by program and round."""

    wall: Series
    cpu: Series
    peak: Series

    def note(self, name: str, to: str) -> str:
        """Processor time, which other work on the machine disturbs less."""
        return f"processor time {self.cpu.median(name):.0f} ms, {self.cpu.ratio(name, to):.2f}x the floor's"


def contest(spawn: Spawner, programs: Mapping[str, Program], rounds: int, *, warm: int = 1) -> Contest:
    """At least 5 rounds, after ``warm`` that don't count."""
    usages: dict[str, list[Usage]] = {name: [] for name in programs}

    def measure(name: str, program: Program) -> float:
        usage = spawn.run(program.argv, program.env)
        usages[name].append(usage)
        return usage.wall_ms

    runs = {name: partial(measure, name, program) for name, program in programs.items()}
    wall = interleave(runs, max(rounds, LEAST_ROUNDS), warm=warm)
    kept = {name: found[warm:] for name, found in usages.items()}
    return Contest(
        wall,
        Series({name: [usage.cpu_ms for usage in found] for name, found in kept.items()}),
        Series({name: [usage.peak_mib for usage in found] for name, found in kept.items()}),
    )
