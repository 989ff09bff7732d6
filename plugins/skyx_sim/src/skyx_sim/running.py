"""Running scenarios from Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from skyx_sim import reading
from skyx_sim.result import Result
from skyx_sim.rules import Tables, installed_tables, known_rules
from skyx_sim.scenario import Scenario
from skyx_sim.simulation import Simulation


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
