"""The engine against random clouds, one attempt at a time: it ends, and tries everything that isn't blocked."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from engine_blocks import at
from engine_cases import check_nothing_is_lost, engine_of, worlds
from engine_gates import closed_by
from engine_world import Answer
from examples import examples
from skyx_core.failover.engine import GiveUp

MORE = ("locate failed", "asked again", "expired while searching", "held")


def test_everything_is_tried_or_blocked_nothing_is_tried_while_blocked_and_it_ends():
    met: Counter[str] = Counter()

    @given(worlds())
    @examples(150, 10_000)
    def check(case):
        plan, world = case
        end = world.run(engine_of(plan, world))
        assert world.met["overlaps"] == 0
        most = max((world.answers[each].retries for each in world.answers), default=0)
        assert all(n <= 1 + most for n in Counter(world.spots).values()), "tried again after it failed"
        aborted = world.met["aborts"] > 0
        if isinstance(end, GiveUp) and not aborted:
            check_nothing_is_lost(plan, world)
            assert all(closed_by(world.blocks + world.grown, cloud, world.now) for cloud in world.gate.held)
        met.update(world.met)
        met["skips"] += world.skipped
        met["expired while searching"] += any(b.until and b.until <= world.now for b in world.blocks)

    check()
    print(dict(met))
    for case in ("Done", "GiveUp", "retries", "skips", "prefers", "aborts", *MORE):
        assert met[case], f"no example met: {case}"


def test_a_bounded_retry_stays_in_its_place_is_bounded_and_its_end_blocks():
    met: Counter[str] = Counter()

    @given(worlds(), st.integers(1, 4))
    @examples(60, 10_000)
    def check(case, most):
        plan, world = case
        for each, answer in world.answers.items():
            kind = "retry" if answer.kind != "up" else "up"
            world.answers[each] = Answer(kind, takes=answer.takes, wide=answer.wide, lasts=None, retries=most)
        engine = engine_of(plan, world)
        world.run(engine)
        for before, after in zip(world.starts, world.starts[1:], strict=False):
            used_up = before.retry == most
            assert (after.retry, after.choice, after.zones) == (before.retry + 1, before.choice, before.zones) or (
                used_up and after.retry == 0
            )
        pauses = [
            b - a for a, b, s in zip(world.started_at, world.started_at[1:], world.starts[1:], strict=False) if s.retry
        ]
        assert all(pause >= 5 for pause in pauses)
        for start in world.starts:
            if start.retry == most and world.answer(start).kind == "retry":
                met["used up"] += 1
                for zone in start.zones or (None,):
                    assert engine.blocks.hit(at(start.choice, zone), world.now)
        met["retries"] += world.met["retries"]

    check()
    print(dict(met))
    assert met["used up"]
    assert met["retries"]
