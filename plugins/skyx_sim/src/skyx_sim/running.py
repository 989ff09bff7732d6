"""Running scenarios from Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from skyx_sim import reading
from skyx_sim.result import Result
from skyx_sim.rules import Tables, installed_tables, known_rules
from skyx_sim.scenario import Scenario
from skyx_sim.simulation import Simulation

if TYPE_CHECKING:
    from skyx_sim.many import Spread


def load_scenario(path: str | Path) -> Scenario:
    """Read and check a file; see ``reading.load_scenario`` for the errors."""
    return reading.load_scenario(Path(path), known_rules=known_rules)


def parse_scenario(text: str, *, file: str = "<string>") -> Scenario:
    """Read and check a text."""
    return reading.parse_scenario(text, file=file, known_rules=known_rules)


def simulate(
    scenario: Scenario,
    *,
    hedge: int | None = None,
    seed: int | None = None,
    limit: float | None = None,
    tables: Tables | None = None,
    environ: Mapping[str, str] | None = None,
) -> Result:
    """Search for the scenario's task on its clouds, in virtual time. ``hedge``, ``seed`` and ``limit`` (seconds) go
    before those of the scenario. ``tables``: rules by cloud; without it, those that are installed, and with ``environ``
    the user's own before them. Equal arguments give equal results.
    """
    changes: dict[str, object] = {"hedge": hedge, "seed": seed, "limit": limit}
    scenario = scenario.model_copy(update={name: value for name, value in changes.items() if value is not None})
    return Simulation(scenario, tables or installed_tables(environ)).run()


def simulate_seeds(
    scenario: Scenario,
    seeds: int,
    *,
    hedge: int | None = None,
    limit: float | None = None,
    tables: Tables | None = None,
    environ: Mapping[str, str] | None = None,
) -> Spread:
    """As ``simulate`` with each of the seeds 0 to ``seeds`` - 1 (at least one); takes as long as all of them."""
    from skyx_sim.many import spread

    if seeds < 1:
        raise ValueError("at least one seed is needed")
    rules = tables or installed_tables(environ)
    runs = (simulate(scenario, hedge=hedge, seed=seed, limit=limit, tables=rules) for seed in range(seeds))
    return spread(enumerate(runs))
