"""``exec``, ``queue``, ``logs`` and ``cancel``."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_fakes import FakeSession, job, skyx
from skyx_core.errors import BusyError, NotFoundError
from skyx_core.results import JobStatus, LogChunk


def test_exec_prints_the_log_and_ends_with_the_state() -> None:
    session = FakeSession(job_status=JobStatus.FAILED)
    result = skyx("exec", "a", "exit 3", session=session)
    assert (result.code, result.out) == (100, "(head, rank=0) hi\n")
    assert session.called("exec")["cluster"] == "a"


def test_exec_json() -> None:
    result = skyx("exec", "a", "true", "-o", "json")
    assert result.json == {"cluster": "a", "job_id": 1, "status": "SUCCEEDED"}
    assert "hi" in result.err


def test_exec_detached_ends_with_0() -> None:
    assert skyx("exec", "a", "-d", "false", session=FakeSession(job_status=JobStatus.FAILED)).code == 0


def test_exec_takes_the_cluster_by_flag_as_well() -> None:
    session = FakeSession()
    assert skyx("exec", "-c", "a", "echo", "hi", session=session).code == 0
    assert session.called("exec")["cluster"] == "a"
    assert session.called("exec")["task"].run == "echo hi"


@pytest.mark.parametrize("words", [[], ["a"]])
def test_exec_without_cluster_or_command_is_a_usage_error(words: list[str]) -> None:
    assert skyx("exec", *words).code == 2


def test_exec_on_a_cluster_that_is_held_ends_with_6_and_says_by_whom() -> None:
    session = FakeSession(raises=BusyError("a is busy", why="process 12 on host h since 10:00"))
    result = skyx("exec", "a", "--wait", "0", "true", session=session)
    assert result.code == 6
    assert "process 12" in result.err
    assert session.called("exec")["wait"] == 0


def test_queue_json_holds_the_contract() -> None:
    result = skyx("queue", "a", "-o", "json")
    keys = {"id", "name", "status", "submitted_at", "started_at", "ended_at", "exit_codes", "reason"}
    assert keys <= set(result.json[0])


def test_queue_without_a_name_lists_all_with_their_cluster() -> None:
    session = FakeSession()
    assert skyx("queue", "-o", "json", session=session).json[0]["cluster"] == "a"
    assert session.called("queue")["cluster"] is None
    assert skyx("queue").out.startswith("CLUSTER")


def test_queue_says_why_a_job_waits() -> None:
    waiting = job(2, status="PENDING", started_at=None, ended_at=None, exit_codes=[], reason="waits for 2 GPUs")
    result = skyx("queue", "a", session=FakeSession(jobs=[waiting]))
    assert "waits for 2 GPUs" in result.out


def test_an_empty_queue_is_friendly_and_its_json_is_an_empty_list() -> None:
    assert skyx("queue", "a", "-o", "json", session=FakeSession(jobs=[])).json == []
    text = skyx("queue", "a", session=FakeSession(jobs=[]))
    assert (text.code, text.out) == (0, "")
    assert "skyx exec a" in text.err


def test_queue_of_an_unknown_cluster_ends_with_3() -> None:
    assert skyx("queue", "nowhere").code == 3


def test_logs_of_an_unknown_job_end_with_102_and_of_an_unknown_cluster_with_3() -> None:
    assert skyx("logs", "a", "99").code == 102
    assert skyx("logs", "a", session=FakeSession(jobs=[])).code == 102
    missing = FakeSession(raises=NotFoundError("There is no cluster 'b'"))
    assert skyx("logs", "b", session=missing).code == 3


def test_logs_passes_flags_on() -> None:
    session = FakeSession(jobs=[job(num_nodes=3)])
    skyx("logs", "a", "1", "--no-follow", "--tail", "5", "--rank", "0", "--rank", "2", session=session)
    call = session.called("logs")
    assert (call["follow"], call["tail"], call["ranks"], call["job_id"]) == (False, 5, [0, 2], 1)


def test_logs_as_records() -> None:
    chunks = [
        LogChunk(0, "head", b"one\ntw", "rank-0", 6),
        LogChunk(1, "worker1", b"other\n", "rank-1", 6),
        LogChunk(0, "head", b"o\n", "rank-0", 8),
    ]
    result = skyx("logs", "a", "-o", "json", session=FakeSession(chunks=chunks))
    assert result.lines == [
        {"rank": 0, "node": "head", "text": "one"},
        {"rank": 0, "node": "head", "text": "tw", "partial": True},
        {"rank": 1, "node": "worker1", "text": "other"},
        {"rank": 0, "node": "head", "text": "o"},
    ]


def test_logs_download_writes_one_file_per_stream(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "rank-0.log").write_text("old")
    chunks = [
        LogChunk(0, "head", b"a\n", "rank-0", 2),
        LogChunk(0, "head", b"\xffb\n", "rank-0", 5),
        LogChunk(1, "worker1", b"c\n", "../x", 2),
    ]
    result = skyx("logs", "a", "--download", "d", "-o", "json", session=FakeSession(chunks=chunks), cwd=tmp_path)
    assert result.code == 0
    assert (tmp_path / "d" / "rank-0.log").read_bytes() == b"a\n\xffb\n"
    assert all(Path(path).parent == tmp_path / "d" for path in result.json)


def test_ctrl_c_in_logs_ends_the_reading_and_not_the_job() -> None:
    session = FakeSession(interrupt_logs=True)
    result = skyx("logs", "a", session=session)
    assert result.code == 130
    assert "still running" in result.err
    assert "cancel" not in [name for name, _ in session.calls]


def test_cancel_json_and_the_default_of_the_latest() -> None:
    session = FakeSession()
    assert skyx("cancel", "a", "-y", "-o", "json", session=session).json["cancelled"] == [1]
    assert session.called("cancel") == {"cluster": "a", "jobs": [], "all": False}


def test_cancel_of_an_unknown_job_among_known_ones_ends_with_3() -> None:
    result = skyx("cancel", "a", "1", "9", "-y")
    assert (result.code, result.out) == (3, "job 1: cancelled\n")
    assert "no job 9" in result.err


@pytest.mark.parametrize("args", [["a"], ["a", "1", "--all", "-y"], ["a", "x", "-y"], ["a", "0", "-y"], []])
def test_cancel_mistakes_end_with_2_and_cancel_nothing(args: list[str]) -> None:
    session = FakeSession()
    assert skyx("cancel", *args, session=session).code == 2
    assert not session.calls
