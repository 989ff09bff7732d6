"""A ceiling on the price holds for every zone that an attempt may take, not only for the cheapest one."""

from __future__ import annotations

import pytest

from builders import offer, source
from skyx_core.failover.blocklist import Blocklist
from skyx_core.failover.engine import Engine, Locate, Start
from skyx_core.models import Capability, Request, ZoneOption
from skyx_core.plan.planner import make_plan

PRICES = {"z1": 1.0, "z2": 2.0, "z3": 3.0}
ROWS = [offer("a", "r", zone=zone, hourly_usd=price) for zone, price in PRICES.items()]
OTHERS = [
    offer("a", "r2", zone="q1", hourly_usd=9),
    offer("a", "r", zone="z1", instance_type="t2", hourly_usd=1.5),
    offer("a", "r", zone="z3", hourly_usd=0.0, reservation="mine"),
]


@pytest.mark.parametrize(
    ("asked", "zones"),
    [
        ({}, ()),
        ({"max_hourly_cost": 1.0}, ("z1",)),
        ({"max_hourly_cost": 2.5}, ("z1", "z2")),
        ({"max_hourly_cost": 5.0, "num_nodes": 2}, ("z1", "z2")),
        ({"max_hourly_cost": 3.0}, ()),
    ],
)
def test_a_candidate_of_a_region_names_the_zones_that_cost_no_more(
    asked: dict[str, float], zones: tuple[str, ...]
) -> None:
    plan = make_plan([Request.model_validate(asked)], [source("a", *ROWS, *OTHERS, capabilities=frozenset(Capability))])
    found = [c.candidate for c in plan.choices if (c.candidate.region, c.candidate.instance_type) == ("r", "t1")]
    assert [(c.hourly_usd, c.zones) for c in found if not c.reservation] == [(1.0 * asked.get("num_nodes", 1), zones)]
    assert [c.zones for c in found if c.reservation] == [()]


def test_no_offer_is_looked_for_again_without_a_ceiling_or_without_zones() -> None:
    asked: list[Request] = []

    def sells(request: Request):  # type: ignore[no-untyped-def]
        asked.append(request)
        return iter(ROWS if request.max_hourly_cost is None else [offer("a", "r")])

    for limit in (None, 5.0):
        assert len(list(make_plan([Request(max_hourly_cost=limit)], [source("a", offers=sells)]).choices)) == 1
    assert len(asked) == 2


@pytest.mark.parametrize("together", [True, False])
def test_the_other_zones_are_not_tried(together: bool) -> None:
    plan = make_plan([Request(max_hourly_cost=2.0)], [source("a", *ROWS)])
    engine = Engine(plan.choices, blocks=Blocklist(), zones_together=frozenset("a" if together else ""))
    (locate,) = engine.next(0)
    assert isinstance(locate, Locate)
    engine.located([ZoneOption(zone=zone) for zone in ("z3", "z2", "z1", "z4")])
    (start,) = engine.next(0)
    assert isinstance(start, Start)
    assert start.zones == (("z2", "z1") if together else ("z2",))


def test_where_none_of_these_zones_is_there_the_region_is_left_out() -> None:
    plan = make_plan([Request(max_hourly_cost=2.0)], [source("a", *ROWS)])
    engine = Engine(plan.choices, blocks=Blocklist())
    engine.next(0)
    engine.located([ZoneOption(zone="z3"), ZoneOption(zone="z1", skip="closed")])
    assert [type(action).__name__ for action in engine.next(0)] == ["GiveUp"]
