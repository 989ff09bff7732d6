"""Nothing that a plugin prints gets into the data on stdout."""

from __future__ import annotations

import subprocess
import sys

CHATTY = """
import os, subprocess, sys
from skyx_core.stdout_guard import guard_stdout
print("before")
with guard_stdout() as out:
    print("printed")
    os.write(1, b"written\\n")
    subprocess.run(["echo", "echoed"], check=True)
    sys.__stdout__.write("kept back")
    out.write('{"a": "\\u00e9"}\\n')
print("after")
"""


def run(code: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=30, check=False, **options)  # type: ignore[call-overload, no-any-return]


def test_only_what_the_writer_gets_reaches_stdout() -> None:
    result = run(CHATTY)
    assert result.stdout.decode().splitlines() == ["before", '{"a": "é"}', "after"]
    for word in (b"printed", b"written", b"echoed", b"kept back"):
        assert word in result.stderr


def test_it_works_without_a_stderr() -> None:
    result = run("import os; os.close(2)\n" + CHATTY)
    assert result.stdout.decode().splitlines() == ["before", '{"a": "é"}', "after"]


def test_stdout_comes_back_after_an_error() -> None:
    code = """
from skyx_core.stdout_guard import guard_stdout
try:
    with guard_stdout() as out:
        out.write("data\\n")
        raise KeyError
except KeyError:
    print("back")
"""
    assert run(code).stdout.split() == [b"data", b"back"]


def test_a_replaced_stdout_is_respected() -> None:
    code = """
import io, sys
from contextlib import redirect_stdout
from skyx_core.stdout_guard import guard_stdout
with redirect_stdout(io.StringIO()) as kept, guard_stdout() as out:
    print("noise")
    out.write("data")
assert kept.getvalue() == "data", kept.getvalue()
"""
    result = run(code)
    assert (result.returncode, result.stdout, result.stderr.strip()) == (0, b"", b"noise")


def test_a_reader_that_went_away_shows_as_a_broken_pipe() -> None:
    code = """
import os, sys
from skyx_core.stdout_guard import guard_stdout
read, write = os.pipe()
os.close(read)
os.dup2(write, 1)
try:
    with guard_stdout() as out:
        out.write("data")
except BrokenPipeError:
    sys.stderr.write("broken pipe")
"""
    assert run(code).stderr == b"broken pipe"
