"""Tables and lines that fit the terminal, and are whole where there is none."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli_fakes import FakeSession, block_row, skyx, spend_row
from skyx_core.cli.attempts import attempts_table
from skyx_core.cli.fitting import fitted, folded, hanging
from skyx_core.errors import NoCapacityError
from skyx_core.models import Candidate, Event, EventKind
from skyx_core.results import BlocksResult, Excluded, SpendReport, TaskPlan

LONG = "An error occurred (InsufficientInstanceCapacity) when calling RunInstances: " + "no room here, sorry; " * 8
EVENT = {
    "seq": 1,
    "time": 5.0,
    "kind": "attempt_failed",
    "candidate": {"cloud": "mars", "region": "northern-plains-1", "zone": "northern-plains-1a", "instance_type": "m1"},
    "error": LONG,
    "rule": "mars.capacity.sold-out",
    "next": "next candidate",
}


class Full(FakeSession):
    def explain(self, name: str):
        yield EVENT

    def classify(self, cloud: str, lines):
        class Rows(list):
            problems = ()
            skipped = 0

        row = {"id": "e1", "category": "capacity", "block": "instance_type_in_zone", "ttl": 300, "abort": False}
        return Rows([{**row, "retry_same": False, "rule": "mars.capacity.sold-out", "hint": LONG}])


def full() -> Full:
    spend = [spend_row("training-of-the-large-model", region="northern-plains-1", ended_at="2026-01-02T03:04:05Z")]
    return Full(
        the_blocks=BlocksResult([block_row(reason=LONG)]),
        the_spend=SpendReport(spend, 25.0, 12.5, "2026-01-01T00:00:00Z"),
        the_plan=TaskPlan("t", 1, [], [Excluded("mars", LONG, "do this")]),
    )


def visible(text: str) -> list[str]:
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in text.splitlines()]


COMMANDS = [["explain", "a"], ["blocks", "list"], ["cost-report"], ["plan", "true"], ["classify", "mars", "-"]]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("tty", [True, False])
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(words: list[str], width: int, tty: bool) -> None:
    environ = {"COLUMNS": str(width), **({"NO_COLOR": ""} if tty else {})}
    lines = visible(skyx(*words, session=full(), tty=tty, environ=environ).out)
    assert lines
    assert max(map(len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize(
    "words", [words for words in COMMANDS if words[0] != "cost-report"], ids=lambda words: words[0]
)
def test_without_a_terminal_nothing_is_cut(words: list[str]) -> None:
    text = skyx(*words, session=full()).out
    assert LONG.strip() in text
    assert "2026-01-02T03:04:05Z" in skyx("cost-report", session=full()).out


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_of_what_was_tried_fits_too(width: int) -> None:
    rows = [
        (f"mars/northern-plains-{n}/northern-plains-{n}a", "H100:8 m1.enormous", f"{n} {LONG}", LONG) for n in (1, 2)
    ]
    error = NoCapacityError("no capacity was found", attempts=rows, hint="wait")
    result = skyx("launch", "-y", "true", session=FakeSession(raises=error), tty=True, environ={"COLUMNS": str(width)})
    assert max(map(len, visible(result.err))) <= width
    said = "".join("".join(attempts_table(rows, width=width)).split())
    assert "northern-plains-1a" in "\n".join(attempts_table(rows, width=width))
    assert said.count("sorry;") + said.count("sorr") >= 16  # nothing is lost


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("color", [True, False])
def test_lines_of_progress_fit(width: int, color: bool) -> None:
    where = Candidate(cloud="mars", region="north", instance_type="m1", cpus=1, memory_gb=1, hourly_usd=1)
    events = [
        Event(kind=EventKind.ATTEMPT_STARTED, time=1, cluster="a", attempt=1, candidate=where),
        Event(kind=EventKind.ATTEMPT_FAILED, time=3, cluster="a", attempt=1, error=LONG, next="next candidate"),
    ]
    environ = {"COLUMNS": str(width), **({"NO_COLOR": ""} if color else {})}
    text = skyx("launch", "-y", "-d", "true", session=FakeSession(events=events), tty=True, environ=environ).err
    failed = [line for line in visible(text) if "Provisioning" in line or line.startswith("  ")]
    assert [line for line in failed if "! Provisioning mars/north m1: An error" in line]
    assert max(map(len, failed)) <= width
    plain = skyx("launch", "-y", "-d", "true", session=FakeSession(events=events)).err
    assert f"{LONG.strip()}" in plain


@given(st.text(max_size=300).map(lambda text: " ".join(text.split())), st.integers(3, 40))
def test_folding_keeps_every_character_but_blanks(text: str, width: int) -> None:
    lines = folded(text, width, 1000)
    assert all(len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_places_and_times_are_broken_where_they_have_parts() -> None:
    assert folded("aws/us-east-1/us-east-1a", 14) == ["aws/us-east-1/", "us-east-1a"]
    assert folded("2026-01-02T03:04:05Z", 12) == ["2026-01-02", "T03:04:05Z"]
    assert folded("x" * 100, 10, 2) == ["x" * 10, "x" * 7 + "..."]
    assert hanging("a line", None) == hanging("a line", 6) == "a line"


def test_narrow_columns_keep_their_width_while_long_ones_give_way() -> None:
    text = fitted(("N", "WHY"), [("12345", "word " * 30)], 40)
    assert text.splitlines()[1].startswith("12345  word")
    assert max(map(len, text.splitlines())) <= 40
