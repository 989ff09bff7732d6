"""What the benchmarks of the search are made of does what they claim of it. No figure is judged here."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path
from xml.etree import ElementTree

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY))


@pytest.fixture
def scratch(tmp_path):
    from benchmarks.places import Scratch

    return Scratch(tmp_path)


def test_a_made_up_market_has_the_rows_it_says_and_one_cheapest_zone(tmp_path):
    from benchmarks.market import NEEDLE, Market

    market = Market(regions=5, zones=3, others=4)
    with market.write(tmp_path / "offers.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == market.rows == 75
    prices = [float(row["SpotPrice"]) for row in rows if row["InstanceType"] == NEEDLE]
    assert len(prices) == len(set(prices)) == market.candidates == 15
    assert len({row["AvailabilityZone"] for row in rows}) == 15
    assert [float(str(row["SpotPrice"])) for row in market.needles()] == sorted(prices)


def test_made_up_errors_are_records_that_differ_in_their_numbers():
    from benchmarks.made_errors import KINDS, records

    from skyx_core.failover.recorded import parse

    for cloud in KINDS:
        found = [parse(line) for line in records(cloud, 24)]
        assert {each.cloud for each in found} == {cloud}
        texts = {f"{each.error.message}{each.error.body}" for each in found}
        assert len(texts) > len(KINDS[cloud])
        assert not any("{n}" in text or "{x}" in text for text in texts)


def test_the_engine_is_measured_over_every_candidate(monkeypatch):
    from benchmarks.cases import engine

    tried = engine.candidates(12)
    blocks = [engine.block_of(each) for each in engine.candidates(5, cloud="other")]
    assert len(engine._failures(tried, blocks)) == 12


def test_the_way_of_planning_again_compares_as_blocks_do():
    from benchmarks.cases import engine

    from skyx_core.failover.blocklist import matches

    some = engine.candidates(7)
    for one in some:
        key = engine.block_of(one).key
        for other in some:
            assert engine.covers(key, other) == matches(key, other)


def test_a_measured_search_asks_every_zone_cheapest_first_and_leaves_a_record(scratch, tmp_path):
    from benchmarks.market import Market
    from benchmarks.searches import counted_commits, search

    market = Market(regions=2, zones=3, others=0)
    with counted_commits() as commits:
        found = search(scratch, tmp_path / "home", market)
    assert len(found.moments) == 6
    assert found.moments == sorted(found.moments)
    assert found.each_ms > 0
    assert len(commits) >= 6
    with sqlite3.connect(next((tmp_path / "home").rglob("state.db"))) as db:
        started = [
            json.loads(text)["candidate"]["zone"]
            for (text,) in db.execute("SELECT json FROM events WHERE kind LIKE 'attempt%started' ORDER BY seq")
        ]
        intents = db.execute("SELECT count(*) FROM intents").fetchone()[0]
    assert started == [row["AvailabilityZone"] for row in market.needles()]
    assert intents == 6
    assert (tmp_path / "home" / "search.log").stat().st_size > 0


def test_the_floor_of_a_search_commits_each_attempt(tmp_path):
    from benchmarks.market import Market
    from benchmarks.searches import floor

    assert floor(tmp_path, Market(regions=3, zones=2, others=0)) > 0
    with sqlite3.connect(tmp_path / "floor.db") as db:
        assert db.execute("SELECT count(*) FROM attempts").fetchone()[0] == 6


def test_growth_is_drawn_where_there_are_three_sizes(tmp_path):
    from benchmarks import plot
    from benchmarks.report import as_json
    from benchmarks.rows import Row

    rows = [Row("two", f"{size} zones", "ms", 1.0, size=size) for size in (1, 10)]
    for size in (3, 30, 300):
        peer = 2.0 * size if size < 100 else None
        rows.append(Row("many", f"{size} zones", "ms", 1.5, floor=0.2, peer=peer, peer_is="other <tool>", size=size))
        rows.append(Row("many", f"{size} zones, mended", "ms", 9.9, peer=1.0 * size, peer_is="mended", size=size))
    source = tmp_path / "results.json"
    source.write_text(as_json(rows, {}, quick=True, rounds=5))
    assert plot.main(source, tmp_path) == 0
    assert sorted(path.name for path in tmp_path.glob("growth-*.svg")) == ["growth-many.svg"]
    tree = ElementTree.parse(tmp_path / "growth-many.svg")
    texts = [element.text for element in tree.iter() if element.tag.endswith("text")]
    assert {"skyx", "floor", "other <tool>", "mended"} <= set(texts)
    assert len([element for element in tree.iter() if element.tag.endswith("polyline")]) == 4


def test_lines_that_grow_with_different_things_are_told_apart():
    from benchmarks.growth import lines_of

    def row(what, size):
        return {"name": "n", "what": what, "ours": 1.0, "floor": None, "peer": None, "peer_is": "", "size": size}

    rows = [row("10 blocks there", 10), row("1000 blocks there", 1000), row("10 attempts", 10)]
    assert lines_of(rows, "n") == {"skyx, blocks there": {10: 1.0, 1000: 1.0}, "skyx, attempts": {10: 1.0}}
