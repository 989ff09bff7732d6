"""In which order places are tried: that of the plan, but for places that an error names, and for what was blocked."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import choice
from engine_blocks import at, covers, in_the_way, spot
from engine_cases import engine_of, first_blocks, worlds
from engine_world import WIDTHS, Answer, World
from examples import examples
from skyx_core.failover.engine import Done, GiveUp
from skyx_core.models import Block, BlockKey, Verdict, ZoneOption

AHEAD = ("us-east-1", "us-east-10", "us-east-1-c", "eu-1")


def walk(plan, world, blocks, *, keep_order=False):
    """What a search is to try, in order, where no time passes: a list, walked, with each block a predicate."""
    known, left, tried, regions = list(blocks), [(each, "unasked") for each in plan], [], {}
    while left:
        each, zone = left.pop(0)
        candidate = each.candidate if zone == "unasked" else at(each, zone)
        if in_the_way(known, candidate, 0.0):
            continue
        if zone == "unasked":
            found = world.zones[candidate.cloud, candidate.region]
            known += [*found.blocks, *found.blocks_after] if isinstance(found, Verdict) else []
            options = [] if isinstance(found, Verdict) else [o.zone for o in found if not o.skip]
            regions |= {(candidate.cloud, option): candidate.region for option in options}
            left = [(each, option) for option in options] + left
            continue
        answer = world.answers[spot(each, zone)]
        tried += [spot(each, zone)] * (1 + answer.retries if answer.kind == "retry" else 1)
        if answer.kind in ("up", "abort"):
            return tried, answer.kind
        if answer.kind != "careless":
            known.append(Block(key=key_of(answer, each, zone), rule="w", reason="w"))
        if answer.prefer:
            told = {regions.get((candidate.cloud, place)) for place in answer.prefer} - {None}
            left = preferred(left, each, {*answer.prefer, *told}, keep_order)
    return tried, "nothing"


def key_of(answer, each, zone):
    return BlockKey(**{name: getattr(at(each, zone), name) for name in WIDTHS[answer.wide]})


def preferred(left, failed, places, keep_order):
    def rank(item):
        each, zone = item
        c = at(each, None if zone == "unasked" else zone)
        named = c.cloud == failed.candidate.cloud and (c.region in places or c.zone in places)
        return (each.alternative if keep_order else 0, not named)

    return sorted(left, key=rank)


def timeless(world):
    """The same world, in which attempts take no time and blocks last."""
    world.answers = {
        each: replace(answer, takes=0.0, cleaning=0.0, lasts=None) for each, answer in world.answers.items()
    }
    world.zones = {
        each: found.model_copy(update={"blocks": lasting(found.blocks), "blocks_after": lasting(found.blocks_after)})
        if isinstance(found, Verdict)
        else found
        for each, found in world.zones.items()
    }
    return world


def lasting(blocks):
    return tuple(block.model_copy(update={"until": None}) for block in blocks)


@pytest.mark.parametrize("keep_order", [False, True])
def test_the_order_is_that_of_a_plain_walk_over_the_plan(keep_order):
    met: Counter[str] = Counter()

    @given(worlds(), st.lists(st.integers(0, 2), min_size=6, max_size=6))
    @examples(80, 10_000)
    def check(case, alternatives):
        plan, world = case
        numbers = sorted(alternatives) if keep_order else alternatives
        plan = [replace(each, alternative=n) for each, n in zip(plan, numbers, strict=False)]
        world = timeless(world)
        first = list(world.blocks)
        pauses = any(answer.kind == "retry" for answer in world.answers.values())
        pauses |= any(isinstance(found, Verdict) and found.retry is not None for found in world.zones.values())
        if pauses and any(b.until for b in first):
            world.blocks, first = [], []
        wanted, why = walk(plan, world, first, keep_order=keep_order)
        end = world.run(engine_of(plan, world, together=frozenset(), keep_order=keep_order))
        assert world.spots == wanted
        assert isinstance(end, Done) == (why == "up")
        if keep_order:
            numbers = [start.choice.alternative for start in world.starts]
            assert numbers == sorted(numbers)
        met[why] += 1
        met["prefers"] += world.met["prefers"]
        met["another order"] += world.spots != walk(plan, plain(world), first)[0]
        for case in ("retries", "asked again", "held"):
            met[case] += world.met[case]

    check()
    print(dict(met))
    for case in ("up", "abort", "nothing", "prefers", "another order", "retries", "asked again", "held"):
        assert met[case], f"no example met: {case}"


def plain(world):
    """The same without preferences."""
    answers = {each: replace(answer, prefer=()) for each, answer in world.answers.items()}
    return World(world.zones, answers)


def test_names_of_regions_are_compared_whole():
    plan = [choice("a", region, zone="z") for region in ("eu-1", "us-east-10", "us-east-1", "us-east-11")]
    answers = {spot(plan[0], "z"): Answer(prefer=("us-east-1",))}
    world = World({("a", each.candidate.region): [ZoneOption(zone="z")] for each in plan}, answers)
    world.run(engine_of(plan, world))
    assert [start.choice.candidate.region for start in world.starts] == [
        "eu-1",
        "us-east-1",
        "us-east-10",
        "us-east-11",
    ]


def test_a_place_in_another_cloud_of_the_same_name_is_not_preferred():
    plan = [choice("a", "eu-1"), choice("a", "eu-2"), choice("b", "us-east-1"), choice("a", "us-east-1")]
    world = World({(e.candidate.cloud, e.candidate.region): [ZoneOption()] for e in plan}, {})
    world.answers = {spot(plan[0], None): Answer(prefer=("us-east-1",))}
    world.run(engine_of(plan, world))
    assert [s[:2] for s in world.spots] == [("a", "eu-1"), ("a", "us-east-1"), ("a", "eu-2"), ("b", "us-east-1")]


def full(world):
    world.answers = {each: Answer() for each in world.answers}
    return timeless(world)


def test_more_blocks_at_the_start_never_add_a_candidate():
    met: Counter[str] = Counter()

    @given(worlds(), first_blocks, st.booleans())
    @examples(80, 10_000)
    def check(case, more, together):
        plan, world = case
        full(world)
        world.zones = {each: [ZoneOption()] if isinstance(f, Verdict) else f for each, f in world.zones.items()}
        clouds = frozenset("b") if together else frozenset()
        few, some = world.blocks, [*world.blocks, *more]
        tried = []
        for blocks in (few, some):
            one = World(world.zones, world.answers, blocks=list(blocks))
            end = one.run(engine_of(plan, one, together=clouds))
            assert isinstance(end, GiveUp)
            tried.append(one.spots)
            for each in plan:
                for zone in {s[2] for s in one.spots if s[:2] == (each.candidate.cloud, each.candidate.region)}:
                    assert (spot(each, zone) in one.spots) != bool(in_the_way(blocks, at(each, zone), 0.0))
        assert set(tried[1]) <= set(tried[0])
        assert tried[1] == [each for each in tried[0] if each in set(tried[1])], "the rest keeps its order"
        met["fewer"] += len(tried[1]) < len(tried[0])
        spots = [b for b in some if b.key == BlockKey(use_spot=True)]
        met["spot"] += bool(spots)
        met["cloud"] += any(b.key == BlockKey(cloud="a") for b in some)

    check()
    print(dict(met))
    assert min(met["fewer"], met["spot"], met["cloud"]) > 0


@pytest.mark.parametrize("wide", ["spots", "cloud", "spot"])
def test_a_block_of_spot_leaves_on_demand_alone_and_one_of_a_cloud_covers_both(wide):
    plan = [choice("a", "r1", use_spot=True), choice("a", "r2", use_spot=True), choice("a", "r1"), choice("b", "r1")]
    world = World({(c, r): [ZoneOption()] for c in "ab" for r in ("r1", "r2")}, {})
    world.usual = Answer(wide=wide)
    world.run(engine_of(plan, world))
    tried = [(s[0], s[1], s[4]) for s in world.spots]
    left = {"spots": [2, 3], "cloud": [3], "spot": [1, 2, 3]}[wide]
    assert tried == [("a", "r1", True)] + [
        (e.candidate.cloud, e.candidate.region, e.candidate.use_spot) for e in (plan[n] for n in left)
    ]
    of_spot = [block for block in world.blocks if block.key.use_spot]
    assert of_spot or wide == "cloud"
    assert not any(covers(block.key, plan[2].candidate) for block in of_spot)


def test_a_zone_that_an_error_names_favours_its_region_once_that_is_known():
    plan = [choice("a", r, instance_type=t) for t in ("t1", "t2") for r in ("r1", "r2")]
    world = World({("a", r): [ZoneOption(zone=f"{r}-x")] for r in ("r1", "r2")}, {}, usual=Answer(wide="spot"))
    world.answers = {spot(plan[1], "r2-x"): Answer(prefer=("r2-x",))}
    world.run(engine_of(plan, world))
    assert [s[1] for s in world.spots] == ["r1", "r2", "r2", "r1"]


def test_spot_is_tried_zone_by_zone_where_on_demand_names_all_zones_at_once():
    zones = [ZoneOption(zone=z) for z in "xy"]
    plan = [choice("b", "r1", use_spot=True), choice("b", "r1")]
    world = World({("b", "r1"): zones}, {}, usual=Answer(wide="spot"))
    world.run(engine_of(plan, world))
    assert [start.zones for start in world.starts] == [("x",), ("y",), ("x", "y")]


def test_a_choice_that_comes_twice_is_taken_once_whatever_it_costs():
    plan = [choice("a"), choice("b"), choice("a", hourly_usd=2.0), replace(choice("a"), digest="other")]
    world = World({(c, "r1"): [ZoneOption()] for c in "ab"}, {}, usual=Answer("careless"))
    world.run(engine_of(plan, world))
    assert [(s.choice.candidate.cloud, s.choice.digest) for s in world.starts] == [("a", ""), ("b", ""), ("a", "other")]
