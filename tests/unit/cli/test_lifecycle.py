"""``stop``, ``start``, ``down``, ``autostop`` and ``status``."""

from __future__ import annotations

import pytest

from cli_fakes import FakeSession, cluster, skyx
from skyx_core.results import LifecycleResult

VERBS = ["stop", "start", "down"]


@pytest.mark.parametrize(("verb", "status"), [("stop", "STOPPED"), ("start", "UP"), ("down", None)])
def test_results_as_json(verb: str, status: str | None) -> None:
    result = skyx(verb, "a", "-y", "-o", "json")
    assert result.code == 0
    assert {k: result.json[0][k] for k in ("name", "status", "remaining")} == {
        "name": "a",
        "status": status,
        "remaining": [],
    }


@pytest.mark.parametrize("verb", VERBS)
def test_an_unknown_name_does_not_stop_the_others_and_ends_with_3(verb: str) -> None:
    session = FakeSession(clusters=[cluster("a"), cluster("c")])
    result = skyx(verb, "a", "b", "c", "-y", session=session)
    assert result.code == 3
    assert [line.split(":")[0] for line in result.out.splitlines()] == ["a", "c"]
    assert "'b'" in result.err
    assert session.called(verb)["names"] == ["a", "b", "c"]


@pytest.mark.parametrize("verb", VERBS)
def test_without_yes_and_terminal_nothing_happens(verb: str) -> None:
    session = FakeSession()
    result = skyx(verb, "a", session=session)
    assert result.code == 2
    assert "-y" in result.err
    assert verb not in [name for name, _ in session.calls]


def test_the_question_about_a_pattern_names_what_it_matches() -> None:
    session = FakeSession(clusters=[cluster("exp-1"), cluster("exp-2")])
    result = skyx("down", "--all", tty=True, answer="n\n", session=session)
    assert "Down exp-1, exp-2? [y/N]" in result.err
    assert result.code == 1


@pytest.mark.parametrize("args", [[], ["a", "--all", "-y"]])
@pytest.mark.parametrize("verb", VERBS)
def test_names_or_all_but_one_of_them(verb: str, args: list[str]) -> None:
    assert skyx(verb, *args).code == 2


def test_what_is_left_in_a_cloud_is_the_worst_code_and_is_listed() -> None:
    left = LifecycleResult("a", "TERMINATING", ["disk-1"], "the disk could not be deleted", "SKYX-E700", 7)
    result = skyx("down", "a", "b", "-y", "-o", "json", session=FakeSession(lifecycle={"a": left}))
    assert result.code == 7
    assert result.json[0]["remaining"] == ["disk-1"]
    assert "    disk-1" in result.err
    assert '"code":"SKYX-E700"' in result.err


def test_purge_and_wait_reach_the_session() -> None:
    session = FakeSession()
    skyx("down", "a", "-y", "--purge", "--wait", "3", session=session)
    assert session.called("down") == {"names": ["a"], "all": False, "purge": True, "wait": 3}


@pytest.mark.parametrize(
    ("flags", "rule"),
    [
        (["-i", "10"], (10, False, "jobs_and_ssh")),
        (["-i", "0", "--down", "--wait-for", "jobs"], (0, True, "jobs")),
        (["--cancel"], None),
        (["-i", "-1"], None),
    ],
)
def test_autostop_settings(flags: list[str], rule: tuple[int, bool, str] | None) -> None:
    session = FakeSession()
    assert skyx("autostop", "a", *flags, session=session).code == 0
    given = session.called("autostop")["setting"]
    assert (given and (given.idle_minutes, given.down, given.wait_for)) == rule


@pytest.mark.parametrize("args", [["a"], ["a", "-i", "5", "--cancel"], ["-i", "5"], ["a", "-i", "x"]])
def test_autostop_mistakes(args: list[str]) -> None:
    assert skyx("autostop", *args).code == 2


def test_start_can_set_autostop_too() -> None:
    session = FakeSession()
    assert skyx("start", "a", "-y", "-i", "7", session=session).code == 0
    assert session.called("autostop")["setting"].idle_minutes == 7


def test_status_json_of_all_is_the_stored_text() -> None:
    session = FakeSession()
    result = skyx("status", "-o", "json", session=session)
    expected = {"name", "status", "cloud", "region", "zone", "instance_type", "accelerators", "use_spot", "num_nodes"}
    assert expected | {"hourly_usd", "autostop", "created_at", "head"} <= set(result.json[0])
    assert [name for name, _ in session.calls] == ["status_json"]


def test_status_of_names_shows_those_and_ends_with_3_for_the_unknown() -> None:
    result = skyx("status", "a", "b", "-o", "json")
    assert (result.code, [row["name"] for row in result.json]) == (3, ["a"])
    assert result.error["code"] == "SKYX-E300"


def test_status_refresh_asks_the_session() -> None:
    session = FakeSession()
    skyx("status", "-r", "-o", "json", session=session)
    assert session.called("status") == {"names": [], "refresh": True}


def test_status_ip_prints_the_address_alone() -> None:
    assert skyx("status", "a", "--ip").out == "127.1.2.3\n"


def test_status_of_nothing_is_friendly() -> None:
    result = skyx("status", session=FakeSession(clusters=[]))
    assert (result.code, result.out) == (0, "")
    assert "skyx launch" in result.err


def test_status_text_has_one_plain_line_per_cluster() -> None:
    rows = [cluster(f"c{number}") for number in range(300)]
    for tty in (False, True):  # a long list is plain on a terminal, too
        result = skyx("status", session=FakeSession(clusters=rows), tty=tty, environ={"NO_COLOR": ""})
        lines = result.out.splitlines()
        assert len(lines) == 301
        assert lines[1].split()[:3] == ["c0", "UP", "mars/north/north-a"]
        assert "\x1b" not in result.out


def test_status_on_a_terminal_is_never_wrapped() -> None:
    row = cluster("n" * 60, instance_type="t" * 60)
    result = skyx("status", session=FakeSession(clusters=[row]), tty=True, environ={"NO_COLOR": "", "COLUMNS": "40"})
    assert len(result.out.splitlines()) == 2
