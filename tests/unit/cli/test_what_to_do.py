"""What a person is told to do about a failure, how long it stands, and which launch it belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_fakes import FakeSession, block_row, skyx
from skyx_core.cli.pathview import path, render
from skyx_core.cli.phases import Phases
from skyx_core.cluster.giving_up import Findings
from skyx_core.cluster.rule_hints import rule_hint
from skyx_core.cluster.rulebooks import Rulebooks
from skyx_core.models import Block, BlockKey, Candidate, Category, ErrorRule, Event, EventKind, Scope, Verdict
from skyx_core.results import BlocksResult
from skyx_core.spans import UNTIL_FIXED, until_fixed

DAY = 86_400.0
T0 = 1_800_000_000.0
WHERE = {"cloud": "mars", "region": "north", "instance_type": "m1", "hourly_usd": 2.0}
STAYS = {"key": {"cloud": "mars"}, "rule": "mars.login", "reason": "expired", "since": T0, "until": T0 + DAY}
FAILED = {
    "kind": "attempt_failed",
    "attempt": 1,
    "time": T0 + 5,
    "candidate": WHERE,
    "error": "expired",
    "rule": "mars.login",
    "hint": "log in again",
    "verdict": {"category": "auth"},
    "blocks": [STAYS],
    "next": "next candidate",
}


def candidate(price: float = 1.0, zone: str | None = None) -> Candidate:
    return Candidate(cloud="mars", region="north", zone=zone, instance_type="m1", cpus=1, memory_gb=1, hourly_usd=price)


def lines_of(*events: Event) -> list[str]:
    phases = Phases()
    return [line.render() for event in events for line in phases.feed(event)]


def lines(*events: dict[str, object]) -> str:
    return render(path(events), color=False)  # type: ignore[arg-type]


def test_stops_say_how_to_fix_them_and_how_long_they_stand() -> None:
    skipped = {"kind": "candidates_skipped", "skipped": [{"candidate": WHERE, "block": STAYS, "hint": "log in again"}]}
    located = {"kind": "zones_located", "candidate": WHERE, "error": "expired", "hint": "log in again"}
    for event in (FAILED, skipped, located):
        assert "fix: log in again" in lines(event)
    assert f"blocks mars {UNTIL_FIXED}" in lines(FAILED)
    assert f"blocked {UNTIL_FIXED} by mars.login: expired" in lines(skipped)
    assert "fix:" not in lines({**FAILED, "hint": ""})


@pytest.mark.parametrize("category", ["auth", "permission", "config", "capacity"])
def test_progress_says_how_to_fix_what_no_waiting_ends(category: str) -> None:
    verdict = Verdict(category=Category(category), block=Scope.CLOUD, rule="r", reason="no", hint="log in again")
    told = lines_of(
        Event(kind=EventKind.ATTEMPT_STARTED, time=1, attempt=1, candidate=candidate()),
        Event(kind=EventKind.ATTEMPT_FAILED, time=2, attempt=1, error="no", hint=verdict.hint, verdict=verdict),
        Event(kind=EventKind.ZONES_LOCATED, time=3, candidate=candidate(), error="no zones", verdict=verdict),
    )
    assert told.count("!   fix: log in again") == (0 if category == "capacity" else 2)
    assert ("! mars/north: no zones" in told) is (category != "capacity")


def test_what_is_next_names_what_is_left_alone() -> None:
    key = BlockKey(cloud="mars", region="us-1", zone="us-1a")
    short = Block(key=key, rule="r", reason="full", since=T0, until=T0 + 300)
    fixed = Block(key=BlockKey(cloud="mars"), rule="r", reason="no", since=T0, until=T0 + 60, fingerprint="abc")
    for blocks, text in (
        ((short,), "us-1a left alone for 5 min; next candidate"),
        ((fixed,), f"mars left alone {UNTIL_FIXED}; next candidate"),
        ((short, fixed), "us-1a left alone for 5 min and 1 more; next candidate"),
        ((), "next candidate"),
    ):
        event = Event(
            kind=EventKind.ATTEMPT_FAILED, time=2, attempt=1, error="no", blocks=blocks, next="next candidate"
        )
        assert lines_of(event)[-1] == f"- Next: {text}"


@pytest.mark.parametrize("price", [4.0, 9.0])
def test_a_cluster_that_costs_more_than_the_first_choice_says_so(price: float) -> None:
    up = lines_of(
        Event(kind=EventKind.PLANNED, time=0, candidate=candidate(4)),
        Event(kind=EventKind.LAUNCH_STARTED, time=0, cluster="a", candidate=candidate(4)),
        Event(kind=EventKind.ATTEMPT_STARTED, time=1, attempt=2, candidate=candidate(price, "north-a")),
        Event(kind=EventKind.CLUSTER_UP, time=2, cluster="a", attempt=2),
    )[-1]
    where = " on mars/north/north-a m1, $9.00/h (first choice $4.00)" if price == 9 else ""
    assert up == f"+ Cluster a is up{where}"


def test_each_launch_has_its_heading_and_the_interrupted_one_says_so() -> None:
    def begun(time: float, command: str) -> dict[str, object]:
        return {"kind": "launch_started", "time": time, "data": {"command": command}}

    ended = {"kind": "launch_ended", "status": "interrupted"}
    text = lines(begun(T0, "skyx launch one"), FAILED, ended, begun(T0 + 60, "skyx launch two"), FAILED)
    first, second = text.split("\n\n")
    assert first.startswith("Launch of 2027-01-15T08:00:00Z  skyx launch one\n|- FAILED")
    assert first.splitlines()[-1] == "`- INTERRUPTED  nothing was left behind"
    assert second.startswith("Launch of 2027-01-15T08:01:00Z  skyx launch two\n`- FAILED")
    killed = lines(begun(T0, "one"), FAILED, begun(T0 + 60, "two"))
    assert "ENDED   before anything was up" in killed
    assert lines(begun(T0, "one")) == ""


def test_the_list_of_blocks_says_what_stands_until_it_is_fixed() -> None:
    rows = [
        block_row(since="2999-01-01T00:00:00Z", until="2999-01-02T00:00:00Z"),
        block_row(since="", until="2999-01-02T00:00:00Z"),
    ]
    text = skyx("blocks", "list", session=FakeSession(the_blocks=BlocksResult(rows))).out
    assert text.count(UNTIL_FIXED) == 1
    assert until_fixed(0, T0) is False


def test_the_error_at_the_end_names_the_fix_before_the_other_way() -> None:
    known, unknown = (Findings(hint_of=lambda _, hint=hint: hint) for hint in ("log in again", ""))
    block = Block.model_validate(STAYS)
    for found in (known, unknown):
        found.cloud_held("mars", block, T0)
    assert known.rows[0][2] == f"blocked {UNTIL_FIXED} by mars.login: expired"
    assert known.rows[0][3] == "log in again, or 'skyx blocks clear mars'"
    assert unknown.rows[0][3] == "'skyx blocks clear mars' tries it anyway"
    known.cloud_held("mars", block.model_copy(update={"until": T0 + 60}), T0)
    assert known.rows[1][2:] == (
        "blocked for 60 s more by mars.login: expired",
        "'skyx blocks clear mars' tries it anyway",
    )


class Rules:
    """Stands for the plugins that give rules."""

    def rules(self, cloud: str):
        yield from ()

    def names(self, kind: str) -> list[str]:
        return []


def test_the_hint_of_a_rule_is_found_again_and_filled_in(tmp_path: Path) -> None:
    given = (
        ErrorRule(id="a", code="A", category=Category.AUTH, hint="log in to {cloud}"),
        ErrorRule(id="b", code="B", category=Category.QUOTA, hint="ask for more of {bucket}"),
    )
    books = Rulebooks(Rules(), tmp_path / "rules.yaml", lambda _: None, lambda _: given)  # type: ignore[arg-type]
    key = BlockKey(cloud="mars")
    assert rule_hint(books, "a", key) == "log in to mars"
    assert rule_hint(books, "b", key) == rule_hint(books, "gone", key) == rule_hint(books, "a", BlockKey()) == ""
