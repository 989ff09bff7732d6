"""The file of a catalogue: damage is named, a new version is seen, and no query sorts."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from catalog_rows import CLOUD, catalogue, machine, write
from skyx_core.catalog import Catalogue, layout
from skyx_core.dirs import Dirs
from skyx_core.errors import CatalogError
from skyx_core.models import Request

ROWS = [machine(f"m{n}", zone=zone, usd=1.0 + n) for n in range(200) for zone in ("a", "b")]


def spoil(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif how == "cut in the header":
        path.write_bytes(data[:50])
    elif how == "garbage":
        path.write_bytes(os.urandom(5000))
    elif how == "garbage inside":
        path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    elif how == "a folder":
        path.unlink()
        path.mkdir()
    else:
        con = sqlite3.connect(path)
        con.execute(how)
        con.commit()
        con.close()


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("empty", "empty"),
        ("cut", "a part of it is missing"),
        ("cut in the header", "not a catalogue"),
        ("garbage", "not a catalogue"),
        ("garbage inside", "malformed"),
        ("a folder", "directory"),
        ("PRAGMA user_version=99", "version 99, and this release reads version 1"),
        ("PRAGMA application_id=7", "not a catalogue of skyx"),
        ("DELETE FROM header", "no offers of 'mars'"),
        ("UPDATE header SET cloud = 'venus'", "no offers of 'mars'"),
        ("UPDATE header SET rows = 'many'", "header"),
        ("DROP TABLE best", "no such table"),
        ("UPDATE types SET accelerators = '[1'", "row"),
        ("UPDATE offers SET price = -1", "row"),
        ("UPDATE regions SET name = CAST(x'ff' AS TEXT)", "UTF-8"),
    ],
)
def test_damage_is_one_clear_error_with_its_fix(tmp_path: Path, how: str, why: str) -> None:
    path = Dirs.under(tmp_path).catalogues / f"{CLOUD}.db"
    write(path, ROWS)
    spoil(path, how)
    known = Catalogue.open(Dirs.under(tmp_path), CLOUD)
    with pytest.raises(CatalogError) as caught:
        list(known.offers(Request()))
    error = caught.value
    assert (error.where, error.code) == (str(path), "SKYX-E240")
    assert why in error.why
    assert f"skyx catalog import {CLOUD}" in error.hint
    assert f"skyx catalog update {CLOUD}" in error.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    known = catalogue(tmp_path, ROWS)
    known.imported.chmod(0)
    with pytest.raises(CatalogError, match="permission denied"):
        known.offers(Request())


def test_another_process_that_locks_it_is_no_matter(tmp_path: Path) -> None:
    known = catalogue(tmp_path, ROWS)
    con = sqlite3.connect(known.imported, isolation_level=None)
    con.execute("BEGIN EXCLUSIVE")
    assert next(known.offers(Request())).instance_type == "m0"
    con.close()


def test_a_new_version_is_seen_and_what_is_being_read_stays(tmp_path: Path) -> None:
    known = catalogue(tmp_path, ROWS)
    reading = known.offers(Request())
    assert next(reading).instance_type == "m0"
    write(known.imported, [machine("new")])
    assert [one.instance_type for one in known.offers(Request())] == ["new"]
    assert len(list(reading)) == len(ROWS) - 1
    known.imported.unlink()
    assert list(known.offers(Request())) == []
    assert "skyx catalog import mars FILE.csv" in known.why_nothing(Request())[0].fix


def test_one_catalogue_serves_many_threads(tmp_path: Path) -> None:
    known, found = catalogue(tmp_path, ROWS), []

    def read() -> None:
        found.append([one.hourly_usd for one in known.offers(Request())])

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 6
    assert all(one == found[0] and one == sorted(one) for one in found)


QUERIES = [
    name
    for name in vars(layout)
    if name.isupper() and str(getattr(layout, name)).startswith("SELECT") and not name.startswith("_")
]
BY_NAME_ONLY = {"TYPE_NAMES", "TYPE_COUNT", "REGION_NAMES"}  # asked once nothing was found: whole, in no order


@pytest.mark.parametrize("name", QUERIES)
def test_no_query_sorts_or_reads_a_whole_table_of_offers(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.db"
    write(path, ROWS)
    sql = str(getattr(layout, name))
    names = {word.strip(",()").lstrip(":").rstrip(",)") for word in sql.split() if word.lstrip("(").startswith(":")}
    con = sqlite3.connect(path)
    params = dict.fromkeys({word.strip("(),:") for word in names}, 1)
    plan = [row[3] for row in con.execute(f"EXPLAIN QUERY PLAN {sql}", params)]
    con.close()
    assert not [step for step in plan if "TEMP B-TREE" in step]
    assert not [step for step in plan if step.startswith(("SCAN o", "SCAN t"))] or name in BY_NAME_ONLY
    if name in ("OFFERS_OF_TYPE", "OFFERS_OF_REGION", "TYPES_BY_ACCELERATOR", "ALL_TYPES"):
        assert plan[0].startswith("SEARCH")


def test_a_short_answer_reads_little_however_long_the_catalogue_is(tmp_path: Path) -> None:
    """Steps of SQLite's machine, counted: the first offers of a catalogue ten times as long cost about as much."""

    def steps(rows: int) -> int:
        folder = tmp_path / str(rows)
        gpus = [
            machine(f"g{n % 7}", f"r{n}", usd=5.0 + n, accelerators={"A100": 8.0}, use_spot=True)
            for n in range(rows // 5)
        ]
        known = catalogue(folder, [*gpus, *(machine(f"m{n % 97}", f"r{n // 97}", usd=1.0 + n) for n in range(rows))])
        file = known.file()
        assert file is not None
        count = 0

        def tick() -> None:
            nonlocal count
            count += 1

        file._con.set_progress_handler(tick, 10)
        for query in (Request(accelerators={"A100": 8.0}, use_spot=True), Request(), Request(region="r1")):
            found = known.offers(query)
            assert len([next(found) for _ in range(20)]) == 20
        return count

    assert steps(30_000) < 1.5 * steps(3_000)
