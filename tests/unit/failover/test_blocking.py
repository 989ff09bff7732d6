"""From a scope to patterns: each scope, with and without what a cloud may lack."""

import pytest

from builders import candidate
from skyx_core.failover.blocking import (
    HOUR,
    MINUTE,
    UNTIL_FIXED_AT_MOST_S,
    Met,
    blocks_for,
    effective,
    narrowest,
    seconds,
    ttl_of,
    word,
)
from skyx_core.models import BlockKey, Category, ErrorRule, Place, Scope
from skyx_core.models.blocks import ANY_ACCELERATOR

ZONED = Place(cloud="c", region="r1", zones=("r1-a",))
ZONELESS = Place(cloud="c", region="r1")
T4 = {"T4": 4.0}


def keys(scope, place=ZONED, *, bucket="", rule=(), **changes):
    row = ErrorRule(**{"id": "t", "code": "X", "category": Category.CAPACITY, "block": scope, **dict(rule)})
    zone = place.zones[0] if place.zones else None
    met = Met(place, candidate(zone=zone, **changes), 100.0, "full", bucket)
    return [block.key for block in blocks_for(row, scope, met)]


def of(category, **more):
    return {"category": category, **more}


@pytest.mark.parametrize("spot", [True, False])
def test_a_zone_a_region_and_a_cloud_are_blocked_for_spot_and_on_demand(spot):
    assert keys(Scope.ZONE, use_spot=spot) == [BlockKey(cloud="c", region="r1", zone="r1-a")]
    assert keys(Scope.REGION, use_spot=spot) == [BlockKey(cloud="c", region="r1")]
    assert keys(Scope.CLOUD, use_spot=spot) == [BlockKey(cloud="c")]


@pytest.mark.parametrize("spot", [True, False])
def test_no_capacity_for_a_type_is_told_apart_by_spot_and_reservation(spot):
    exact = {"cloud": "c", "region": "r1", "instance_type": "t1", "use_spot": spot, "reservation": ""}
    assert keys(Scope.INSTANCE_TYPE_IN_ZONE, use_spot=spot) == [BlockKey(**exact, zone="r1-a")]
    assert keys(Scope.INSTANCE_TYPE_IN_REGION, use_spot=spot) == [BlockKey(**exact)]
    reserved = keys(Scope.INSTANCE_TYPE_IN_ZONE, use_spot=spot, reservation="mine")
    assert reserved == [BlockKey(**{**exact, "reservation": "mine"}, zone="r1-a")]


def test_accelerators_of_a_type_are_part_of_its_pattern():
    (key,) = keys(Scope.INSTANCE_TYPE_IN_ZONE, accelerators={"T4": 4.0, "A1": 1.0})
    assert key.accelerators == (("A1", 1.0), ("T4", 4.0))


@pytest.mark.parametrize("scope", [Scope.ZONE, Scope.INSTANCE_TYPE_IN_ZONE])
def test_without_zones_a_block_of_a_zone_is_one_of_the_type_in_the_region(scope):
    assert effective(scope, ZONELESS) is Scope.INSTANCE_TYPE_IN_REGION
    (key,) = keys(scope, ZONELESS)
    assert (key.region, key.zone, key.instance_type) == ("r1", None, "t1")
    assert narrowest(ZONELESS) is Scope.INSTANCE_TYPE_IN_REGION
    assert narrowest(ZONED) is Scope.INSTANCE_TYPE_IN_ZONE


def test_an_attempt_over_several_zones_blocks_each():
    place = Place(cloud="c", region="r1", zones=("r1-a", "r1-b"))
    assert [key.zone for key in keys(Scope.ZONE, place)] == ["r1-a", "r1-b"]
    assert [key.zone for key in keys(Scope.INSTANCE_TYPE_IN_ZONE, place)] == ["r1-a", "r1-b"]


@pytest.mark.parametrize(("wide", "region"), [(True, None), (False, "r1")])
def test_spot_is_blocked_in_the_region_or_in_the_account(wide, region):
    found = keys(Scope.SPOT, use_spot=True, rule=of(Category.QUOTA, account_wide=wide))
    assert found == [BlockKey(cloud="c", region=region, use_spot=True)]


@pytest.mark.parametrize("spot", [True, False])
def test_an_accelerator_or_all_of_them(spot):
    assert keys(Scope.ACCELERATOR, accelerators=T4, use_spot=spot) == [
        BlockKey(cloud="c", accelerator="T4", use_spot=spot)
    ]
    every = keys(Scope.ACCELERATOR, accelerators=T4, use_spot=spot, rule=of(Category.QUOTA, any_accelerator=True))
    assert every == [BlockKey(cloud="c", accelerator=ANY_ACCELERATOR)], (
        "such a limit counts spot and on-demand together"
    )
    assert keys(Scope.ACCELERATOR) == []


def test_what_has_nothing_to_do_with_spot_blocks_both_unless_it_was_met_with_spot():
    unsupported = of(Category.UNSUPPORTED)
    assert keys(Scope.INSTANCE_TYPE_IN_REGION, rule=unsupported)[0].use_spot is None
    assert keys(Scope.INSTANCE_TYPE_IN_REGION, rule=unsupported, use_spot=True)[0].use_spot is True
    assert keys(Scope.INSTANCE_TYPE_IN_REGION, rule=unsupported)[0].reservation is None


@pytest.mark.parametrize(
    ("buckets", "named", "blocked"),
    [
        (("G",), "", "G"),  # its only one
        (("F", "G"), "g", "G"),  # the one that the error names
        (("F", "G"), "", None),  # which one isn't known
        (("F",), "other", None),  # the error names one that the candidate doesn't draw on
        ((), "G", None),
    ],
)
def test_a_quota_blocks_its_bucket_where_that_is_known(buckets, named, blocked):
    (key,) = keys(
        Scope.INSTANCE_TYPE_IN_REGION, rule=of(Category.QUOTA), quota_buckets=buckets, bucket=named, use_spot=True
    )
    if blocked:
        assert key == BlockKey(cloud="c", region="r1", quota_bucket=blocked, use_spot=True)
    else:
        assert (key.quota_bucket, key.instance_type) == (None, "t1")


def test_a_bucket_is_no_business_of_capacity():
    (key,) = keys(Scope.INSTANCE_TYPE_IN_REGION, quota_buckets=("G",), bucket="G")
    assert (key.quota_bucket, key.instance_type) == (None, "t1")


def test_nothing_is_blocked_by_scope_none():
    assert keys(Scope.NONE) == []


@pytest.mark.parametrize(
    ("category", "ttl", "lasts", "said"),
    [
        (Category.CAPACITY, None, 5 * MINUTE, "minutes"),
        (Category.QUOTA, None, HOUR, "hours"),
        (Category.AUTH, None, UNTIL_FIXED_AT_MOST_S, "until_fixed"),
        (Category.AUTH, 90.0, 90.0, "minutes"),
        (Category.CAPACITY, "until_fixed", UNTIL_FIXED_AT_MOST_S, "until_fixed"),
    ],
)
def test_how_long_a_block_lasts(category, ttl, lasts, said):
    rule = ErrorRule(id="t", code="X", category=category, ttl=ttl)
    assert seconds(ttl_of(rule)) == lasts
    assert word(ttl_of(rule)) == said
    (block,) = blocks_for(rule, Scope.REGION, Met(ZONED, candidate(), 100.0))
    assert (block.since, block.until) == (100.0, 100.0 + lasts)


def test_only_short_blocks_of_capacity_grow():
    def grows(category, ttl=None):
        rule = ErrorRule(id="t", code="X", category=category, ttl=ttl)
        return blocks_for(rule, Scope.REGION, Met(ZONED, candidate(), 0.0))[0].grows_to

    assert grows(Category.CAPACITY) == 6 * 300
    assert grows(Category.CAPACITY, 2 * HOUR) is None
    assert grows(Category.QUOTA) is None


def test_long_texts_are_kept_short_in_blocks():
    rule = ErrorRule(id="t", code="X", category=Category.CAPACITY)
    (block,) = blocks_for(rule, Scope.REGION, Met(ZONED, candidate(), 0.0, "x" * 10_000))
    assert len(block.reason) == 500
