"""Several attempts at a time: at most N, the next only when the last is slow, one cluster at the end."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from builders import choice
from engine_blocks import spot
from engine_cases import engine_of
from engine_world import Answer, World
from examples import examples
from skyx_core.failover.blocklist import Blocklist
from skyx_core.failover.engine import Cancel, CleanUp, Done, Engine, GiveUp, Start, WaitUntil
from skyx_core.models import ZoneOption

CASES = (
    "overlaps",
    "second winners",
    "cancelled",
    "Done",
    "GiveUp",
    "retries",
    "expired",
    "at the limit",
)


def slow_after(candidate):
    return {"t1": 50.0, "t2": 120.0}[candidate.instance_type]


attempts = st.builds(
    Answer,
    kind=st.sampled_from(["up", "full", "retry", "up", "full", "careless"]),
    takes=st.sampled_from([0.0, 30.0, 60.0, 130.0, 250.0, 400.0]) | st.floats(0, 400),
    cleaning=st.floats(0, 100),
    cancelling=st.sampled_from([0.0, 5.0, 300.0]),
    late=st.sampled_from([True, True, False]),
    wide=st.sampled_from(["spot", "spot", "zone", "region", "type", "cloud"]),
    lasts=st.sampled_from([10.0, 100.0, 1000.0, None]),
    prefer=st.sampled_from([(), (), ("r2",)]),
)


@st.composite
def races(draw):
    found = draw(
        st.lists(
            st.tuples(st.sampled_from("ab"), st.sampled_from(["r1", "r2", "r3"])), unique=True, min_size=1, max_size=5
        )
    )
    plan = [choice(c, r, instance_type=draw(st.sampled_from(["t1", "t2"]))) for c, r in found]
    zones = {(c, r): [ZoneOption(zone=f"{r}-{z}") for z in "ab"[: draw(st.integers(1, 2))]] for c, r in found}
    answers = {
        spot(each, option.zone): draw(attempts)
        for each in plan
        for option in zones[each.candidate.cloud, each.candidate.region]
    }
    return plan, World(zones, answers)


def watch(most, met):
    def on_start(world, start):
        live = list(world.live.values())
        assert len(live) < most, "more attempts than allowed"
        assert not any(each.state in ("up", "cancelled") for each in live), "started although one had won"
        running = [each.start for each in live if each.state == "running"]
        if running:
            last = max(running, key=lambda each: each.attempt)
            began = world.started_at[last.attempt - 1]
            slow = began + slow_after(last.choice.candidate)
            assert world.now >= slow, "started before the last one was slow"
        met["at the limit"] += len(live) == most - 1

    return on_start


def test_at_most_n_attempts_each_after_the_last_was_slow_and_one_cluster_at_the_end():
    met: Counter[str] = Counter()

    @given(races(), st.integers(2, 4), st.booleans())
    @examples(200, 10_000)
    def check(case, most, until_up):
        plan, world = case
        world.on_start = watch(most, met)
        world.limit = 4000.0
        engine = engine_of(plan, world, max_live=most, slow_after=slow_after, retry_until_up=until_up)
        end = world.run(engine)  # which sees that all others have returned and are cleaned
        if not until_up:
            assert end is not None
        for number, running in world.live.items():
            assert end is None or number == getattr(end, "attempt", None)
            assert running.state == "up" or end is None
        met.update(world.met)
        met["expired"] += any(b.until and b.until <= world.now for b in world.blocks)

    check()
    print(dict(met))
    for case in CASES:
        assert met[case], f"no example met: {case}"


def test_the_time_to_go_on_is_when_the_last_one_started_is_slow():
    plan = [choice("a", f"r{n}") for n in range(4)]
    world = World({("a", f"r{n}"): [ZoneOption()] for n in range(4)}, {})
    world.usual = Answer("up", takes=500.0, cancelling=3.0, cleaning=7.0, late=True)
    engine = Engine(iter(plan), blocks=Blocklist(), max_live=3, slow_after=slow_after)
    end = world.run(engine)
    assert world.started_at == [0.0, 50.0, 100.0]
    assert (end, world.now) == (Done(1), 510.0)
    assert world.met["second winners"] == 2


def started(engine, now=0.0):
    engine.next(now)
    engine.located([ZoneOption()])
    return next(action for action in engine.next(now) if isinstance(action, Start))


def pair():
    engine = Engine(iter([choice("a"), choice("b")]), blocks=Blocklist(), max_live=2, slow_after=slow_after)
    first = started(engine)
    assert engine.next(0.0) == [WaitUntil(50.0)]
    return engine, first, started(engine, 50.0)


def test_two_that_come_up_at_once_are_one_winner_and_one_to_clean():
    engine, first, second = pair()
    engine.outcome(second.attempt, None, 60.0)
    engine.outcome(first.attempt, None, 60.0)
    assert engine.next(60.0) == [CleanUp(first.attempt)]
    assert engine.next(60.0) == []
    engine.cleaned(first.attempt)
    assert engine.next(61.0) == [Done(second.attempt)]


def test_a_stop_after_one_came_up_does_not_lose_it():
    engine, first, second = pair()
    engine.outcome(first.attempt, None, 60.0)
    engine.stop("interrupted")
    assert engine.next(60.0) == [Cancel(second.attempt)]
    engine.outcome(second.attempt, None, 61.0)
    assert engine.next(61.0) == [CleanUp(second.attempt)]
    engine.cleaned(second.attempt)
    assert engine.next(62.0) == [Done(first.attempt)]


def test_a_stop_cancels_and_cleans_all_that_run():
    engine, first, second = pair()
    engine.stop("interrupted")
    assert engine.next(60.0) == [Cancel(first.attempt), Cancel(second.attempt)]
    engine.outcome(first.attempt, None, 60.0)
    assert engine.next(60.0) == [CleanUp(first.attempt)]
    engine.cleaned(first.attempt)
    assert engine.next(61.0) == []
    engine.outcome(second.attempt, None, 62.0)
    assert engine.next(62.0) == [CleanUp(second.attempt)]
    engine.cleaned(second.attempt)
    assert engine.next(63.0) == [GiveUp("interrupted")]
