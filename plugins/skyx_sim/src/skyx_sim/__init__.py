"""Simulated clouds: what would a task cost, and how long would it search, if ...?

from skyx_sim import load_scenario, simulate

result = simulate(load_scenario("h100-spot-scarce.yaml"))
print(result.status, result.found_after, result.search_cost_usd)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_sim.many import Spread as Spread
    from skyx_sim.result import Result as Result
    from skyx_sim.running import load_scenario as load_scenario
    from skyx_sim.running import parse_scenario as parse_scenario
    from skyx_sim.running import simulate as simulate
    from skyx_sim.running import simulate_seeds as simulate_seeds
    from skyx_sim.scenario import Scenario as Scenario

_HOME = {
    "Result": "result",
    "Scenario": "scenario",
    "Spread": "many",
    "load_scenario": "running",
    "parse_scenario": "running",
    "simulate": "running",
    "simulate_seeds": "running",
}
__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
