"""``skyx explain --path``: the lines, and how they fit a terminal."""

from __future__ import annotations

from cli_fakes import FakeSession, skyx
from skyx_core.cli.pathview import path, render

LONG = "the cloud says: " + " ".join(f"word-{number}" for number in range(60))
EVENTS = [
    {"kind": "attempt_started", "attempt": 1, "time": 10.0},
    {
        "kind": "attempt_failed",
        "attempt": 1,
        "time": 250.0,
        "candidate": {"cloud": "mars", "region": "north", "instance_type": "m1", "hourly_usd": 2.0},
        "error": LONG,
        "rule": "mars.sold-out",
        "verdict": {"category": "capacity"},
        "blocks": [{"key": {"cloud": "mars", "accelerators": [["H100", 8.0]]}, "since": 250.0, "until": 550.0}],
        "next": "next candidate",
    },
    {"kind": "gave_up", "message": "nothing is left"},
]


class Told(FakeSession):
    def explain(self, name: str):
        yield from EVENTS


def test_what_is_no_terminal_gets_every_text_whole_in_one_line() -> None:
    lines = render(path(EVENTS), color=False).splitlines()
    assert [line for line in lines if LONG in line]
    assert any(line.endswith("capacity after 4 min, rule mars.sold-out") for line in lines)
    assert any(line.endswith("blocks mars H100:8 for 5 min") for line in lines)
    assert len(lines) == 6


def test_a_terminal_gets_lines_that_fit_each_under_its_indent() -> None:
    for columns in (60, 80, 120):
        lines = render(path(EVENTS), color=False, columns=columns).splitlines()
        assert max(map(len, lines)) <= columns
        first = next(line for line in lines if "the cloud says" in line)
        start = first.index("the cloud says")
        following = lines[lines.index(first) + 1]
        assert following[:start] == "|" + " " * (start - 1)
        assert following[start:].startswith("word-")
    narrow = render(path(EVENTS), color=False, columns=1)
    assert "nothing is left" in narrow


def test_a_text_without_end_is_cut_on_a_terminal_only() -> None:
    events = [{"kind": "attempt_failed", "error": "word " * 5000}]
    assert len(render(path(events), color=False, columns=80).splitlines()) < 12
    assert render(path(events), color=False).count("word") == 5000


def test_no_empty_line_follows_the_path_alone() -> None:
    alone, whole = skyx("explain", "a", "--path", session=Told()).out, skyx("explain", "a", session=Told()).out
    assert alone.endswith("GAVE UP  nothing is left\n")
    assert f"{alone}\nSEQ" in whole


def test_the_width_is_that_of_the_terminal() -> None:
    wide = skyx("explain", "a", "--path", session=Told(), tty=True, environ={"COLUMNS": "70"}).out
    assert max(map(len, wide.splitlines())) <= 70
    set_by_hand = skyx("explain", "a", "--path", session=Told(), environ={"COLUMNS": "70"}).out
    assert max(map(len, set_by_hand.splitlines())) <= 70
    assert LONG in skyx("explain", "a", "--path", session=Told()).out
