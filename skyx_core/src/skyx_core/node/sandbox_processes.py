"""Ending every process of a sandbox, and none that isn't of it.

A process belongs to a sandbox if its environment at start held the sandbox's marker, or if it descends from such a
process, or is in a session that such a process began. What was once seen to belong is remembered by process id and
start time, so that a process whose parent has died is not lost and a process id used again is not mistaken.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Collection
from dataclasses import dataclass

from skyx_core.clock import Clock

_KILL_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Process:
    """One line of the process table. ``start``: clock ticks after boot."""

    pid: int
    start: int
    parent: int
    session: int


def process_table() -> dict[int, Process]:
    """All live processes that can be seen; zombies are left out."""
    table = {}
    for name in os.listdir("/proc"):
        if name.isdecimal() and (process := read_process(int(name))) is not None:
            table[process.pid] = process
    return table


def read_process(pid: int) -> Process | None:
    """One process; None if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()  # the name before it may hold anything
    if fields[0] in (b"Z", b"X"):
        return None
    return Process(pid, int(fields[19]), int(fields[1]), int(fields[3]))


def _environ(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:  # ended, or another user's
        return b""


def marked(start: bytes) -> set[bytes]:
    """All ``NAME=value`` beginning with ``start`` in the environments of live processes but the calling one."""
    pids = process_table().keys() - {os.getpid()}
    return {item for pid in pids for item in _environ(pid).split(b"\0") if item.startswith(start)}


class Family:
    """The processes that carry one of ``markers`` (``NAME=value``) or are ``roots``, and all that came from them.

    The calling process itself is never a member.
    """

    def __init__(self, markers: Collection[bytes] = (), roots: Collection[Process] = ()) -> None:
        self._markers = frozenset(markers)
        self._known: dict[int, Process] = {process.pid: process for process in roots}

    def alive(self) -> list[Process]:
        """Members that live now."""
        table = process_table()
        table.pop(os.getpid(), None)
        members = {pid for pid, process in table.items() if self._is_seed(process)}
        sessions = self._sessions(table)
        members.update(pid for pid, process in table.items() if process.session in sessions)
        self._add_descendants(table, members)
        found = [table[pid] for pid in sorted(members)]
        self._known.update((process.pid, process) for process in found)
        return found

    def _is_seed(self, process: Process) -> bool:
        known = self._known.get(process.pid)
        if known is not None and known.start == process.start:
            return True
        return bool(self._markers) and not self._markers.isdisjoint(_environ(process.pid).split(b"\0"))

    def _sessions(self, table: dict[int, Process]) -> set[int]:
        """Sessions begun by members. A session's number stays taken while anyone is in it."""
        return {
            pid
            for pid, process in self._known.items()
            if process.session == pid and (pid not in table or table[pid].start == process.start)
        }

    @staticmethod
    def _add_descendants(table: dict[int, Process], members: set[int]) -> None:
        children: dict[int, list[int]] = {}
        for process in table.values():
            children.setdefault(process.parent, []).append(process.pid)
        queue = list(members)
        while queue:
            for child in children.get(queue.pop(), ()):
                if child not in members:
                    members.add(child)
                    queue.append(child)


def send(process: Process, number: int) -> None:
    """Signal this very process; one that has ended, or may not be signalled, is left."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:
        return
    try:
        now = read_process(process.pid)
        if now is not None and now.start == process.start:
            signal.pidfd_send_signal(descriptor, number)
    except OSError:
        return
    finally:
        os.close(descriptor)


def end_family(family: Family, clock: Clock, grace_s: float) -> list[int]:
    """End all members: SIGTERM, at most ``grace_s`` seconds, then SIGKILL. Takes at most 10 s more; returns the ids
    of those that are still there (another user's, or stuck in the kernel). Safe to repeat.
    """
    members = family.alive()
    for number in (signal.SIGTERM, signal.SIGCONT):
        for process in members:
            send(process, number)
    if not _wait(family, clock, grace_s):
        _freeze(family)
        for process in family.alive():
            send(process, signal.SIGKILL)
        _wait(family, clock, _KILL_LIMIT_S)
    return [process.pid for process in family.alive()]


def _freeze(family: Family) -> None:
    """Stop all members, so that none can fork while the others are being killed. Bounded: a fork bomb loses, as what
    is stopped makes no more.
    """
    frozen: set[tuple[int, int]] = set()
    for _ in range(50):
        new = [process for process in family.alive() if (process.pid, process.start) not in frozen]
        if not new:
            return
        for process in new:
            send(process, signal.SIGSTOP)
            frozen.add((process.pid, process.start))


def _wait(family: Family, clock: Clock, limit: float) -> bool:
    end = clock.monotonic() + limit
    pause = 0.005
    while family.alive():
        if clock.monotonic() >= end:
            return False
        clock.sleep(pause)
        pause = min(pause * 2, 0.05)
    return True
