"""Paired, interleaved measurements: each round runs every contender once, in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

LEAST_ROUNDS = 5


@dataclass(frozen=True)
class Series:
    """Figures of several contenders, by round."""

    values: Mapping[str, Sequence[float]]

    def median(self, name: str) -> float:
        return median(self.values[name])

    def ratio(self, name: str, to: str) -> float:
        """Median of the ratios within each round, which a slow moment of the machine hardly moves."""
        return median(a / b for a, b in zip(self.values[name], self.values[to], strict=True))

    def has(self, name: str) -> bool:
        return name in self.values


def interleave(contenders: Mapping[str, Callable[[], float]], rounds: int, *, warm: int = 1) -> Series:
    """``warm`` rounds first that don't count. Every other round goes backwards, so that no place is better."""
    for _ in range(warm):
        for measure in contenders.values():
            measure()
    values: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds):
        names = list(contenders)
        for name in names if number % 2 == 0 else reversed(names):
            values[name].append(contenders[name]())
    return Series(values)
