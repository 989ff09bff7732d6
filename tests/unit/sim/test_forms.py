"""Short forms in scenarios, and errors in words of scenarios."""

from __future__ import annotations

import pytest

from skyx_core.api import ScenarioError
from skyx_sim import parse_scenario
from skyx_sim.scenario import Scenario

TEXT = """\
task: {{resources: {{cpus: 2}}}}
clouds:
  - {{name: a, regions: {regions}, types: [{{name: s, cpus: 2, memory: 4, price: 1{kind}}}]{cloud}}}
{rest}
"""
BAD = [
    ({"cloud": "capacity: [{scarcity: 90, nodes: 1}]"}, "capacity.0.scarcity: expected 0 to 1, such as 0.9"),
    ({"cloud": "capacity: [{scarcity: 190%, nodes: 1}]"}, "capacity.0.scarcity: expected 0 to 1, such as 0.9"),
    ({"cloud": "capacity: [{scarcity: often, nodes: 1}]"}, "capacity.0.scarcity: expected 0 to 1, such as 0.9"),
    ({"cloud": "capacity: [{nodes: 1.5}]"}, "capacity.0.nodes: expected a whole number"),
    ({"cloud": "capacity: [{nodes: 9999999}]"}, "capacity.0.nodes: must be at most 1,000,000"),
    ({"cloud": "capacity: [3]"}, "capacity.0: expected a mapping such as {zone: a, nodes: 0}"),
    ({"cloud": "capacity: {nodes: 1}"}, "capacity: expected a list of mappings such as {zone: a, nodes: 0}"),
    ({"cloud": "preemption: [4h]"}, "preemption: expected a time, or a mapping such as {mean: 4h}"),
    ({"cloud": "preemption: {mean: 0}"}, "preemption.mean: must be more than 0"),
    ({"cloud": "preemption: soon"}, "preemption.mean: expected seconds, or a text such as 90s"),
    ({"cloud": "latency: [3]"}, "latency: expected a time, or a mapping such as {mean: 2m, spread: 30s}"),
    ({"cloud": "credentials: 1h"}, "credentials: expected a mapping such as {expire: 1h, renew: 2h}"),
    ({"cloud": "rate_limit: 3"}, "rate_limit: expected a mapping such as {calls: 3, per: 60s}"),
    ({"cloud": "errors: [{error: 3}]"}, "error: expected a text, or a mapping such as {code: ..., message: ...}"),
    ({"cloud": "zones: few"}, "zones: expected a whole number"),
    ({"cloud": "atomic: 7"}, "atomic: expected true or false"),
    ({"regions": "east"}, "regions: expected a number of regions, or a list of their names"),
    ({"regions": "[3]"}, "regions.0: expected a name, or a mapping such as {name: east, zones: [a, b]}"),
    ({"regions": "[{name: x, zones: a}]"}, "zones: expected a number of zones, at least 1, or a list of their names"),
    ({"regions": "[{name: x, zones: 0}]"}, "zones: expected a number of zones, at least 1, or a list of their names"),
    ({"regions": "[{name: x, zones: [3]}]"}, "zones.0: expected a name"),
    ({"regions": "[{name: x, zones: 999999}, {name: y, zones: 9}]"}, "1,000,008 zones are more than 1,000,000"),
    ({"kind": "regions: r1"}, "types.0.regions: expected a list of names such as [a, b]"),
    ({"kind": "spot_price: -1"}, "types.0.spot_price: must be at least 0"),
    ({"rest": "limit: 900d"}, "limit: a year is the most"),
    ({"rest": "expect: {status: up}"}, "expect.status: expected UP, GAVE_UP, ABORTED or LIMIT"),
]
JARGON = ("input should", "valid", "tuple", "dict", "instance", "string", "integer", "parse")


def read(**parts: str) -> Scenario:
    inner = {name: f", {parts[name]}" if name in parts else "" for name in ("kind", "cloud")}
    return parse_scenario(
        TEXT.format(regions=parts.get("regions", "1"), rest=parts.get("rest", ""), **inner), file="s.yaml"
    )


@pytest.mark.parametrize(("parts", "words"), BAD, ids=[words[:40] for _, words in BAD])
def test_a_mistake_is_told_in_words_of_scenarios(parts: dict[str, str], words: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(**parts)
    [line] = caught.value.why.splitlines()
    assert words in line
    assert not any(word in line.lower() for word in JARGON)


def test_a_region_may_say_how_many_zones_it_has() -> None:
    scenario = read(regions="[{name: x, zones: 3}, {name: y, zones: [y1]}]", cloud="capacity: [{zone: x-z2, nodes: 0}]")
    assert [region.zones for region in scenario.clouds[0].regions] == [("x-z1", "x-z2", "x-z3"), ("y1",)]
    with pytest.raises(ScenarioError, match="mistake") as caught:
        read(regions="[{name: x, zones: 3}]", cloud="capacity: [{zone: x-z4, nodes: 0}]")
    assert "no zone named 'x-z4'" in caught.value.why


def test_a_time_alone_is_a_mean() -> None:
    cloud = read(cloud="preemption: 4h, latency: 90", rest="limit: 1d").clouds[0]
    assert cloud.preemption is not None
    assert (cloud.preemption.mean, cloud.latency.mean) == (4 * 3600, 90)


def test_shares_may_be_percentages() -> None:
    cloud = read(cloud="capacity: [{scarcity: 90%, nodes: 1}], price_spread: 12.5%").clouds[0]
    assert (cloud.capacity[0].scarcity, cloud.price_spread) == (0.9, 0.125)
