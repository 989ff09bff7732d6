"""Blocks in the store: what a launch learned, for the next one."""

from __future__ import annotations

import math
import time

import pytest

from skyx_core.models import Block, Category
from skyx_core.state.blocks import KEPT_S
from skyx_core.state.store import Store
from state_samples import FakeClock, start

NOW = 1_700_000_000.0
A100 = (("A100", 8.0),)


@pytest.fixture
def clock():
    return FakeClock(NOW)


@pytest.fixture
def store(tmp_path, clock):
    with Store(tmp_path / "state.db", clock) as made:
        yield made


def block(region: str | None = "r1", *, lasts: float | None = 60.0, **changes: object) -> Block:
    key = {"cloud": "c", "region": region, "instance_type": "m4", **changes.pop("key", {})}  # type: ignore[dict-item]
    fields: dict[str, object] = {
        "key": key,
        "rule": "c.sold-out",
        "reason": "sold out",
        "category": Category.CAPACITY,
        "since": NOW,
        "until": None if lasts is None else NOW + lasts,
    }
    return Block.model_validate({**fields, **changes})


def test_a_block_comes_back_as_it_was(store):
    whole = block(
        key={"zone": "r1-a", "accelerators": A100, "use_spot": False, "reservation": ""},
        grows_to=360.0,
        repeats=3,
        fingerprint="f" * 16,
        account="me",
        nodes=16,
        reason="it's 'sold \"out\"' ☁ \n at 99%",
    )
    others = [block(key={"quota_bucket": "gpus"}), block(None, key={"accelerator": "*", "request": "d"})]
    store.add_blocks([whole, *others])
    found = store.blocks(now=NOW)
    assert sorted(found, key=str) == sorted([whole, *others], key=str)


def test_reading_and_clearing_where_nothing_was_stored_makes_no_file(store):
    store.add_blocks([])
    store.add_blocks([block(lasts=None), block(lasts=0), block(lasts=-1), block(until=math.inf)])
    assert store.blocks(now=NOW) == []
    assert store.clear_blocks() == 0
    assert not store.path.exists()


@pytest.mark.parametrize("order", [(60, 600), (600, 60)])
def test_of_two_with_one_pattern_the_longer_stays(store, order):
    for lasts in order:
        store.add_blocks([block(lasts=lasts, rule=f"of-{lasts}")])
    store.add_blocks([block(lasts=lasts, rule=f"of-{lasts}") for lasts in order])
    assert [(each.rule, each.until) for each in store.blocks(now=NOW)] == [("of-600", NOW + 600)]


def test_patterns_that_differ_in_one_field_are_several(store):
    keys = [{}, {"use_spot": True}, {"use_spot": False}, {"reservation": ""}, {"reservation": "x"}, {"zone": "z"}]
    store.add_blocks([block(key=key) for key in keys])
    assert len(store.blocks(now=NOW)) == len(keys)


@pytest.mark.parametrize("told", ["fingerprint", "account"])
def test_what_was_met_with_other_credentials_or_by_another_account_is_another_block(store, told):
    given = [block(lasts=86400, **{told: "old"}), block(lasts=60, **{told: "new"}), block(lasts=30)]
    for each in given:
        store.add_blocks([each])
    assert store.blocks(now=NOW) == given
    longer = block(lasts=90, rule="again", **{told: "new"})
    store.add_blocks([longer])
    assert store.blocks(now=NOW) == [given[0], longer, given[2]]


@pytest.mark.parametrize(("first", "second", "kept"), [((600, 16), (60, 1), (600, 1)), ((60, 1), (600, 16), (600, 1))])
def test_one_pattern_met_with_two_sizes_holds_for_the_smaller_as_long_as_the_longer(store, first, second, kept):
    for lasts, nodes in (first, second):
        store.add_blocks([block(lasts=lasts, nodes=nodes)])
    assert [(each.until - NOW, each.nodes) for each in store.blocks(now=NOW)] == [kept]


def test_a_size_that_was_met_before_the_block_ended_no_longer_counts(store, clock):
    store.add_blocks([block(lasts=60, nodes=1)])
    clock.now = NOW + 100
    store.add_blocks([block(nodes=16, since=NOW + 100, until=NOW + 160)])
    assert [each.nodes for each in store.blocks(now=NOW + 100)] == [16]


def test_nothing_but_time_ends_what_was_met_with_other_credentials(store, clock):
    store.add_blocks([block(lasts=600, fingerprint="old"), block(lasts=600, account="111")])
    for seconds in (0.0, 300.0, 599.0):
        clock.now = NOW + seconds
        store.add_blocks([block("r2", lasts=60 + KEPT_S)])
        assert {(each.fingerprint, each.account) for each in store.blocks(now=clock.now)} >= {("old", ""), ("", "111")}


def test_ended_ones_are_there_for_who_asks_and_dropped_after_three_hours(store, clock):
    store.add_blocks([block("r1", lasts=60), block("r2", lasts=600)])
    assert [each.key.region for each in store.blocks(now=NOW + 59)] == ["r1", "r2"]
    assert [each.key.region for each in store.blocks(now=NOW + 60)] == ["r2"]
    assert [each.key.region for each in store.blocks(now=NOW + 100, ended_within=41)] == ["r1", "r2"]
    assert [each.key.region for each in store.blocks(now=NOW + 100, ended_within=40)] == ["r2"]
    clock.now = NOW + 60 + KEPT_S + 1
    store.add_blocks([block("r3", lasts=60 + KEPT_S + 100)])
    assert [each.key.region for each in store.blocks(now=0)] == ["r2", "r3"]


def test_clouds_are_told_apart_and_those_of_any_cloud_concern_each(store):
    store.add_blocks([block(key={"cloud": name}) for name in (None, "a", "b")])
    assert [each.key.cloud for each in store.blocks(["a"], now=NOW)] == [None, "a"]
    assert [each.key.cloud for each in store.blocks(["a", "b"], now=NOW)] == [None, "a", "b"]
    assert [each.key.cloud for each in store.blocks([], now=NOW)] == [None]
    assert store.clear_blocks("b") == 1
    assert store.clear_blocks("b") == 0
    assert [each.key.cloud for each in store.blocks(now=NOW)] == [None, "a"]
    assert store.clear_blocks() == 2
    assert store.blocks(now=NOW) == []


def test_clearing_counts_what_still_held_and_removes_all(store, clock):
    store.add_blocks([block("r1", lasts=10), block("r2", lasts=100)])
    clock.now = NOW + 50
    assert store.clear_blocks() == 1
    assert store.blocks(now=0) == []


@pytest.mark.parametrize(
    "damage",
    [
        "key = '{'",
        "key = '{\"colour\": 1}'",
        "key = 5",
        "key = x'fffe'",
        "until = 'later'",
        "since = 'x'",
        "repeats = 'many'",
        "category = 'odd'",
        "rule = x'ff'",
    ],
)
def test_a_damaged_row_is_named_and_hides_no_other(store, damage):
    store.add_blocks([block("r1"), block("r2")])
    with store._db.write() as con:
        con.execute(f"UPDATE blocks SET {damage} WHERE key LIKE '%r1%'")
    assert [each.key.region for each in store.blocks(now=NOW) if each.key.region != "r1"] == ["r2"]
    assert all("damaged and left out" in warning for warning in store.warnings)
    assert len(store.warnings) == 1
    assert "\n" not in store.warnings[0]
    store.add_blocks([block("r1", lasts=120)])
    assert "r1" in [each.key.region for each in store.blocks(now=NOW)]
    assert store.clear_blocks() >= 2


def test_salvage_keeps_blocks(store):
    store.add_blocks([block("r1"), block("r2")])
    assert store.salvage().rows["blocks"] == 2
    assert len(store.blocks(now=NOW)) == 2


def test_ten_thousand_are_written_and_listed_fast(store):
    many = [block(f"r{number}", key={"accelerators": A100}) for number in range(10_000)]
    began = time.process_time()
    store.add_blocks(many)
    wrote = time.process_time() - began
    times = []
    for _ in range(3):
        began = time.process_time()
        assert len(store.blocks(now=NOW)) == 10_000
        times.append(time.process_time() - began)
    assert min(times) < 0.4, times  # a tenth of a second where nothing else runs
    assert wrote < 3


WORKER = """
import sys
from pathlib import Path
from skyx_core.models import Block, BlockKey
from skyx_core.state.store import Store
from state_samples import FakeClock
s, me = Store(Path(sys.argv[1]), FakeClock()), int(sys.argv[2])
now = FakeClock().now
sys.stdin.readline()
for n in range(30):
    until = now + 100 + (n * 7 + me * 13) % 50
    s.add_blocks([Block(key=BlockKey(cloud="c", region=f"r{n % 10}"), rule=f"{me}", reason="x", until=until),
                  Block(key=BlockKey(cloud=f"own{me}", region=f"r{n}"), rule="own", reason="x", until=until)])
    s.blocks(["c"], now=now)
"""


def test_many_processes_write_at_once_and_no_block_is_lost_or_shortened(store):
    workers = [start(WORKER, store.path, number) for number in range(6)]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    ends = [(worker.communicate(timeout=60)[1], worker.returncode) for worker in workers]
    assert ends == [("", 0)] * 6
    latest = {
        f"r{n % 10}": max(100 + (m * 7 + me * 13) % 50 for m in range(n % 10, 30, 10) for me in range(6))
        for n in range(10)
    }
    assert {each.key.region: each.until for each in store.blocks(["c"], now=NOW)} == {
        region: NOW + lasts for region, lasts in latest.items()
    }
    assert len([each for each in store.blocks(now=NOW) if each.rule == "own"]) == 6 * 30


def test_killed_at_any_moment_every_block_that_was_confirmed_is_there(store):
    code = WORKER.split("sys.stdin", maxsplit=1)[0] + (
        "for n in range(10**6):\n"
        "    s.add_blocks([Block(key=BlockKey(cloud='c', region=f'r{n}'), rule='', reason='', until=now + 9)])\n"
        "    print(n, flush=True)\n"
    )
    worker = start(code, store.path, 0)
    assert worker.stdout is not None
    for _ in range(30):
        worker.stdout.readline()
    worker.kill()
    out, _ = worker.communicate(timeout=20)
    found = {each.key.region for each in store.blocks(now=NOW)}
    assert found >= {f"r{number}" for number in range(30 + out.count("\n"))}
