"""``skyx blocks``."""

from __future__ import annotations

import pytest

from cli_fakes import FakeSession, block_row, skyx
from skyx_core.cli.patterns import pattern_text
from skyx_core.errors import UsageError
from skyx_core.failover.recorded import pattern
from skyx_core.models import BlockKey
from skyx_core.results import BlocksResult


def test_list_says_what_why_and_until_when() -> None:
    text = skyx("blocks", "list").out
    for part in ("mars/north/north-a m1.big H100:8 on-demand", "no more of these", "mars.sold-out", "2026-01-02T03:09"):
        assert part in text


def test_list_json_holds_the_contract() -> None:
    (row,) = skyx("blocks", "list", "-o", "json").json
    assert {"cloud", "pattern", "rule", "reason", "since", "until", "repeats", "fingerprint_ok"} <= set(row)
    assert row["pattern"]["accelerators"] == {"H100": 8.0}


def test_list_asks_for_one_cloud_or_for_what_ended_too() -> None:
    session = FakeSession()
    skyx("blocks", "list", "mars", "--all", session=session)
    assert session.called("blocks") == {"cloud": "mars", "ended": True}


def test_until_is_told_relative_to_now() -> None:
    rows = [
        block_row(since="2998-12-31T20:00:00Z", until="2999-01-01T00:00:00Z"),
        block_row(until="2001-01-01T00:00:00Z"),
        block_row(fingerprint_ok=False),
    ]
    text = skyx("blocks", "list", "--all", session=FakeSession(the_blocks=BlocksResult(rows, ["a row is damaged"])))
    assert " d (2999-01-01T00:00:00Z)" in text.out
    assert "ended (2001" in text.out
    assert "credentials or settings changed" in text.out
    assert text.err == "warning: a row is damaged\n"


def test_nothing_is_blocked() -> None:
    session = FakeSession(the_blocks=BlocksResult([]))
    assert skyx("blocks", "list", "-o", "json", session=session).json == []
    assert "Nothing is blocked on mars" in skyx("blocks", "list", "mars", session=session).err


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 1)])
def test_clear_asks_on_a_terminal(answer: str, code: int) -> None:
    session = FakeSession()
    result = skyx("blocks", "clear", "mars", session=session, tty=True, answer=answer)
    assert result.code == code
    assert "Forget 1 block on mars?" in result.err
    assert [name for name, _ in session.calls if name == "clear_blocks"] == ["clear_blocks"] * (code == 0)


def test_clear_without_a_terminal_needs_the_flag() -> None:
    result = skyx("blocks", "clear")
    assert result.code == 2
    assert "-y" in result.err
    session = FakeSession()
    done = skyx("blocks", "clear", "-y", session=session)
    assert (done.code, done.out) == (0, "1 block on all clouds forgotten\n")
    assert session.called("clear_blocks") == {"cloud": None}
    assert skyx("blocks", "clear", "-y", "-o", "json").json == {"cleared": 1}


def test_an_unknown_cloud_is_told_with_the_nearest() -> None:
    error = UsageError("no cloud named 'mras' is installed", hint="did you mean 'mars'?")
    result = skyx("blocks", "list", "mras", session=FakeSession(raises=error))
    assert result.code == 2
    assert "did you mean 'mars'?" in result.err


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ({"cloud": "aws"}, "aws"),
        ({"cloud": "aws", "use_spot": True}, "aws spot"),
        ({"cloud": "aws", "region": "r", "quota_bucket": "P"}, "aws/r quota P"),
        ({"cloud": "aws", "zone": "z"}, "aws/*/z"),
        ({"cloud": "aws", "accelerator": "*", "use_spot": False}, "aws any accelerator on-demand"),
        ({"cloud": "aws", "accelerator": "A100"}, "aws any number of A100"),
        ({"accelerators": {"A100": 0.5}, "reservation": "cr-1", "account": "me"}, "* A100:0.5 reservation cr-1 account me"),  # noqa: E501
        ({"cloud": "aws", "request": "abc"}, "aws for the same image, disk or ports"),
        ({}, "*"),
    ],
)  # fmt: skip
def test_patterns_read_like_a_place_and_a_machine(pattern: dict[str, object], text: str) -> None:
    assert pattern_text(pattern) == text  # type: ignore[arg-type]


def test_a_pattern_reads_the_same_in_an_event_as_in_the_list() -> None:
    key = BlockKey(cloud="mars", region="north", accelerators=(("H100", 8.0),), use_spot=False, reservation="")
    assert pattern_text(key.model_dump(mode="json")) == pattern_text(pattern(key)) == "mars/north H100:8 on-demand"
