"""``skyx launch``: what it passes on, asks, prints and ends with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli_fakes import PAID, FakeSession, job, skyx
from skyx_core.results import JobStatus, LogChunk, TaskPlan


def launch(*args: str, session: FakeSession | None = None, **more: Any) -> tuple[Any, FakeSession]:
    session = session or FakeSession()
    return skyx("launch", *args, session=session, **more), session


def test_json_on_stdout_is_the_result_alone_and_logs_go_to_stderr() -> None:
    result, _ = launch("-c", "a", "-y", "-o", "json", "echo hi")
    assert result.code == 0
    assert result.json == {
        "cluster": "a",
        "job_id": 1,
        "status": "SUCCEEDED",
        "attempts": 1,
        "candidate": {"cloud": "mars", "hourly_usd": 12.5},
    }
    assert "(head, rank=0) hi" in result.err


def test_text_mode_puts_the_log_on_stdout_and_everything_else_on_stderr() -> None:
    result, _ = launch("-c", "a", "-y", "echo hi")
    assert result.out == "(head, rank=0) hi\n"
    assert "skyx down a" in result.err
    assert "mars/north/north-a" in result.err


def test_the_session_never_waits_for_the_end_of_the_job_itself() -> None:
    _, session = launch("-y", "true")
    assert session.called("launch")["detach"] is True


def test_without_task_only_the_cluster_comes_up() -> None:
    result, session = launch("-y", "-o", "json")
    assert result.json["job_id"] is None
    assert result.json["cluster"] == "made-up"
    assert session.called("launch")["task"] is None


def test_flags_alone_shape_the_cluster_without_a_job() -> None:
    result, session = launch("-y", "--cpus", "2+", "--num-nodes", "3", "-o", "json")
    task = session.called("launch")["task"]
    assert result.json["job_id"] is None
    assert (task.run, task.num_nodes, str(task.requests()[0].cpus)) == (None, 3, "2+")


@pytest.mark.parametrize(
    ("status", "code"),
    [("SUCCEEDED", 0), ("FAILED", 100), ("FAILED_SETUP", 100), ("CANCELLED", 103), ("RUNNING", 101)],
)
def test_ends_with_the_state_of_the_job(status: str, code: int) -> None:
    result, _ = launch("-y", "true", session=FakeSession(job_status=JobStatus(status)))
    assert result.code == code


@pytest.mark.parametrize(
    ("codes", "expected"), [([137, 3, 137], 3), ([137, 137], 137), ([0, 0], 100), ([None, 139], 139)]
)
def test_exit_status_code_is_that_of_the_rank_that_failed_by_itself(codes: list[int | None], expected: int) -> None:
    session = FakeSession(job_status=JobStatus.FAILED, jobs=[job(1, exit_codes=codes, status="FAILED")])
    result, _ = launch("-c", "a", "-y", "--exit-status=code", "x", session=session)
    assert result.code == expected


def test_detached_it_ends_with_0_once_the_job_is_queued_and_reads_no_log() -> None:
    result, session = launch("-y", "-d", "false", session=FakeSession(job_status=JobStatus.FAILED))
    assert result.code == 0
    assert "logs" not in [name for name, _ in session.calls]


def test_without_a_terminal_it_never_asks_but_names_the_flag() -> None:
    result, _ = launch("-c", "a", "true")
    assert result.code == 2
    assert "-y" in result.err
    assert result.out == ""


def test_no_input_never_asks_on_a_terminal_either() -> None:
    result, _ = launch("-c", "a", "--no-input", "true", tty=True, answer="y\n")
    assert result.code == 2


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("yes\n", 0), ("n\n", 1), ("", 1)])
def test_on_a_terminal_only_yes_goes_on(answer: str, code: int) -> None:
    result, _ = launch("-c", "a", "true", tty=True, answer=answer)
    assert result.code == code
    assert "Launch a? [y/N]" in result.err


def test_ctrl_c_at_the_question_starts_nothing() -> None:
    result, session = launch("-c", "a", "true", tty=True, answer=KeyboardInterrupt())
    assert result.code == 130
    assert "logs" not in [name for name, _ in session.calls]


def test_a_negative_autostop_goes_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("run: x\nresources: {autostop: 5}\n")
    _, session = launch("-y", "-i", "-1", "t.yaml", cwd=tmp_path)
    assert session.called("launch")["task"].autostop is None
    _, session = launch("-y", "t.yaml", cwd=tmp_path)
    assert session.called("launch")["task"].autostop.idle_minutes == 5


def test_dryrun_shows_the_plan_asks_nothing_and_starts_nothing() -> None:
    result, session = launch("-c", "a", "--dryrun", "true")
    assert result.code == 0
    assert session.called("launch")["dryrun"] is True
    assert "INFRA" in result.err
    assert "nothing was started" in result.err


@pytest.mark.parametrize(
    ("flags", "rule"),
    [
        (["--down"], (0, True)),
        (["-i", "5"], (5, False)),
        (["-i", "5", "--down"], (5, True)),
        (["-i", "0"], (0, False)),
        ([], None),
        (["-i", "-1"], None),
    ],
)
def test_autostop_flags(flags: list[str], rule: tuple[int, bool] | None) -> None:
    result, session = launch("-y", *flags, "true")
    given = session.called("launch")["autostop"]
    assert result.code == 0
    assert (given and (given.idle_minutes, given.down)) == rule


def test_the_plan_names_the_most_that_the_end_can_cost() -> None:
    plan = TaskPlan("t", 2, [PAID], [])
    result, _ = launch("-y", "-i", "30", "--down", "true", session=FakeSession(the_plan=plan))
    assert "$6.25" in result.err
    assert "autodown after 30 min idle" in result.err


def test_flags_reach_the_session_and_the_task() -> None:
    result, session = launch(
        *("-c", "a", "-y", "-r", "--hedge", "2", "--wait", "0", "-n", "job name", "--infra", "mars/north"),
        *("--gpus", "h100:8", "--use-spot", "--ports", "80", "--ports", "8000-8001", "--disk-size", "100", "true"),
    )
    call = session.called("launch")
    assert result.code == 0, result.err
    assert (call["retry_until_up"], call["hedge"], call["wait"]) == (True, 2, 0)
    request = call["task"].requests()[0]
    assert (request.cloud, request.region, request.use_spot) == ("mars", "north", True)
    assert request.accelerators == {"H100": 8}
    assert request.ports == ("80", "8000-8001")
    assert call["task"].name == "job name"


@pytest.mark.parametrize("short", [["-c", "a"], ["-t", "m1"], ["-n", "x"], ["-i", "3"], ["-d"], ["-r"], ["-e", "A=1"]])
def test_short_flags_parse(short: list[str]) -> None:
    assert launch("-y", *short, "true")[0].code == 0


def test_env_goes_before_env_file_before_the_task_file(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("run: x\nenvs: {A: yaml, B: yaml, C: yaml}\nsecrets: {S: null}\n")
    (tmp_path / "vars").write_text("# note\nA=file\nexport B='fi le'\n")
    result, session = launch(
        *("-y", "--env", "A=flag", "--env-file", "vars", "--secret", "S", "t.yaml"),
        cwd=tmp_path,
        environ={"S": "from the caller"},
    )
    task = session.called("launch")["task"]
    assert result.code == 0, result.err
    assert task.envs == {"A": "flag", "B": "fi le", "C": "yaml"}
    assert task.secrets == {"S": "from the caller"}


def test_a_variable_that_must_be_given_and_is_not_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("run: x\nenvs: {TOKEN: null}\n")
    result, session = launch("-y", "t.yaml", cwd=tmp_path)
    assert result.code == 2
    assert "--env TOKEN" in result.err
    assert not session.calls


@pytest.mark.parametrize("flag", [["--env", "A-B=x"], ["--env", "UNSET"], ["--env-file", "nowhere"]])
def test_variables_that_cannot_be_used(flag: list[str], tmp_path: Path) -> None:
    result, session = launch("-y", *flag, "true", cwd=tmp_path)
    assert result.code == 2
    assert flag[1].partition("=")[0] in result.err
    assert not session.calls


def test_several_tasks_are_refused_and_the_error_says_why(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("name: p\n---\nrun: a\n---\nrun: b\n")
    result, session = launch("-y", "t.yaml", cwd=tmp_path)
    assert result.code == 2
    assert "2 tasks" in result.err
    assert not session.calls


def test_ctrl_c_in_the_log_detaches_and_says_what_goes_on() -> None:
    result, _ = launch("-c", "a", "-y", "true", session=FakeSession(interrupt_logs=True))
    assert result.code == 130
    assert "still running, $12.50/h" in result.err
    assert "skyx cancel a 1" in result.err


def test_log_text_is_neither_wrapped_nor_coloured_nor_changed() -> None:
    text = b"\x1b[31mred\x1b[0m " + b"x" * 500 + b"\r\xff\n"
    session = FakeSession(chunks=[LogChunk(0, "head", text, "rank-0", len(text))])
    result, _ = launch("-y", "true", session=session)
    assert result.raw == b"(head, rank=0) " + text


def test_the_recorded_command_hides_values(monkeypatch: pytest.MonkeyPatch) -> None:
    from skyx_core.cli.main import _line

    line = _line(["launch", "--secret", "K=abc", "--env=A=1", "-e", "B=2", "echo", "C=3"])
    assert line == "skyx launch --secret 'K=***' '--env=***' -e 'B=***' echo C=3"


@pytest.mark.parametrize("words", [["launch", "-y", "-d"], ["plan"]])
def test_the_most_that_it_may_cost_per_hour_is_part_of_the_request(words: list[str]) -> None:
    session = FakeSession()
    assert skyx(*words, "--max-hourly-cost", "2.5", "true", session=session).code == 0
    asked = session.called("launch")["task"] if words[0] == "launch" else session.called("plan_pipeline")["tasks"][0]
    assert [request.max_hourly_cost for request in asked.requests()] == [2.5]
    refused = skyx(*words, "--max-hourly-cost", "cheap", "true")
    assert refused.code == 2
    assert "--max-hourly-cost" in refused.err
