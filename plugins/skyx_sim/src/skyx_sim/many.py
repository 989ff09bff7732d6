"""One scenario under many courses of chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from skyx_sim.durations import shown
from skyx_sim.grid import grid
from skyx_sim.picture import counted
from skyx_sim.result import Json, Result

SHARES = {"p10": 0.1, "p50": 0.5, "p90": 0.9}


@dataclass(frozen=True)
class Run:
    """What one seed came to; see ``Result``."""

    seed: int
    status: str
    found_after: float | None
    virtual_seconds: float
    attempts: int
    preemptions: int
    cost_usd: float
    search_cost_usd: float


@dataclass(frozen=True)
class Spread:
    """The runs of all seeds."""

    runs: Sequence[Run]

    @property
    def found(self) -> int:
        """In how many a cluster came up, whatever became of it."""
        return sum(run.found_after is not None for run in self.runs)

    def quantiles(self, value: Callable[[Run], float | None]) -> dict[str, float | None]:
        """Values that were met: at least that share of the runs had no more. A run without one counts as later than
        all others; None where that leaves none.
        """
        known = (value(run) for run in self.runs)
        ordered = sorted(math.inf if each is None else each for each in known)
        ranks = {name: ordered[max(0, math.ceil(share * len(ordered) - 1e-9) - 1)] for name, share in SHARES.items()}
        return {name: None if math.isinf(each) else each for name, each in ranks.items()}

    def to_json(self) -> Mapping[str, Json]:
        """As ``skyx simulate --seeds N -o json`` prints it."""
        columns: dict[str, Json] = {name: dict(self.quantiles(value)) for name, (value, _) in _COLUMNS.items()}
        return {
            "seeds": len(self.runs),
            "found": self.found,
            "found_share": self.found / len(self.runs),
            "statuses": dict(Counter(run.status for run in self.runs)),
            **columns,
            "runs": [asdict(run) for run in self.runs],
        }

    def render(self, width: int | None = None) -> str:
        """As people read it."""
        rows = [[_TITLES[name], *self._texts(name)] for name in _COLUMNS]
        share = f"{self.found} of {counted(len(self.runs), 'seed')} ({self.found / len(self.runs):.0%})"
        ends = ", ".join(f"{number} {status}" for status, number in Counter(run.status for run in self.runs).items())
        return "\n".join([*grid(["", *map(str.upper, SHARES)], rows, width), "", f"Found in {share}: {ends}."])

    def _texts(self, name: str) -> list[str]:
        value, text = _COLUMNS[name]
        return ["not found" if each is None else text(each) for each in self.quantiles(value).values()]


def _money(value: float) -> str:
    return f"${value:,.2f}"


_COLUMNS: Mapping[str, tuple[Callable[[Run], float | None], Callable[[float], str]]] = {
    "found_after": (lambda run: run.found_after, shown),
    "virtual_seconds": (lambda run: run.virtual_seconds, shown),
    "attempts": (lambda run: run.attempts, "{:,.0f}".format),
    "search_cost_usd": (lambda run: run.search_cost_usd, _money),
    "cost_usd": (lambda run: run.cost_usd, _money),
}
_TITLES = {
    "found_after": "found after",
    "virtual_seconds": "ended after",
    "attempts": "attempts",
    "search_cost_usd": "spent searching",
    "cost_usd": "with the run",
}


def spread(results: Iterable[tuple[int, Result]]) -> Spread:
    """Of at least one seed and its result; keeps none of the results."""
    return Spread([_run(seed, result) for seed, result in results])


def _run(seed: int, result: Result) -> Run:
    return Run(
        seed=seed,
        status=result.status,
        found_after=result.found_after,
        virtual_seconds=result.virtual_seconds,
        attempts=len(result.attempts),
        preemptions=result.counts.preemptions,
        cost_usd=result.cost_usd,
        search_cost_usd=result.search_cost_usd,
    )
