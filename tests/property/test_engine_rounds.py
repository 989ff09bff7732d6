"""Keeping on: rounds of a search that goes on until it is up, when it ends, and its record."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import choice
from engine_blocks import spot
from engine_cases import engine_of, worlds
from engine_world import Answer, World
from examples import examples
from skyx_core.failover.blocklist import Blocklist
from skyx_core.failover.engine import CleanUp, Done, Engine, GiveUp, WaitUntil
from skyx_core.failover.replay import launches, replay
from skyx_core.models import Category, Event, EventKind, Scope, Verdict, ZoneOption

LONGEST_BLOCK = 2000.0  # those that are there at first; those that errors give last 300 s, grown to 1200 s


def narrow(world, pause):
    """Clouds whose errors block only what was tried; the longest that a round of attempts can take."""
    for each, answer in world.answers.items():
        kind = answer.kind if answer.kind in ("retry", "careless") else "full"
        world.answers[each] = replace(
            answer, kind=kind, wide="spot", lasts=min(answer.lasts or 300.0, 300.0), prefer=()
        )
    world.blocks = [block for block in world.blocks if block.until is not None]
    return sum((a.takes + a.cleaning + 10) * 3 for a in world.answers.values()) + pause + 30 * len(world.zones)


def test_once_there_is_capacity_it_is_found_within_a_bound():
    met: Counter[str] = Counter()

    @given(worlds(4), st.sampled_from([20.0, 90.0]), st.sampled_from([0.0, 300.0, 3000.0]), st.integers(0, 50))
    @examples(60, 10_000)
    def check(case, pause, when, which):
        plan, world = case
        a_round = narrow(world, pause)
        there = list(world.answers)
        usable = [each for each in there if not any(o.skip for o in world.zones[each[:2]] if o.zone == each[2])]
        engine = engine_of(plan, world, retry_until_up=True, retry_pause=pause)
        world.limit = when + 3 * a_round + 2 * LONGEST_BLOCK if usable else 2000.0
        if usable:
            chosen = usable[which % len(usable)]
            world.answers[chosen] = replace(world.answers[chosen], from_time=when)
        end = world.run(engine)
        if usable:
            assert isinstance(end, Done), "capacity came, and was not found"
        else:
            assert not isinstance(end, Done)
        met["found"] += isinstance(end, Done)
        met["after rounds"] += isinstance(end, Done) and len(set(world.spots)) < len(world.spots)
        met["never"] += end is None
        met["retries"] += world.met["retries"]

    check()
    print(dict(met))
    for case in ("found", "after rounds", "never", "retries"):
        assert met[case], f"no example met: {case}"


def test_without_a_limit_of_time_a_search_whose_blocks_never_end_gives_up():
    plan = [choice("a"), choice("b")]
    world = World({("a", "r1"): [ZoneOption()], ("b", "r1"): [ZoneOption()]}, {}, usual=Answer(lasts=None))
    assert isinstance(world.run(engine_of(plan, world, retry_until_up=True)), GiveUp)
    assert len(world.spots) == 2


@pytest.mark.parametrize("pause", [0.0, 1e-12])
@pytest.mark.parametrize("kind", ["careless", "full"])
def test_time_goes_on_between_rounds_whatever_is_set(pause, kind):
    world = World({("a", "r1"): [ZoneOption()]}, {}, usual=Answer(kind, lasts=0.0), now=1.7e9)
    world.limit = world.now + 0.5
    world.run(engine_of([choice("a")], world, retry_until_up=True, retry_pause=pause))
    assert 2 < len(world.spots) < 100


@given(st.floats(1, 1000))
@examples(30, 10_000)
def test_a_round_begins_at_the_later_of_the_pause_and_the_earliest_end_of_a_block(lasts):
    plan = [choice("a"), choice("b")]
    world = World({("a", "r1"): [ZoneOption()], ("b", "r1"): [ZoneOption()]}, {}, usual=Answer(lasts=lasts))
    world.answers = {spot(plan[1], None): Answer(lasts=2000.0)}
    world.limit = 3000.0
    world.run(engine_of(plan, world, retry_until_up=True))
    first, _, again = world.started_at[:3]
    assert again - first == pytest.approx(max(30.0, lasts))


def test_zones_tried_together_are_together_again_in_the_next_round():
    plan = [choice("b", "r1")]
    zones = [ZoneOption(zone=z) for z in "xyz"]
    world = World({("b", "r1"): zones}, {}, usual=Answer(lasts=100.0))
    world.answers = {spot(plan[0], "y"): Answer(from_time=5000.0)}
    world.run(engine_of(plan, world, retry_until_up=True))
    assert all(set(start.zones) == set("xyz") for start in world.starts)


def test_a_zone_that_was_blocked_when_the_others_were_tried_is_tried_once_it_is_free():
    from skyx_core.models import Block, BlockKey

    plan = [choice("b", "r1")]
    blocked = Block(key=BlockKey(cloud="b", zone="y"), rule="f", reason="f", until=50.0)
    zones = [ZoneOption(zone=z) for z in "xyz"]
    world = World({("b", "r1"): zones}, {}, usual=Answer(takes=60.0), blocks=[blocked])
    assert isinstance(world.run(engine_of(plan, world)), GiveUp)
    assert [start.zones for start in world.starts] == [("x", "z"), ("y",)]


def test_a_candidate_whose_block_ended_meanwhile_is_tried_before_giving_up_and_nothing_else_again():
    from skyx_core.models import Block, BlockKey

    plan = [choice("a"), choice("b"), choice("c")]
    blocks = [Block(key=BlockKey(cloud="a"), rule="f", reason="f", until=50.0)]
    blocks += [Block(key=BlockKey(cloud="c"), rule="f", reason="f", until=5000.0)]
    world = World({(c, "r1"): [ZoneOption()] for c in "abc"}, {}, usual=Answer(takes=60.0, lasts=1.0), blocks=blocks)
    end = world.run(engine_of(plan, world))
    assert [s[0] for s in world.spots] == ["b", "a"]
    assert isinstance(end, GiveUp)
    assert end.earliest == 121.0  # of what failed last


def test_giving_up_names_the_earliest_end_of_a_block_and_none_where_nothing_stands_in_the_way():
    world = World({("a", "r1"): [ZoneOption()]}, {}, usual=Answer(lasts=70.0))
    assert world.run(engine_of([choice("a")], world)).earliest == 70.0
    careless = World({("a", "r1"): [ZoneOption()]}, {}, usual=Answer("careless"))
    assert careless.run(engine_of([choice("a")], careless)).earliest is None
    assert World({}, {}).run(Engine(iter([]), blocks=Blocklist())) == GiveUp("nothing fits the request")


def test_a_stopped_search_starts_nothing_more_and_cleans_what_came_up_too_late():
    engine = Engine(iter([choice("a"), choice("b")]), blocks=Blocklist())
    engine.next(0)
    engine.located([ZoneOption()])
    (start,) = engine.next(0)
    engine.stop("interrupted")
    (cancel,) = engine.next(0)
    assert cancel.attempt == start.attempt
    assert engine.next(0) == []
    engine.outcome(start.attempt, None, 0)
    assert engine.next(0) == [CleanUp(start.attempt)]
    engine.cleaned(start.attempt)
    assert engine.next(0) == [GiveUp("interrupted")]


def test_an_error_in_asking_for_zones_that_is_the_users_mistake_ends_the_search():
    engine = Engine(iter([choice("a"), choice("b")]), blocks=Blocklist(), retry_until_up=True)
    engine.next(0)
    engine.locate_failed(Verdict(category=Category.USER_ERROR, block=Scope.NONE, rule="r", abort=True, reason="no"), 0)
    assert engine.next(0) == [GiveUp("no")]


def test_a_retry_waits_only_while_it_must():
    world = World({("a", "r1"): [ZoneOption()]}, {}, usual=Answer("retry", takes=7.0))
    world.run(engine_of([choice("a"), choice("b")][:1], world))
    assert world.started_at == [0.0, 12.0, 24.0]
    engine = Engine(iter([choice("a")]), blocks=Blocklist())
    assert not any(isinstance(action, WaitUntil) for action in engine.next(0))


def test_a_recorded_search_replays_to_the_same_decisions():
    met: Counter[str] = Counter()

    @given(worlds(4), st.booleans(), st.booleans())
    @examples(60, 10_000)
    def check(case, until_up, keep_order):
        plan, world = case
        plan = [replace(each, alternative=n // 2) for n, each in enumerate(plan)]
        world.recording, world.limit = True, 2000.0
        engine = engine_of(plan, world, retry_until_up=until_up, keep_order=keep_order)
        end = world.run(engine)
        head = Event(kind=EventKind.LAUNCH_STARTED, time=0.0, data=engine.options())
        (events,) = launches([head, *world.events])
        decisions = replay(events)
        assert all(each.same for each in decisions), [each for each in decisions if not each.same]
        if end is not None:
            steps = [e for e in events if e.kind not in (EventKind.ATTEMPT_FAILED, EventKind.CLUSTER_UP)]
            steps = [e for e in steps if e.kind is not EventKind.CANDIDATES_SKIPPED or e.skipped]
            assert len(decisions) == len(steps) - 1, "not all was replayed"
        met[type(end).__name__] += 1
        met["decisions"] += len(decisions)

    check()
    print(dict(met))
    assert min(met["Done"], met["GiveUp"], met["decisions"]) > 0
