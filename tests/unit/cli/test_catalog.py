"""``show-gpus`` and ``catalog``: what is asked of the session, and how it is shown."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli_fakes import FakeSession, skyx
from skyx_core.cli.commands.catalog import teller
from skyx_core.testing.clock import StepClock


def test_show_gpus_shows_the_lowest_prices() -> None:
    session = FakeSession()
    (row,) = skyx("show-gpus", "H100:8", "--cloud", "mars", "-o", "json", session=session).json
    assert (row["cloud"], row["accelerators"], row["hourly_usd"]) == ("mars", {"H100": 8.0}, 30.0)
    assert session.called("gpus") == {"accelerator": "H100:8", "cloud": "mars"}
    text = skyx("show-gpus").out
    assert "H100:8  mars   30.00" in text


def test_show_gpus_says_why_there_is_nothing() -> None:
    result = skyx("show-gpus", "H10")
    assert (result.code, result.out) == (0, "")
    assert "unknown accelerator 'H10'" in result.err


def test_catalog_list_is_one_json_array() -> None:
    session = FakeSession()
    result = skyx("catalog", "list", "--region", "north", "--gpus", "H100", "-o", "json", session=session)
    assert [row["cloud"] for row in json.loads(result.out)] == ["mars", "local"]
    assert session.called("offers") == {"accelerator": "H100", "cloud": None, "region": "north", "limit": None}
    assert "moon: its catalogue" in result.err


def test_catalog_list_says_that_there_is_more() -> None:
    result = skyx("catalog", "list", "--limit", "1")
    assert "m1.big" in result.out
    assert "local-2" not in result.out
    assert "more than 1" in result.err


def test_text_is_short_unless_told_otherwise() -> None:
    short, whole = FakeSession(), FakeSession()
    skyx("catalog", "list", session=short)
    skyx("catalog", "list", "--limit", "0", session=whole)
    assert (short.called("offers")["limit"], whole.called("offers")["limit"]) == (101, None)


def test_catalog_info_tells_age_and_what_may_be_done_with_it() -> None:
    text = skyx("catalog", "info").out
    assert "mars   2       25 h  mars.csv  no plugin: skyx plan --catalogued" in text
    assert skyx("catalog", "info", "-o", "json").json[0]["rows"] == 2


def test_import_passes_the_path_and_tells_what_was_left_out(tmp_path: Path) -> None:
    session = FakeSession()
    result = skyx("catalog", "import", "mars", "mars.csv", session=session, cwd=tmp_path)
    assert session.called("import_catalog") == {"cloud": "mars", "file": "mars.csv"}
    assert result.out == "mars: 2 offers of 1 type in 1 region\n"
    assert "note: 1 row left out" in result.err
    assert skyx("catalog", "import", "mars", "mars.csv", "-o", "json").json["rows"] == 2


def test_update_goes_on_after_a_failure_and_ends_with_its_code() -> None:
    result = skyx("catalog", "update", "mars", "moon")
    assert result.code == 2
    assert "mars: 2 offers" in result.out
    assert "can't tell its offers" in result.err
    assert skyx("catalog", "update", "mars").code == 0


@pytest.mark.parametrize(("mode", "told"), [("auto", ["- b", "- d"]), ("quiet", []), ("json", [])])
def test_an_import_tells_every_two_seconds_how_far_it_is(mode: str, told: list[str]) -> None:
    clock, notes = StepClock(), []
    app = SimpleNamespace(clock=clock, progress_mode=lambda: mode, note=notes.append)
    tell = teller(app)  # type: ignore[arg-type]
    for text, seconds in (("a", 1.5), ("b", 0.6), ("c", 1.9), ("d", 0.2)):
        clock.advance(seconds)
        tell(text)
    assert notes == told


def test_a_quick_import_tells_nothing_of_itself(tmp_path: Path) -> None:
    assert "nothing that takes long" not in skyx("catalog", "import", "mars", "mars.csv", cwd=tmp_path).err
