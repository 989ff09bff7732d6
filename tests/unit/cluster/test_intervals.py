"""When nodes ran, from events."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from depth import depth
from skyx_core.cluster.costs import spent
from skyx_core.cluster.intervals import KINDS, Interval, Step, intervals
from skyx_core.models import EventKind

UP = [Step("launch_started", 0), Step("attempt_started", 1, 1, 10.0), Step("cluster_up", 60)]


def ran(steps: list[Step], end: float = 1000, *, stopped: bool = False) -> list[tuple[float, float, float]]:
    found = intervals(steps, hourly_usd=7.0, end=end, stopped=stopped)
    return [(one.start, one.end, one.hourly_usd) for one in found]


def test_every_kind_that_counts_is_an_event() -> None:
    assert set(KINDS) <= {kind.value for kind in EventKind}


def test_a_cluster_that_is_up_costs_from_its_attempt_until_now() -> None:
    assert ran(UP) == [(1, 60, 10), (60, 1000, 10)]


def test_what_was_stopped_costs_nothing_until_it_is_started() -> None:
    steps = [*UP, Step("stopped", 100), Step("starting", 500), Step("cluster_up", 520), Step("terminated", 600)]
    assert ran(steps) == [(1, 60, 10), (60, 100, 10), (500, 520, 10), (520, 600, 10)]
    assert ran(steps[:4], stopped=True) == [(1, 60, 10), (60, 100, 10)]


def test_an_attempt_that_made_something_costs_until_that_is_gone_and_one_that_did_not_costs_nothing() -> None:
    steps = [
        Step("launch_started", 0),
        Step("attempt_started", 1, 1, 10.0),
        Step("attempt_failed", 5, 1),
        Step("attempt_started", 6, 2, 20.0),
        Step("attempt_failed", 30, 2),
        Step("attempt_cleaned", 40, 2),
        Step("attempt_started", 50, 3, 30.0),
        Step("attempt_failed", 55, 3),
        Step("gave_up", 56),
        Step("launch_ended", 57),
    ]
    assert ran(steps, end=57) == [(6, 40, 20)]


def test_what_could_not_be_cleaned_costs_until_it_is_taken_down() -> None:
    steps = [Step("attempt_started", 1, 1, 10.0), Step("attempt_failed", 5, 1)]
    assert ran(steps) == [(1, 1000, 10)]
    assert ran([*steps, Step("terminated", 200)]) == [(1, 200, 10)]


def test_a_launch_that_was_killed_costs_until_the_next_one_has_cleaned_it() -> None:
    assert ran([*UP[:2], Step("launch_started", 300), Step("attempt_started", 310, 1, 5.0)]) == [
        (1, 300, 10),
        (310, 1000, 5),
    ]


def test_a_start_that_failed_is_not_counted_until_now() -> None:
    steps = [*UP, Step("stopped", 100), Step("starting", 200)]
    assert ran(steps, stopped=True)[2:] == []
    assert ran(steps)[2:] == [(200, 1000, 10)]  # it still starts
    assert ran([*steps, Step("starting", 300), Step("cluster_up", 310)])[2:] == [(300, 310, 10), (310, 1000, 10)]
    assert ran([*steps, Step("terminated", 900)])[2:] == []


def test_a_look_that_finds_it_stopped_or_running_counts() -> None:
    found = [*UP, Step("status_changed", 100, status="STOPPED"), Step("status_changed", 400, status="UP")]
    assert ran(found) == [(1, 60, 10), (60, 100, 10), (400, 1000, 10)]
    assert ran([*UP, Step("status_changed", 100, status="INIT")]) == ran(UP)


def test_a_cluster_that_is_made_whole_has_one_life() -> None:
    won_third = [Step("attempt_started", 1, 3, 10.0), Step("cluster_up", 60)]
    assert ran([*won_third, Step("attempt_started", 100, 1, 10.0), Step("cluster_up", 110)]) == [
        (1, 60, 10),
        (60, 100, 10),
        (100, 110, 10),
        (110, 1000, 10),
    ]


def test_hedged_attempts_cost_side_by_side() -> None:
    steps = [
        Step("attempt_started", 0, 1, 10.0),
        Step("attempt_started", 100, 2, 20.0),
        Step("cluster_up", 150, 1),
        Step("attempt_failed", 150, 2),
        Step("attempt_cleaned", 170, 2),
    ]
    assert ran(steps) == [(0, 150, 10), (100, 170, 20), (150, 1000, 10)]
    slow_clean = [*steps[:2], Step("attempt_failed", 110, 1), Step("attempt_started", 120, 3), *steps[4:]]
    assert (0, 130, 10) in ran([*slow_clean[:4], Step("attempt_cleaned", 130, 1)])


def test_prices_that_make_no_sense_are_not_used() -> None:
    for price in (math.nan, math.inf, -1.0, None):
        assert ran([Step("attempt_started", 1, 1, price)]) == [(1, 1000, 7)]


kinds = st.sampled_from([*KINDS, "odd"])
times = st.one_of(st.floats(0, 2000), st.floats(allow_nan=True, allow_infinity=True))


def steps_in_any_order(attempts: int) -> st.SearchStrategy[list[Step]]:
    one = st.builds(
        Step,
        kinds,
        times,
        st.one_of(st.none(), st.integers(1, attempts)),
        st.one_of(st.none(), st.floats(0, 100)),
        st.sampled_from(["UP", "STOPPED", "INIT", "TERMINATING", ""]),
    )
    return st.lists(one, max_size=20)


@settings(max_examples=depth(300, 3_000), deadline=None)
@given(st.one_of(steps_in_any_order(1), steps_in_any_order(3)), st.floats(0, 1500), st.floats(0, 1500), st.booleans())
def test_whatever_the_order_of_events_nothing_overlaps_or_is_negative(
    steps: list[Step], end: float, cut: float, stopped: bool
) -> None:
    parts = intervals(steps, hourly_usd=3.0, end=end, stopped=stopped)
    event(f"parts: {min(len(parts), 5)}, tracks: {len({part.track for part in parts})}")
    assert all(part.start < part.end <= end and part.cost_usd >= 0 for part in parts)
    for track in {part.track for part in parts}:
        mine = sorted((part for part in parts if part.track == track), key=lambda part: part.start)
        assert all(before.end <= after.start for before, after in pairwise(mine))
    if len({step.attempt or 1 for step in steps}) <= 1:  # no hedging: then nothing at all overlaps
        assert all(before.end <= after.start for before, after in pairwise(parts))
    whole, first, rest = (spent(parts, *span) for span in ((-math.inf, end), (-math.inf, cut), (cut, end)))
    assert whole[1] == pytest.approx(sum(part.cost_usd for part in parts))
    if cut <= end:
        assert whole == pytest.approx((first[0] + rest[0], first[1] + rest[1]))


def test_the_cost_of_a_part_is_its_price_times_its_hours() -> None:
    assert Interval(0, 1800, 10.0).cost_usd == 5.0
    assert spent([Interval(0, 3600, 10.0), Interval(3600, 7200, 1.0)], 1800, 5400) == (3600, 5.5)
    assert spent([Interval(0, 10, 1.0)], 20, 30) == (0, 0)
