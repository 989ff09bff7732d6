"""What is said on stderr and in tables besides the data, and what stays silent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli_fakes import FakeSession, skyx
from skyx_core.cli.commands.status import age
from skyx_core.errors import ClusterStateError, NoCapacityError
from skyx_core.results import JobStatus

NOW = 1_767_323_045.0  # 2026-01-02T03:04:05Z


@pytest.mark.parametrize("words", [["launch", "-c", "a", "-y", "true"], ["exec", "a", "true"]])
@pytest.mark.parametrize("rest", [["-d"], []])
def test_quiet_says_nothing_when_all_is_well(words: list[str], rest: list[str]) -> None:
    result = skyx(*words, *rest, "--progress", "quiet")
    assert (result.code, result.err) == (0, "")


def test_quiet_keeps_errors_and_the_plan_that_a_question_is_about() -> None:
    failing = FakeSession(raises=NoCapacityError("no capacity anywhere"))
    assert "no capacity" in skyx("launch", "-y", "true", "--progress", "quiet", session=failing).err
    asked = skyx("launch", "true", "--progress", "quiet", tty=True, answer="y\n")
    assert "m1.big" in asked.err
    assert "Launch" in asked.err


def test_quiet_still_says_that_the_job_failed() -> None:
    result = skyx("exec", "a", "false", "--progress", "quiet", session=FakeSession(job_status=JobStatus.FAILED))
    assert (result.code, result.err) == (100, "Job 1 on a: FAILED\n")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["-i", "30", "--down"], "By itself it goes down after 30 idle minutes"),
        (["-i", "1"], "By itself it stops after 1 idle minute"),
        (["--down"], "By itself it goes down as soon as it is idle"),
        (["-i", "5", "--wait-for", "none"], "By itself it stops after 5 minutes, jobs or not"),
    ],
)
def test_the_closing_hints_say_when_the_cluster_ends_by_itself(flags: list[str], said: str) -> None:
    result = skyx("launch", "-c", "a", "-y", "-d", "true", *flags)
    assert said in result.err
    assert "skyx autostop a --cancel" in result.err


def test_without_autostop_nothing_is_said_of_an_end() -> None:
    assert "By itself" not in skyx("launch", "-c", "a", "-y", "-d", "true", "-i", "-1").err


@pytest.mark.parametrize(("typed", "near"), [("tsk.yaml", "did you mean"), ("other/x.yaml", "skyx init")])
def test_a_missing_file_is_called_missing_not_mistaken(typed: str, near: str, tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text("run: true\n")
    result = skyx("plan", typed, cwd=tmp_path)
    assert result.code == 2
    assert "no such file" in result.err
    assert near in result.err
    assert "mistake" not in result.err
    assert "mend" not in result.err


@pytest.mark.parametrize("verb", ["stop", "start"])
def test_purge_is_accepted_where_it_does_nothing_and_says_so(verb: str) -> None:
    session = FakeSession()
    result = skyx(verb, "a", "-y", "--purge", session=session)
    assert result.code == 0
    assert f"--purge has no effect on {verb}" in result.err
    assert not session.called(verb).get("purge")
    assert "--purge" not in skyx(verb, "--help").out


@pytest.mark.parametrize("verb", ["status", "stop", "start", "down", "autostop"])
def test_help_shows_names_that_may_be_left_out_in_brackets(verb: str) -> None:
    assert "[NAME]..." in skyx(verb, "--help").out


def test_help_of_exec_shows_what_must_be_given() -> None:
    assert "exec [OPTIONS] NAME FILE|COMMAND..." in skyx("exec", "--help").out


class Explaining(FakeSession):
    """With the events of a launch that went well."""

    def explain(self, name: str) -> Any:
        yield {"seq": 1, "kind": "cluster_up", "time": NOW, "cluster": name}
        yield {"seq": 2, "kind": "attempt_failed", "time": NOW, "error": "no", "next": "next candidate"}
        yield {"seq": 3, "kind": "job_submitted", "time": NOW, "job_id": 7}


def test_explain_names_the_job_and_what_follows() -> None:
    path, _, table = skyx("explain", "a", session=Explaining()).out.partition("\n\n")
    assert "FAILED" in path
    lines = table.splitlines()
    assert lines[1].endswith("sync")
    assert lines[2].endswith("next candidate")
    assert "job 7" in lines[3]
    assert lines[3].endswith("done")
    rows = skyx("explain", "a", "-o", "json", session=Explaining()).lines
    assert [row["next"] for row in rows] == ["sync", "next candidate", "done"]


def test_logs_of_a_cluster_that_is_not_up_say_why_there_are_none() -> None:
    stopped = FakeSession(raises=ClusterStateError("cluster 'a' is STOPPED, not UP", hint="skyx start a"))
    result = skyx("logs", "a", session=stopped)
    assert result.code == 1
    assert "must be up to be read" in result.err
    assert "skyx start a" in result.err


def test_validate_says_a_missing_variable_once(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("envs: {A: null}\nrun: echo\n")
    (verdict,) = skyx("validate", "t.yaml", "-o", "json", cwd=tmp_path).json
    assert [warning["path"] for warning in verdict["warnings"]] == ["envs.A"]


def test_mistakes_of_an_env_file_name_that_file(tmp_path: Path) -> None:
    (tmp_path / "vars").write_text("A=1\n1B=2\n")
    result = skyx("plan", "true", "--env-file", "vars", cwd=tmp_path)
    assert result.code == 2
    assert "vars:2:1" in result.err


@pytest.mark.parametrize(
    ("created", "shown"),
    [
        ("2026-01-02T03:04:00Z", "5 s"),
        ("2026-01-02T02:04:05Z", "60 min"),
        ("2025-12-31T03:04:05Z", "2 d"),
        ("2026-01-02T03:05:05Z", "0 s"),
        ("2026-01-02T03:02:05+00:00", "2 min"),
        ("2026-01-02T03:02:05", "2 min"),
        ("2026-01-02T04:02:05.25+01:00", "2 min"),
        ("2026-13-02T03:02:05Z", "-"),
        ("2026-01-02Txx:02:05Z", "-"),
        ("soon", "-"),
        (None, "-"),
    ],
)
def test_ages_of_all_forms_of_time(created: str | None, shown: str) -> None:
    assert age(created, NOW) == shown
