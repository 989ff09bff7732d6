"""``skyx classify`` over anything that can be named as its file: one clear error, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cli_process import SKYX

LINE = b'{"id": "1", "cloud": "aws", "error": {"code": "InsufficientInstanceCapacity", "message": "none"}}\n'


def classify(tmp_path: Path, *words: str, wrap: str = '"$@"') -> subprocess.CompletedProcess[str]:
    """``wrap``: how a shell starts it."""
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "SKYX_HOME": str(tmp_path / "skyx")}
    argv = ["sh", "-c", wrap, "sh", SKYX, "classify", "aws", *words]
    return subprocess.run(argv, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60, check=False)


def folder(path: Path) -> None:
    path.mkdir()


def binary(path: Path) -> None:
    path.write_bytes(LINE + bytes(range(256)) * 100)


def sixteen(path: Path) -> None:
    path.write_text(LINE.decode(), encoding="utf-16")


def loop(path: Path) -> None:
    path.symlink_to(path)


def unreadable(path: Path) -> None:
    path.symlink_to("/proc/self/mem")  # can be opened; the first read fails


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "No such file"),
        (folder, "Is a directory"),
        (binary, "line 2 holds binary data"),
        (sixteen, "line 1 holds binary data"),
        (loop, "symbolic links"),
        (unreadable, "error"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_by_name_with_the_reason(
    tmp_path: Path, make: Callable[[Path], None], why: str
) -> None:
    make(tmp_path / "f.jsonl")
    done = classify(tmp_path, "f.jsonl")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "the recorded errors can't be read" in done.stderr
    assert "where: f.jsonl" in done.stderr
    assert why in done.stderr
    assert "hint:" in done.stderr


def test_standard_input_may_be_closed(tmp_path: Path) -> None:
    done = classify(tmp_path, "-", wrap='"$@" <&-')
    assert done.returncode == 2
    assert "standard input is closed" in done.stderr


def test_standard_output_may_be_closed(tmp_path: Path) -> None:
    (tmp_path / "f.jsonl").write_bytes(LINE)
    done = classify(tmp_path, "f.jsonl", wrap='"$@" >&-')
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "can't be written to stdout" in done.stderr


def test_a_pipe_and_a_fifo_are_read_like_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    writer = threading.Thread(target=(tmp_path / "fifo").write_bytes, args=(b"\xef\xbb\xbf" + LINE,), daemon=True)
    writer.start()
    (tmp_path / "f.jsonl").write_bytes(LINE)
    for done in (classify(tmp_path, "fifo"), classify(tmp_path, "-", wrap='"$@" <f.jsonl')):
        assert (done.returncode, done.stderr) == (0, "")
        assert "aws.capacity" in done.stdout
    writer.join(10)


def test_lines_that_are_no_json_are_counted_and_the_first_ones_named(tmp_path: Path) -> None:
    (tmp_path / "f.jsonl").write_bytes(LINE + b"\xff\xfe what\n" * 50)
    done = classify(tmp_path, "f.jsonl")
    assert done.returncode == 2
    assert "aws.capacity" in done.stdout
    assert done.stderr.count("not JSON") == 20
    assert "and 30 more lines with mistakes" in done.stderr


def test_lines_before_one_that_cannot_be_read_are_answered_and_their_mistakes_told_first(tmp_path: Path) -> None:
    (tmp_path / "f.jsonl").write_bytes(LINE + b"{}\n[]\n" + LINE + b"\0\n")
    done = classify(tmp_path, "f.jsonl")
    assert done.returncode == 2
    assert done.stdout.count("aws.capacity") == 2
    told = [done.stderr.index(text) for text in ("line 2: 'cloud'", "line 3: not a", "line 5 holds binary data")]
    assert told == sorted(told)


def test_ids_are_shown_as_they_were_given(tmp_path: Path) -> None:
    ids = (b"7", b"null", b'"7"')
    (tmp_path / "f.jsonl").write_bytes(b"".join(LINE.replace(b'"1"', each, 1) for each in ids))
    done = classify(tmp_path, "f.jsonl", "-o", "json")
    assert [json.loads(text)["id"] for text in done.stdout.splitlines()] == [7, None, "7"]


def test_a_name_in_capitals_is_answered_with_the_one_that_was_meant(tmp_path: Path) -> None:
    done = classify(tmp_path, "f.jsonl", wrap='"$1" "$2" AWS "$4"')
    assert done.returncode == 2
    assert "did you mean 'aws'?" in done.stderr
