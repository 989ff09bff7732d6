"""What clusters cost, from the record."""

from __future__ import annotations

import json
import math

import pytest

from builders import candidate
from skyx_core.cluster.costs import DAY_S, cost_report
from skyx_core.models import Event, EventKind
from skyx_core.results import ClusterStatus, SpendRow, to_json
from skyx_core.state.store import Store
from state_samples import FakeClock, record

HOUR = 3600.0


class World:
    """A store and its clock; each step is stored as a launch stores it."""

    def __init__(self, store: Store, clock: FakeClock) -> None:
        self.store, self.clock = store, clock

    def wait(self, hours: float) -> None:
        self.clock.now += hours * HOUR

    def tell(self, name: str, kind: EventKind, **fields: object) -> None:
        event = Event.model_validate({"kind": kind, "time": self.clock.now, "cluster": name, **fields})
        self.store.add_event(f"uid-{name}", name, kind.value, event.model_dump_json(exclude_defaults=True))

    def up(self, name: str, price: float = 10.0, **changes: object) -> None:
        self.store.reserve(record(name, hourly_usd=price, **changes))
        made = candidate("fake", "r1", "r1-a", hourly_usd=price, accelerators={"H100": 8.0})
        self.tell(name, EventKind.LAUNCH_STARTED, candidate=made)
        self.tell(name, EventKind.ATTEMPT_STARTED, candidate=made, attempt=1, total=2)
        self.tell(name, EventKind.PROGRESS, message="booting")
        self.tell(name, EventKind.CLUSTER_UP)
        self.status(name, ClusterStatus.UP)

    def status(self, name: str, status: ClusterStatus) -> None:
        self.store.update(name, self.store.take(name).generation, status=status)

    def stop(self, name: str) -> None:
        self.tell(name, EventKind.STOPPED)
        self.status(name, ClusterStatus.STOPPED)

    def down(self, name: str) -> None:
        self.tell(name, EventKind.TERMINATED)
        self.store.remove(f"uid-{name}", self.store.take(name).generation, "taken down")

    def rows(self, days: float | None = None) -> dict[str, SpendRow]:
        return {row.name: row for row in cost_report(self.store, now=self.clock.now, days=days).clusters}


@pytest.fixture
def world(tmp_path):
    clock = FakeClock()
    with Store(tmp_path / "state.db", clock) as store:
        yield World(store, clock)


def test_nothing_was_ever_launched(world):
    report = cost_report(world.store, now=world.clock.now, days=30)
    assert (report.clusters, report.total_usd, report.hourly_usd) == ([], 0, 0)
    assert not world.store.path.exists()


def test_running_stopped_and_gone_clusters(world):
    world.up("run")
    world.up("rest", price=4.0)
    world.up("gone", price=1.0)
    world.wait(2)
    world.stop("rest")
    world.down("gone")
    world.wait(3)
    rows = world.rows()
    assert {name: (row.status, row.seconds, row.cost_usd) for name, row in rows.items()} == {
        "run": ("UP", 5 * HOUR, 50.0),
        "rest": ("STOPPED", 2 * HOUR, 8.0),
        "gone": ("TERMINATED", 2 * HOUR, 2.0),
    }
    report = cost_report(world.store, now=world.clock.now, days=None)
    assert report.total_usd == sum(row.cost_usd for row in report.clusters) == 60.0
    assert report.hourly_usd == 10.0


def test_a_row_holds_what_is_asked_of_it(world):
    world.up("a")
    world.wait(1)
    world.down("a")
    row = to_json(world.rows()["a"])
    assert row == {
        "name": "a",
        "uid": "uid-a",
        "status": "TERMINATED",
        "cloud": "fake",
        "region": "r1",
        "instance_type": "m4",
        "accelerators": {"H100": 8.0},
        "use_spot": False,
        "num_nodes": 2,
        "hourly_usd": 10.0,
        "seconds": HOUR,
        "cost_usd": 10.0,
        "created_at": "2023-11-14T22:13:20Z",
        "ended_at": "2023-11-14T23:13:20Z",
    }


def test_only_what_lies_within_the_days_asked_for_is_counted(world):
    world.up("old")
    world.up("long")
    world.wait(24)
    world.down("old")
    world.wait(48)
    assert set(world.rows(days=1)) == {"long"}
    assert world.rows(days=1)["long"].cost_usd == 24 * 10.0
    assert world.rows(days=2.5)["old"].cost_usd == 12 * 10.0
    assert world.rows()["long"].seconds == 3 * DAY_S


def test_a_cluster_of_the_same_name_is_another_one(world):
    world.up("a", price=1.0)
    world.wait(1)
    world.down("a")
    made = candidate("fake", "r1", hourly_usd=5.0)
    world.store.reserve(record("a", uid="uid-new", hourly_usd=5.0, status=ClusterStatus.UP))
    event = Event(kind=EventKind.ATTEMPT_STARTED, time=world.clock.now, candidate=made, attempt=1)
    world.store.add_event("uid-new", "a", event.kind.value, event.model_dump_json())
    world.wait(1)
    costs = [(row.uid, row.cost_usd) for row in cost_report(world.store, now=world.clock.now, days=None).clusters]
    assert costs == [("uid-new", 5.0), ("uid-a", 1.0)]


def test_a_launch_that_found_nothing_costs_what_its_attempts_did(world):
    world.store.reserve(record("a"))
    for attempt, made_something in ((1, False), (2, True), (3, False)):
        made = candidate("fake", f"r{attempt}", hourly_usd=6.0)
        world.tell("a", EventKind.ATTEMPT_STARTED, candidate=made, attempt=attempt)
        world.wait(0.5)
        world.tell("a", EventKind.ATTEMPT_FAILED, attempt=attempt)
        if made_something:
            world.tell("a", EventKind.ATTEMPT_CLEANED, attempt=attempt)
    world.tell("a", EventKind.GAVE_UP)
    world.down("a")
    assert world.rows()["a"].cost_usd == 3.0


def test_without_events_a_cluster_counts_as_running_all_the_time(world):
    world.store.reserve(record("a", hourly_usd=2.0, status=ClusterStatus.UP))
    world.wait(3)
    assert world.rows()["a"].cost_usd == 6.0
    world.store.remove("uid-a", world.store.take("a").generation, "x")
    world.wait(3)
    assert world.rows()["a"].cost_usd == 6.0


def test_damaged_events_are_no_end(world):
    world.up("a")
    world.wait(1)
    for text in ("{", "[]", "null", '{"candidate": {"hourly_usd": "much"}, "attempt": "one"}', "[" * 100_000):
        world.store.add_event("uid-a", "a", "attempt_started", text)
    with world.store._db.write() as con:
        con.execute("INSERT INTO events (uid, name, kind, time, json) VALUES ('uid-a', 'a', 'stopped', 'now', '{}')")
        con.execute("INSERT INTO events (uid, name, kind, time, json) VALUES ('uid-a', 'a', 'stopped', 9e999, '{}')")
    world.wait(1)
    row = world.rows()["a"]
    assert 0 <= row.cost_usd < math.inf
    json.dumps(to_json(row), allow_nan=False)


def test_a_thousand_clusters_take_a_moment(world):
    rows = [
        (f"uid-{number}", f"c{number}", kind, 1.0, json.dumps({"attempt": 1, "candidate": {"hourly_usd": 1.0}}))
        for number in range(1000)
        for kind in ("launch_started", "attempt_started", "cluster_up", "stopped", "terminated")
    ]
    world.store.add_events(rows)
    with world.store._db.write() as con:
        con.executemany(
            "INSERT INTO history VALUES (?, ?, 'fake', 'r', NULL, 't', 1, 0, 0.0, 7200.0, 1.0, '', '', '')",
            [(f"uid-{number}", f"c{number}") for number in range(1000)],
        )
    assert len(world.rows()) == 1000
