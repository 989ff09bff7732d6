from builders import offer, source
from skyx_core.models import Amount, Capability, Request, WhyNot
from skyx_core.plan.planner import make_plan


def regions(plan):
    return [c.candidate.infra() for c in plan.choices]


def test_cheapest_first_over_all_clouds_and_ties_by_name():
    a = source("a", offer("a", "r2", hourly_usd=2), offer("a", "r1", hourly_usd=1))
    b = source("b", offer("b", "r1", hourly_usd=1), offer("b", "r3", hourly_usd=0.5))
    assert regions(make_plan([Request()], [b, a], ordered=False)) == ["b/r3", "a/r1", "b/r1", "a/r2"]


def test_ordered_alternatives_keep_the_users_order_even_when_dearer():
    a = source("a", offer("a", hourly_usd=9), offer("a", "r2", hourly_usd=10))
    b = source("b", offer("b", hourly_usd=1))
    requests = [Request(cloud="a"), Request(cloud="b")]
    assert regions(make_plan(requests, [a, b], ordered=True)) == ["a/r1", "a/r2", "b/r1"]
    assert regions(make_plan(requests, [a, b], ordered=False)) == ["b/r1", "a/r1", "a/r2"]


def test_on_demand_zones_of_a_region_are_one_candidate_and_spot_goes_zone_by_zone():
    zones = [offer("a", "r", zone=z, use_spot=s) for s in (False, True) for z in ("r-a", "r-b")]
    cloud = source("a", *zones, capabilities=frozenset({Capability.SPOT}))
    assert regions(make_plan([Request()], [cloud], ordered=False)) == ["a/r"]
    assert regions(make_plan([Request(use_spot=True)], [cloud], ordered=False)) == ["a/r/r-a", "a/r/r-b"]


def test_price_is_for_all_nodes_and_the_cap_is_named():
    cloud = source("a", offer("a", hourly_usd=2), capabilities=frozenset({Capability.MULTI_NODE}))
    plan = make_plan([Request(num_nodes=3, max_hourly_cost=5)], [cloud], ordered=False)
    assert list(plan.choices) == []
    assert "max_hourly_cost" in plan.excluded[0].reason
    plan = make_plan([Request(num_nodes=3, max_hourly_cost=6)], [cloud], ordered=False)
    assert [c.candidate.hourly_usd for c in plan.choices] == [6.0]


def test_a_cloud_without_a_needed_feature_is_left_out_with_the_feature_named():
    asked = []
    cloud = source("a", offer("a"), offers=lambda request: asked.append(request) or [])
    plan = make_plan([Request(use_spot=True, ports=("80",))], [cloud], ordered=False)
    assert list(plan.choices) == []
    assert plan.excluded == [WhyNot(subject="a", reason="doesn't support spot instances and opening ports")]
    assert not asked  # nothing was asked of the catalogue


def test_autostop_needs_self_end_and_stopping_needs_stop():
    can_end = source("a", offer("a"), abilities=frozenset({"self_end"}))
    down = Request(autostop=True, autostop_down=True)
    assert len(list(make_plan([down], [can_end], ordered=False).choices)) == 1
    stop = make_plan([Request(autostop=True)], [can_end], ordered=False)
    assert list(stop.choices) == []
    assert "--down" in stop.excluded[0].reason


def test_amounts_and_fractions_of_accelerators():
    big = offer("a", "big", cpus=8, accelerators={"A100": 1.0}, hourly_usd=3)
    small = offer("a", "small", cpus=4, accelerators={"A100": 2.0}, hourly_usd=1)
    cloud = source("a", big, small)

    def plan(**fields):
        return regions(make_plan([Request(**fields)], [cloud], ordered=False))

    assert plan(cpus=Amount(value=6, plus=True)) == ["a/big"]
    assert plan(cpus=Amount(value=4)) == ["a/small"]
    assert plan(accelerators={"A100": 1.0}) == ["a/big"]
    assert plan(accelerators={"A100": 0.5}) == ["a/small", "a/big"]
    assert plan(accelerators={"H100": 1.0}) == []


def test_unknown_cloud_is_named_with_the_nearest_one_and_a_disabled_one_with_its_fix():
    cloud = source("alpha", offer("alpha"))
    plan = make_plan([Request(cloud="alpah")], [cloud], ordered=False)
    assert list(plan.choices) == []
    assert "alpha" in plan.excluded[0].fix
    off = WhyNot(subject="beta", reason="no credentials", fix="log in")
    plan = make_plan([Request(cloud="beta")], [cloud], ordered=False, not_enabled=[off])
    assert list(plan.choices) == []
    assert plan.excluded == [off]


def test_a_plan_reads_no_more_offers_than_are_looked_at():
    seen = []

    def many(_request):
        for i in range(10_000):
            seen.append(i)
            yield offer("a", f"r{i:05}", hourly_usd=1 + i)

    plan = make_plan([Request()], [source("a", offers=many)], ordered=False)
    assert next(plan.choices).candidate.region == "r00000"
    assert len(seen) < 5
