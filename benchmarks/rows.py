"""What a benchmark hands over: figures beside their floors, and whether a goal is met."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, Protocol

from benchmarks.places import Scratch


@dataclass(frozen=True)
class Goal:
    """``at_most`` bounds the ratio to the floor, or our own figure in its unit."""

    of: Literal["ratio", "ours"]
    at_most: float
    unit: str = ""

    def __str__(self) -> str:
        return f"<= {self.at_most:g}x" if self.of == "ratio" else f"<= {self.at_most:g} {self.unit}".rstrip()


@dataclass(frozen=True)
class Row:
    """One line of the table. ``ratio``: median of paired ratios, ours / floor. ``peer`` in the same unit; None: its
    environment is not there. ``times_faster``: median of paired ratios, peer / ours; ``peer_goal`` is its lower bound.
    ``size``: of the work, where a figure is one of several that show how cost grows.
    """

    name: str
    what: str
    unit: str
    ours: float
    floor: float | None = None
    floor_is: str = ""
    ratio: float | None = None
    goal: Goal | None = None
    peer: float | None = None
    peer_is: str = ""
    times_faster: float | None = None
    peer_goal: float | None = None
    note: str = ""
    size: int | None = None

    @property
    def met(self) -> bool | None:
        """None: there is no goal, or what it compares with was not measured."""
        if self.goal is None:
            return None
        figure = self.ratio if self.goal.of == "ratio" else self.ours
        return None if figure is None else figure <= self.goal.at_most

    @property
    def peer_met(self) -> bool | None:
        if self.peer_goal is None or self.times_faster is None:
            return None
        return self.times_faster >= self.peer_goal

    def as_json(self) -> Mapping[str, object]:
        goal = None if self.goal is None else str(self.goal)
        return {**asdict(self), "goal": goal, "met": self.met, "peer_met": self.peer_met}


class Peers(Protocol):
    """Environments of other tools."""

    def program(self, name: str, program: str) -> str | None:
        """A program of a peer's environment, or None where that is not installed."""

    def ask(self, name: str, script: str, arguments: Sequence[str], home: Path, limit_s: float = 120) -> object:
        """What a script of ``drivers/`` answers under the peer's interpreter; None without the peer."""


@dataclass(frozen=True)
class Run:
    """What a benchmark is given. ``rounds``: pairs to measure, at least 5; ``quick``: small sizes."""

    scratch: Scratch
    peers: Peers
    rounds: int
    quick: bool


Benchmark = Callable[[Run], Iterator[Row]]
