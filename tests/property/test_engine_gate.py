"""Clouds that are blocked as a whole: their streams are held, not read, and opened again when the block has ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import count, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import choice, offer, source
from engine_cases import check_nothing_is_lost, engine_of, worlds
from engine_gates import closed_by
from engine_world import Answer, World
from examples import examples
from skyx_core.failover.blocklist import Blocklist
from skyx_core.failover.engine import Done, Engine, GiveUp, Locate, Skip
from skyx_core.failover.replay import launches, replay
from skyx_core.models import Block, BlockKey, Event, EventKind, Request, Verdict, ZoneOption
from skyx_core.plan.planner import make_plan

CLOSING = ("held", "reopened", "GiveUp", "Done")


def block_of(cloud, until):
    return Block(key=BlockKey(cloud=cloud), rule="first", reason="first", until=until)


@st.composite
def closing(draw):
    """Worlds in which whole clouds are blocked for a while, at first and by errors."""
    plan, world = draw(worlds(8))
    lasts = st.sampled_from([30.0, 30.0, 200.0, 2000.0])
    for each, answer in world.answers.items():
        if answer.kind in ("full", "careless", "abort"):
            wide = draw(st.sampled_from(["cloud", "spot"]))
            takes = draw(st.sampled_from([20.0, 50.0]))
            world.answers[each] = replace(answer, kind="full", wide=wide, takes=takes, lasts=draw(lasts), prefer=())
    world.blocks = [block_of(cloud, draw(lasts)) for cloud in draw(st.sets(st.sampled_from("abc"), max_size=2))]
    return plan, world


def test_nothing_is_lost_or_tried_twice_and_what_is_held_is_not_read():
    """The gate watches what is read, the world what is tried."""
    met: Counter[str] = Counter()

    @given(closing(), st.integers(1, 2), st.booleans())
    @examples(100, 10_000)
    def check(case, live, until_up):
        plan, world = case
        world.limit = 1000.0
        end = world.run(engine_of(plan, world, max_live=live, slow_after=lambda _: 40.0, retry_until_up=until_up))
        if isinstance(end, GiveUp):
            check_nothing_is_lost(plan, world)
            assert all(closed_by(world.blocks + world.grown, cloud, world.now) for cloud in world.gate.held)
        for cloud, read in world.gate.read.items():
            assert read <= sum(each.candidate.cloud == cloud for each in plan), "read twice"
        met.update(world.met)

    check()
    print(dict(met))
    for case in (*CLOSING, "overlaps"):
        assert met[case], f"no example met: {case}"


def test_the_order_of_the_plan_is_kept_among_what_was_held_and_among_the_rest():
    met: Counter[str] = Counter()

    @given(closing())
    @examples(60, 10_000)
    def check(case):
        plan, world = case
        place = {id(each): number for number, each in enumerate(plan)}
        world.zones = {each: [ZoneOption()] if isinstance(f, Verdict) else f for each, f in world.zones.items()}
        world.answers = {
            each: replace(answer, kind="full", wide="spot", prefer=()) for each, answer in world.answers.items()
        }
        blocked = {block.key.cloud for block in world.blocks}
        world.run(engine_of(plan, world))
        asked = [(place[id(each)], each.candidate.cloud in blocked) for each in world.located.values()]
        for held in (False, True):
            numbers = [number for number, of_blocked in asked if of_blocked == held]
            of_one_time = len({b.until for b in world.blocks if b.key.cloud in blocked}) < 2 if held else True
            assert not of_one_time or numbers == sorted(numbers)
            met[f"held {held}"] += len(numbers) > 1

    check()
    print(dict(met))
    assert min(met["held True"], met["held False"]) > 0


def test_a_search_with_held_clouds_and_skips_that_are_only_counted_replays_alike():
    met: Counter[str] = Counter()

    @given(closing(), st.booleans(), st.booleans(), st.sampled_from([1, 200]))
    @examples(60, 10_000)
    def check(case, until_up, keep_order, told):
        plan, world = case
        plan = [replace(each, alternative=n // 2) for n, each in enumerate(plan)]
        world.recording, world.limit, world.told = True, 2000.0, told
        engine = engine_of(plan, world, retry_until_up=until_up, keep_order=keep_order)
        world.run(engine)
        (events,) = launches([Event(kind=EventKind.LAUNCH_STARTED, time=0.0, data=engine.options()), *world.events])
        decisions = replay(events)
        assert all(each.same for each in decisions), [each for each in decisions if not each.same]
        steps = [e for e in events if e.kind is EventKind.ATTEMPT_STARTED]
        left_out = any(e.total and e.total > len(e.skipped) for e in events)
        assert left_out or sum(each.recorded.startswith("start") for each in decisions) == len(steps)
        met["left out"] += left_out
        met["reopened"] += bool(world.gate.reopened)
        met["asked again"] += world.met["asked again"]

    check()
    print(dict(met))
    assert min(met["left out"], met["reopened"], met["asked again"]) > 0


@pytest.mark.parametrize("known_before", [True, False])
def test_an_endless_cloud_is_left_at_once_when_it_is_blocked(known_before):
    read = count()

    def endless(_request):
        return (offer("a", f"r{next(read)}", hourly_usd=1.0 + number / 1000) for number in count())

    sources = [source("a", offers=endless), source("b", offer("b", hourly_usd=0.5), offer("b", "r2", hourly_usd=2.0))]
    plan = make_plan([Request()], sources)
    blocks = [block_of("a", 100.0)] if known_before else []
    engine = Engine(plan.choices, blocks=Blocklist(blocks), gate=plan.gate)
    found = []
    while not isinstance((action := engine.next(0.0)[-1]), GiveUp):
        assert isinstance(action, Locate)
        found.append(action.choice.candidate.cloud)
        if action.choice.candidate.cloud == "a":
            engine.blocks.add(block_of("a", 100.0))
        engine.located([])
    assert found == ["b", "b"] if known_before else ["b", "a", "b"]
    assert action.earliest == 100.0
    assert next(read) <= 5
    assert plan.gate.held == ("a",)


def test_what_was_held_comes_back_in_the_order_of_prices_with_what_comes_once():
    """One cloud is near its data: what is cheaper by the hour is not cheaper in all."""
    prices = {"a": [1.0, 1.1, 1.2, 5.0], "b": [0.9, 1.0, 1.15, 4.0], "c": [0.1, 0.2]}
    sources = [
        source(name, *(offer(name, f"r{number}", hourly_usd=usd) for number, usd in enumerate(several)))
        for name, several in prices.items()
    ]
    egress = {"a": 0.0, "b": 0.25, "c": 0.0}

    def planned():
        return make_plan([Request()], sources, egress=lambda candidate: egress[candidate.cloud])

    everything = [each.candidate for each in planned().choices]
    plan = planned()
    blocks = Blocklist([block_of("a", 50.0), block_of("b", 50.0)])
    engine = Engine(plan.choices, blocks=blocks, gate=plan.gate)
    asked, told, now = [], [], 0.0
    while len(asked) < len(everything):
        for action in engine.next(now):
            if isinstance(action, Locate):
                asked.append(action.choice.candidate)
                engine.located([])
                now = 60.0
            elif isinstance(action, Skip):
                told += [("held", *(cloud for cloud, _ in action.clouds)), ("opened", *action.opened)]
            else:
                pytest.fail(f"{action}")
    assert [each.cloud for each in asked[:2]] == ["c", "c"]
    assert asked[2:] == [each for each in everything if each.cloud != "c"]
    assert [each for each in told if len(each) > 1] == [("held", "a", "b"), ("opened", "a", "b")]


def test_groups_that_keep_their_order_keep_it_when_they_are_opened_again():
    sources = [source(name, *(offer(name, f"r{n}", hourly_usd=n) for n in (1, 2))) for name in "ab"]
    requests = [Request(region="r2"), Request(region="r1")]
    plan = make_plan(requests, sources, ordered=True)
    closed = {"a", "b"}
    plan.gate.watch(closed.__contains__)
    assert list(plan.choices) == []
    assert plan.gate.newly_held() == ("a", "b")
    closed.clear()
    again = list(plan.gate.reopen(["a", "b"]))
    assert [(each.candidate.region, each.candidate.cloud) for each in again] == [
        *(("r2", "a"), ("r2", "b")),
        *(("r1", "a"), ("r1", "b")),
    ]
    assert plan.gate.held == ()


def test_a_cloud_that_is_closed_again_while_it_is_opened_is_held_again_and_told_again():
    plan = make_plan([Request()], [source("a", *(offer("a", f"r{n}", hourly_usd=n + 1.0) for n in range(5)))])
    closed = set()
    plan.gate.watch(closed.__contains__)
    first = list(islice(plan.choices, 1))
    closed.add("a")
    assert list(plan.choices) == []
    assert (plan.gate.newly_held(), plan.gate.newly_held()) == (("a",), ())
    closed.clear()
    opened = plan.gate.reopen(["a"])
    second = [next(opened)]
    closed.add("a")
    assert list(opened) == []
    assert plan.gate.newly_held() == ("a",)
    closed.clear()
    everything = [*first, *second, *plan.gate.reopen(["a"])]
    assert [each.candidate.region for each in everything] == [f"r{n}" for n in range(5)]


def test_a_blocked_cloud_in_whose_place_another_comes_up_is_not_read():
    plan = [*(choice("a", f"r{n}") for n in range(50)), choice("b")]
    world = World({("b", "r1"): [ZoneOption()]}, {}, usual=Answer("up"), blocks=[block_of("a", None)])
    assert isinstance(world.run(engine_of(plan, world)), Done)
    assert world.gate.read == {"a": 1, "b": 1}
    assert world.gate.held == ("a",)
