"""What can't be had is said with the fields that stand against each other, and with the nearest there is."""

import pytest

from builders import offer, source
from skyx_core.models import Amount, Capability, Request
from skyx_core.plan.near import near
from skyx_core.plan.planner import make_plan

SPOT = frozenset({Capability.SPOT})
V100 = {"V100": 1.0}
CLOUD = source(
    "a",
    offer("a", "us-east-1", zone="us-east-1a", instance_type="cpu8", cpus=8, memory_gb=32, hourly_usd=2),
    offer("a", "us-west-2", zone="us-west-2a", instance_type="p3", cpus=8, accelerators=V100, hourly_usd=3),
    offer("a", "us-west-2", zone="us-west-2a", instance_type="p3.8", cpus=32, accelerators={"V100": 4}, hourly_usd=12),
    offer("a", "us-west-2", zone="us-west-2a", instance_type="big", cpus=96, memory_gb=768, hourly_usd=20),
    capabilities=SPOT,
)


def why(**fields: object) -> list[str]:
    plan = make_plan([Request.model_validate(fields)], [CLOUD])
    assert list(plan.choices) == []
    return [f"{left.reason} | {left.fix}" for left in plan.excluded]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"instance_type": "p3", "accelerators": {"A100": 1}},
            "instance_type p3 has V100:1, and accelerators asks for A100:1",
        ),
        (
            {"instance_type": "cpu8", "accelerators": {"A100": 1}},
            "instance_type cpu8 has no accelerators, and accelerators asks for A100:1",
        ),
        ({"instance_type": "cpu8", "cpus": {"value": 4}}, "instance_type cpu8 has 8 vCPUs, and cpus asks for 4"),
        (
            {"instance_type": "cpu8", "memory_gb": {"value": 64, "plus": True}},
            "instance_type cpu8 has 32 GB, and memory asks for 64+",
        ),
        ({"instance_type": "cpu8", "use_spot": True}, "instance_type cpu8 isn't sold as spot | use_spot: false"),
        (
            {"instance_type": "cpu8", "region": "us-west-2"},
            "instance_type cpu8 isn't offered in region us-west-2 | it is in us-east-1",
        ),
        (
            {"region": "us-east-1", "zone": "us-west-2a"},
            "zone us-west-2a is in region us-west-2, not in region us-east-1",
        ),
        (
            {"region": "us-est-1", "cpus": {"value": 8}},
            "nothing that fits is in region us-est-1; it is in us-east-1, us-west-2 | did you mean 'us-east-1'?",
        ),
        ({"max_hourly_cost": 1.5}, "$0.50 over max_hourly_cost $1.50"),
        ({"accelerators": {"B200": 8}}, "no offer fits 1x {B200:8}"),
    ],
)
def test_contradictions_name_their_fields(fields: dict[str, object], said: str) -> None:
    assert any(said in line for line in why(**fields)), why(**fields)


def nearly(*requests: Request) -> dict[str, tuple[str, str, str]]:
    found = near(requests, [CLOUD])
    return {one.field: (one.asked, one.nearest, one.choice.candidate.instance_type) for one in found}


def test_each_demand_that_is_alone_in_the_way_is_named_with_the_cheapest_without_it() -> None:
    assert nearly(Request(use_spot=True)) == {"use_spot": ("spot", "on-demand", "cpu8")}
    assert nearly(Request(region="eu-1", cloud="a")) == {"region": ("eu-1", "us-east-1", "cpu8")}
    assert nearly(Request(max_hourly_cost=1)) == {"max_hourly_cost": ("$1.00/h", "$2.00/h", "cpu8")}
    assert nearly(Request(accelerators={"V100": 2})) == {"accelerators": ("V100:2", "V100:4", "p3.8")}
    assert nearly(Request(accelerators={"V100": 8})) == {"accelerators": ("V100:8", "V100:4", "p3.8")}
    assert nearly(Request(cpus=Amount(value=16))) == {"cpus": ("16", "32", "p3.8")}
    assert nearly(Request(memory_gb=Amount(value=1000, plus=True))) == {"memory": ("1000+", "768", "big")}
    assert nearly(Request(zone="us-east-1a", instance_type="big")) == {
        "zone": ("us-east-1a", "us-west-2", "big"),
        "instance_type": ("big", "cpu8", "cpu8"),
    }


def test_two_demands_in_the_way_are_not_guessed_at() -> None:
    assert nearly(Request(use_spot=True, max_hourly_cost=1)) == {}


def test_of_several_alternatives_the_cheapest_counts() -> None:
    found = near([Request(use_spot=True, instance_type="big"), Request(use_spot=True, instance_type="p3")], [CLOUD])
    assert [(one.field, one.choice.candidate.instance_type) for one in found] == [("use_spot", "p3")]


def test_the_demand_for_one_cloud_can_be_the_one_in_the_way() -> None:
    other = source("b", offer("b", "r", accelerators={"H100": 8.0}, hourly_usd=80))
    found = near([Request(cloud="a", accelerators={"H100": 8.0})], [CLOUD, other])
    assert [(one.field, one.asked, one.nearest) for one in found] == [("cloud", "a", "b")]
