"""Exit codes in words."""

from __future__ import annotations

import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

KILLED = 137
_WORDS = {
    126: "the program can't be executed",
    127: "command not found",
    134: "aborted",
    135: "bus error",
    139: "segmentation fault",
    143: "terminated",
}


def cause(code: int, killed: str) -> str:
    """``exit code 139: segmentation fault``. ``killed``: what is known of why a process was killed (137)."""
    words = killed if code == KILLED else _WORDS.get(code, "")
    if not words and 128 < code < 128 + 65:
        try:
            words = f"ended by {signal.Signals(code - 128).name}"
        except ValueError:
            words = f"ended by signal {code - 128}"
    return f"exit code {code}: {words}" if words else f"exit code {code}"


def gang_reason(first: int, node: str, code: int, killed: str) -> str:
    return f"rank {first} (node {node}) failed first with {cause(code, killed)}"


def setup_reason(failed: Iterable[tuple[str, int]], killed: str) -> str:
    """Names every node on which setup failed, with its code."""
    return "setup failed on " + ", ".join(f"node {node} ({cause(code, killed)})" for node, code in failed)
