"""Failpoints: silent unless asked for, and all of them known."""

from __future__ import annotations

import ast
import errno
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skyx_core.errors import UsageError
from skyx_core.failpoints import FAILPOINTS, failpoint

ROOT = Path(__file__).parents[3]
SOURCES = [ROOT / "skyx_core" / "src" / "skyx_core", ROOT / "skyx_local" / "src"]


def calls_in(file: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and "failpoint" in (getattr(node.func, "id", ""), getattr(node.func, "attr", "")):
            yield node


def pattern_of(argument: ast.expr) -> str:
    """A literal name as it is; ``f"{verb}.before"`` as the pattern of the names that it can make."""
    if isinstance(argument, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else None for part in argument.values)
        return "".join("[a-z_]+" if part is None else re.escape(str(part)) for part in parts)
    assert isinstance(argument, ast.Constant), f"line {argument.lineno}: the name must be written out"
    return re.escape(str(argument.value))


def test_every_point_in_the_sources_is_registered_and_every_registered_one_exists() -> None:
    files = [file for folder in SOURCES for file in sorted(folder.rglob("*.py"))]
    used = {pattern_of(call.args[0]) for file in files for call in calls_in(file)}
    assert len(used) > 10
    assert [pattern for pattern in sorted(used) if not any(re.fullmatch(pattern, name) for name in FAILPOINTS)] == []
    assert [name for name in sorted(FAILPOINTS) if not any(re.fullmatch(pattern, name) for pattern in used)] == []
    assert all(re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", name) for name in FAILPOINTS)


def test_unset_it_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKYX_FAILPOINT", raising=False)
    failpoint("a.b")


def test_it_acts_at_its_own_point_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKYX_FAILPOINT", "a.b=raise")
    failpoint("a.c")
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"failpoint a\.b"):
            failpoint("a.b")


def test_it_acts_at_the_nth_passage_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKYX_FAILPOINT", "a.b@2=raise,a.c=enospc")
    failpoint("a.b")
    with pytest.raises(RuntimeError):
        failpoint("a.b")
    failpoint("a.b")
    with pytest.raises(OSError, match="No space left") as caught:
        failpoint("a.c")
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.parametrize("spec", ["a.b", "a.b=explode", "=kill", "a.b@x=kill", "a.b=kill,"])
def test_a_setting_that_can_not_be_read_is_an_error(monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    monkeypatch.setenv("SKYX_FAILPOINT", spec)
    with pytest.raises(UsageError, match="SKYX_FAILPOINT"):
        failpoint("a.b")


def run(spec: str, timeout: float) -> subprocess.CompletedProcess[str]:
    code = "from skyx_core.api import failpoint; failpoint('a.b'); failpoint('a.c'); print('end')"
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"SKYX_FAILPOINT": spec},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def test_kill_ends_the_process_without_a_word() -> None:
    result = run("a.c=kill", 30)
    assert (result.returncode, result.stdout, result.stderr) == (-signal.SIGKILL, "", "")


def test_hang_never_returns() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run("a.b=hang", 1)


def test_list_writes_each_point_passed() -> None:
    result = run("list", 30)
    assert (result.stdout, result.stderr.split("\n")[:2]) == ("end\n", ["failpoint a.b 1", "failpoint a.c 1"])
