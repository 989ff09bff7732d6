"""Plans as a session gives them, over drivers that behave and drivers that don't."""

import itertools
import threading
import time
from pathlib import Path

import pytest

from builders import offer
from market_clouds import market, session
from skyx_core.cluster import cloud
from skyx_core.errors import UsageError
from skyx_core.results import to_json
from skyx_core.task import Task, loads


def task(resources: str = "{}", **top: str) -> Task:
    lines = [f"{name}: {value}" for name, value in top.items()]
    return loads("\n".join([*lines, f"resources: {resources}", "run: x"])).tasks[0]


GOOD = market("good", [offer("good", "r", hourly_usd=7)])


def raises(_query):
    yield offer("bad", "r")
    raise KeyError("zone")


def exits(_query):
    raise SystemExit(3)


def mixed(_query):
    yield offer("bad", "r")
    yield {"price": 1}


def unsorted(_query):
    return [offer("bad", "r", hourly_usd=3), offer("bad", "r2", hourly_usd=2)]


@pytest.mark.parametrize(
    ("sells", "usable", "said"),
    [
        (raises, 1, "KeyError"),
        (exits, 0, "SystemExit"),
        (mixed, 1, "returned dict instead of Offer"),
        (unsorted, 1, "gave $2 after $3"),
        (lambda _query: None, 0, "returned NoneType instead of Iterable"),
        (lambda _query: (offer("other", "r") for _ in range(3)), 0, "something of cloud 'other'"),
    ],
)
def test_a_broken_driver_is_a_reason_and_the_others_go_on(tmp_path: Path, sells, usable: int, said: str) -> None:
    with session(tmp_path, market("bad", sells), GOOD) as one:
        plan = one.plan(task())
    assert [row.cloud for row in plan.candidates] == ["bad"] * usable + ["good"]
    (left,) = [item for item in plan.excluded if item.cloud == "bad"]
    assert said in left.reason
    assert "plugin 'bad'" in left.reason


def test_a_driver_that_hangs_in_the_middle_costs_its_limit_once(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(cloud, "_OFFERS_LIMIT_S", 0.2)
    let_go = threading.Event()

    def hangs(_query):
        yield offer("bad", "r")
        let_go.wait(20)

    asked: list[object] = []

    def counted(query):
        asked.append(query)
        return hangs(query)

    with session(tmp_path, market("bad", counted), GOOD) as one:
        started = time.monotonic()
        plan = one.plan(task("{any_of: [{ports: 1}, {ports: 2}, {ports: 3}]}"))
        took = time.monotonic() - started
    let_go.set()
    assert took < 10
    assert len(asked) == 1
    assert [row.cloud for row in plan.candidates] == ["bad", "good", "good", "good"]
    assert any("did not return within 0.2 s" in item.reason for item in plan.excluded)


def test_a_driver_that_never_ends_is_read_as_far_as_is_shown(tmp_path: Path) -> None:
    read = itertools.count()

    def endless(_query):
        for number in itertools.count():
            next(read)
            yield offer("bad", f"r{number}", hourly_usd=number)

    with session(tmp_path, market("bad", endless), GOOD) as one:
        plan = one.plan(task(), limit=12)
        assert (len(plan.candidates), plan.more) == (12, True)
        assert next(read) < 100


def test_a_plan_without_a_limit_ends_too(tmp_path: Path, monkeypatch) -> None:
    from skyx_core.cluster import planning

    monkeypatch.setattr(planning, "MOST_ROWS", 50)
    rows = (offer("bad", f"r{number}", hourly_usd=number) for number in itertools.count())
    with session(tmp_path, market("bad", lambda _query: rows)) as one:
        plan = one.plan(task())
    assert (len(plan.candidates), plan.more) == (50, True)


@pytest.mark.parametrize("limit", [0, -1, 1.5, "9"])
def test_a_limit_that_is_none_is_refused(tmp_path: Path, limit: object) -> None:
    with session(tmp_path, GOOD) as one, pytest.raises(UsageError, match="limit is a whole number"):
        one.plan(task(), limit=limit)
    with session(tmp_path, GOOD) as one, pytest.raises(UsageError, match="a Task is needed"):
        one.plan(None)


def test_what_a_driver_says_of_times_and_prices_is_checked(tmp_path: Path) -> None:
    odd = market("odd", [offer("odd", "r")], usual_start_s="soon", egress_usd_per_gb=lambda self, *to: 1 / 0)
    with session(tmp_path, odd, GOOD) as one:
        assert [row.cloud for row in one.plan(task(), optimize="time").candidates] == ["odd", "good"]
        plan = one.plan_pipeline([task(outputs="{x: 5}"), task()])
    assert [row.egress_usd for row in plan.tasks[1].candidates] == [0.0, 0.0]


def test_what_lacks_says_is_checked(tmp_path: Path) -> None:
    sick = market("sick", [offer("sick", "r")], refuses=staticmethod(lambda c, q: ["text"]))
    broken = market("broken", [offer("broken", "r")], refuses=staticmethod(lambda c, q: 1 / 0))
    with session(tmp_path, sick, broken, GOOD) as one:
        plan = one.plan(task())
    assert [row.cloud for row in plan.candidates] == ["good"]
    reasons = {item.cloud: item.reason for item in plan.excluded}
    assert "something else than WhyNots" in reasons["sick"]
    assert "ZeroDivisionError" in reasons["broken"]


def test_near_is_worked_out_when_nothing_fits_or_when_asked(tmp_path: Path) -> None:
    with session(tmp_path, GOOD, market("spots", [offer("spots", "r")])) as one:
        assert one.plan(task()).near == []
        (near,) = one.plan(task("{max_hourly_cost: 0.5}")).near
        assert (near.field, near.asked, near.nearest) == ("max_hourly_cost", "$0.50/h", "$1.00/h")
        assert near.candidate.cloud == "spots"
        assert [n.field for n in one.plan(task("{infra: good}"), near=True).near] == ["cloud"]


def test_the_hint_of_a_launch_that_finds_nothing_is_what_would_fit(tmp_path: Path) -> None:
    from skyx_core.errors import NoCapacityError

    with session(tmp_path, GOOD) as one, pytest.raises(NoCapacityError) as failed:
        one.launch(task("{max_hourly_cost: 0.5}"), dryrun=True)
    assert failed.value.hint == "max_hourly_cost: $7.00/h instead of $0.50/h would fit: good/r t1, $7.00/h"


def egress(self, region: str, to_cloud: str, to_region: str) -> float | None:
    return {"here": 0.0, "there": 0.02}.get(to_region) if to_cloud == "home" else None


HOME = market(
    "home",
    [
        offer("home", "here", instance_type="gpu", accelerators={"A100": 1.0}, hourly_usd=5),
        offer("home", "there", hourly_usd=1),
        offer("home", "here", hourly_usd=1.5),
    ],
    egress_usd_per_gb=egress,
)
PIPELINE = """
name: p
---
name: a
resources: {accelerators: A100}
outputs: {data: 100}
run: x
---
name: b
resources: {cpus: 4}
run: x
"""


def test_egress_from_the_place_of_the_task_before_is_in_the_price(tmp_path: Path) -> None:
    tasks = loads(PIPELINE).tasks
    with session(tmp_path, HOME) as one:
        plan = one.plan_pipeline(tasks)
        apart = one.plan_pipeline(tasks, parallel=True)
        alone = one.plan(tasks[1])
    second = [(row.region, row.hourly_usd, row.egress_usd) for row in plan.tasks[1].candidates]
    assert second == [("here", 1.5, 0.0), ("there", 1.0, 2.0), ("here", 5.0, 0.0)]
    assert to_json(plan.total) == {"hourly_usd": 6.5, "egress_usd": 0.0}
    assert [row.region for row in alone.candidates][:2] == ["there", "here"]
    assert to_json(apart.total) == {"hourly_usd": 6.0, "egress_usd": 0.0}


def test_a_price_of_egress_that_is_not_known_is_said_not_guessed(tmp_path: Path) -> None:
    with session(tmp_path, HOME, market("cheap", [offer("cheap", "r", hourly_usd=0.1)])) as one:
        plan = one.plan_pipeline(loads(PIPELINE).tasks)
    assert plan.tasks[1].candidates[0].cloud == "cheap"
    assert plan.tasks[1].notes == ["the price of moving data from home to cheap isn't known, and not counted"]


def test_the_target_comes_from_the_call_else_from_the_settings(tmp_path: Path) -> None:
    both = market("c", [offer("c", "r", instance_type="s"), offer("c", "r", instance_type="l", cpus=9, hourly_usd=3)])
    with session(tmp_path, both, optimize="time") as one:
        assert one.plan(task()).optimize == "time"
        assert one.plan(task()).candidates[0].instance_type == "l"
        assert one.plan(task(), optimize="cost").candidates[0].instance_type == "s"
        assert one.launch(task(), dryrun=True).candidate["instance_type"] == "l"
        assert one.launch(task(), dryrun=True, optimize="cost").candidate["instance_type"] == "s"
        with pytest.raises(UsageError, match="'cost' or 'time'"):
            one.plan(task(), optimize="fast")
