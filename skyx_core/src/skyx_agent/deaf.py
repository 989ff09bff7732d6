"""Wakes an agent that runs but can't be reached, because its socket's file or its ``agent.json`` was swept away."""

from __future__ import annotations

import os
import signal

from skyx_agent import paths, proc
from skyx_agent.files import read_bytes

COMMAND_LINE_BYTES = 64 * 1024


def wake(folder: str) -> bool:
    """Have the agent of ``folder`` make its socket and its ``agent.json`` anew. False if none runs. Safe to repeat."""
    pid = _recorded(folder) or _searched(folder)
    if not pid:
        return False
    try:
        os.kill(pid, signal.SIGHUP)
    except OSError:
        return False
    return True


def is_agent(pid: int, folder: str) -> bool:
    """Whether this process is the agent of this very folder, however the program was shipped, and minds SIGHUP."""
    words = _command_line(pid)
    if b"agent" not in words or b"--dir" not in words[:-1]:
        return False
    named = os.fsdecode(words[words.index(b"--dir") + 1])
    return os.path.realpath(named) == os.path.realpath(folder) and _minds_hangup(pid)


def _recorded(folder: str) -> int:
    """The agent named in ``agent.json``, or 0. A number that another process has by now doesn't count."""
    data = paths.read_agent_json(folder)
    pid, start = data.get("pid"), data.get("start")
    if not isinstance(pid, int) or pid <= 1 or not is_agent(pid, folder):
        return 0
    found = proc.stat(pid)
    return pid if found is not None and start in (None, found.start) else 0


def _searched(folder: str) -> int:
    mine = (pid for pid in proc.scan() if pid > 1 and proc.owner(pid) == os.getuid())
    return next((pid for pid in mine if is_agent(pid, folder)), 0)


def _command_line(pid: int) -> list[bytes]:
    try:
        return read_bytes(f"/proc/{pid}/cmdline", COMMAND_LINE_BYTES).split(b"\0")
    except OSError:
        return []


def _minds_hangup(pid: int) -> bool:
    """One that is still starting would die of the signal."""
    try:
        lines = read_bytes(f"/proc/{pid}/status", COMMAND_LINE_BYTES).splitlines()
        caught = next(int(line.split()[1], 16) for line in lines if line.startswith(b"SigCgt:"))
    except (OSError, ValueError, IndexError, StopIteration):
        return False
    return bool(caught >> (signal.SIGHUP - 1) & 1)
