"""Reading /proc. A process is a pid together with its start time: a pid alone may be somebody else's by now."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Tuple

    Ident = Tuple[int, int]
    Table = Dict[int, "Stat"]

TICKS = os.sysconf("SC_CLK_TCK")


class Stat:
    """Of /proc/<pid>/stat. ``start`` is in clock ticks since boot."""

    __slots__ = ("pgrp", "pid", "ppid", "session", "start", "state")

    def __init__(self, line: bytes) -> None:
        self.pid = int(line[: line.index(b" ")])
        fields = line[line.rindex(b")") + 2 :].split(None, 20)
        self.state = fields[0]
        self.ppid, self.pgrp, self.session = int(fields[1]), int(fields[2]), int(fields[3])
        self.start = int(fields[19])

    @property
    def ident(self) -> Ident:
        return self.pid, self.start

    @property
    def dead(self) -> bool:
        return self.state in (b"Z", b"X")


def stat(pid: int) -> Stat | None:
    try:
        handle = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return Stat(os.read(handle, 1024))
    except (OSError, ValueError, IndexError):
        return None
    finally:
        os.close(handle)


def alive(ident: Ident) -> bool:
    """Whether exactly this process still runs (a zombie doesn't)."""
    found = stat(ident[0])
    return found is not None and found.start == ident[1] and not found.dead


def scan() -> Table:
    """All living processes of the machine. About 10 us each."""
    table: Table = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            found = stat(int(name))
            if found is not None and not found.dead:
                table[found.pid] = found
    return table


def children(pid: int) -> list[int] | None:
    """Direct children of a single-threaded process; None if this kernel doesn't tell."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as stream:
            return [int(word) for word in stream.read().split()]
    except OSError:
        return None


def variable(pid: int, name: bytes) -> bytes:
    """The value of a variable in a process's first environment; empty if absent or not readable."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as stream:
            entries = stream.read(4 << 20).split(b"\0")
    except OSError:
        return b""
    prefix = name + b"="
    return next((entry[len(prefix) :] for entry in entries if entry.startswith(prefix)), b"")


def owner(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return -1


def now_ticks() -> int:
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * TICKS)


def boot_id() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as stream:
            return stream.read().strip()
    except OSError:
        return ""


def descendants(table: Table, roots: set[int]) -> set[int]:
    """``roots`` and everything below them."""
    below: Dict[int, list[int]] = {}
    for found in table.values():
        below.setdefault(found.ppid, []).append(found.pid)
    todo, seen = list(roots), set(roots)
    while todo:
        for child in below.get(todo.pop(), []):
            if child not in seen:
                seen.add(child)
                todo.append(child)
    return seen
