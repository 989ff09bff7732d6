"""``skyx cost-report``."""

from __future__ import annotations

import pytest

from cli_fakes import FakeSession, skyx, spend_row
from skyx_core.results import SpendReport


def test_text_shows_each_cluster_and_the_total() -> None:
    result = skyx("cost-report")
    assert result.code == 0
    assert "mars/north" in result.out
    assert "m1.big (spot)" in result.out
    assert "total: $25.00 since 2026-01-01T00:00:00Z, $12.50 per hour now" in result.out
    assert "not the bill" in result.out
    assert "not the bill" in skyx("cost-report", "--help").out


def test_json_holds_the_contract() -> None:
    (row,) = skyx("cost-report", "-o", "json").json
    assert list(row) == [
        "name", "uid", "status", "cloud", "region", "instance_type", "accelerators", "use_spot", "num_nodes",
        "hourly_usd", "seconds", "cost_usd", "created_at", "ended_at",
    ]  # fmt: skip
    assert row["ended_at"] is None


@pytest.mark.parametrize(
    ("flags", "days"), [([], 30.0), (["--since", "7"], 7.0), (["--since", "0.5"], 0.5), (["--all"], None)]
)
def test_the_time_asked_for(flags: list[str], days: float | None) -> None:
    session = FakeSession()
    assert skyx("cost-report", *flags, session=session).code == 0
    assert session.called("cost_report") == {"days": days}


@pytest.mark.parametrize("flags", [["--since", text] for text in ("x", "0", "-1", "nan", "inf", "1e9", "")])
def test_days_that_are_none_are_refused(flags: list[str]) -> None:
    result = skyx("cost-report", *flags)
    assert result.code == 2
    assert "not a number of days" in result.err
    assert skyx("cost-report", "--since", "3", "--all").code == 2


def test_nothing_yet_and_what_is_damaged() -> None:
    empty = FakeSession(the_spend=SpendReport([], 0.0, 0.0, None, ["a row is damaged"]))
    result = skyx("cost-report", session=empty)
    assert result.out == "total: $0.00 in all, $0.00 per hour now; by list prices, not the bill\n"
    assert "a row is damaged" in result.err
    gone = SpendReport(
        [spend_row(region=None, instance_type=None, use_spot=False, ended_at="2026-01-03T00:00:00Z")], 1, 0
    )
    assert "2026-01-03" in skyx("cost-report", session=FakeSession(the_spend=gone)).out
