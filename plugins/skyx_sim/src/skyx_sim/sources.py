"""Simulated clouds as the planner sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from skyx_core.api import Candidate, Capability, Offer, Plan, Request, Source, WhyNot, make_plan

if TYPE_CHECKING:
    from skyx_sim.result import Counts
    from skyx_sim.scenario import Scenario
    from skyx_sim.world import CloudWorld

CAPABILITIES = frozenset(Capability) - {Capability.FALLBACK, Capability.FREE_DESCRIBE}
ABILITIES = frozenset({"stop", "self_end", "ports"})


def plan_for(scenario: Scenario, worlds: Mapping[str, CloudWorld], counts: Counts) -> Plan:
    """The plan of the scenario's task, lazy; counts the offers that it reads."""
    task = scenario.task
    sources = [_source(world, counts) for world in worlds.values()]
    return make_plan(task.requests(), sources, ordered=task.ordered)


def _source(world: CloudWorld, counts: Counts) -> Source:
    def offers(query: Request) -> Iterator[Offer]:
        for offer in world.shop.offers(query):
            counts.offers += 1
            yield offer

    return Source(
        cloud=world.cloud.name,
        capabilities=CAPABILITIES,
        abilities=ABILITIES,
        offers=offers,
        lacks=_nothing_lacks,
        why_nothing=_no_reason,
    )


def _nothing_lacks(_: Candidate, __: Request) -> Sequence[WhyNot]:
    return ()


def _no_reason(_: Request) -> Sequence[WhyNot]:
    return ()
