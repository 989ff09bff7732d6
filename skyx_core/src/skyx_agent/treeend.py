"""Ends every process of a job: politely, then by force, and nothing that is not the job's."""

from __future__ import annotations

import os
import signal

from skyx_agent import proc
from skyx_agent.environment import MARKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from skyx_agent.loop import Loop, Timer
    from skyx_agent.proc import Ident, Stat, Table

FIRST_POLL = 0.01
LAST_POLL = 0.1
GIVE_UP_SECONDS = 30.0  # after SIGKILL: what is left then is stuck in the kernel


class Family:
    """Tells which processes belong to one job.

    ``roots``: the wrappers, with start times. Members are found by session and group of a root, by descent, by the
    marker in their environment, and as strays: unmarked orphans that came to our supervisor and that no other
    running job can have made. Members once seen are remembered with their start times.
    """

    def __init__(self, marker: str, strangers: Strangers) -> None:
        self.marker = os.fsencode(marker)
        self.roots: dict[int, int] = {}
        self.began = proc.now_ticks()
        self.scattered = False  # some root is no descendant of our supervisor: look at all processes
        self._strangers = strangers
        self._seen: set[Ident] = set()

    def add_root(self, pid: int, start: int) -> None:
        self.roots[pid] = start
        self.began = min(self.began, start)

    def surely_gone(self) -> bool:
        """A cheap look that needs no scan: no root lives and our supervisor has no child that we don't know."""
        return not self.scattered and not self._seen and self._strangers.none()

    def members(self) -> list[Stat]:
        table = proc.scan()
        pids = {pid for pid, found in table.items() if self._is_root_kin(found) or found.ident in self._seen}
        pids |= {pid for pid, found in table.items() if self._is_orphan_of_ours(found)}
        found = proc.descendants(table, pids) - self._strangers.protected(table, pids)
        self._seen |= {table[pid].ident for pid in found if pid in table}
        return [table[pid] for pid in found if pid in table]

    def _is_root_kin(self, found: Stat) -> bool:
        for leader in (found.pid, found.session, found.pgrp):
            start = self.roots.get(leader)
            if start is not None and found.start >= start:
                return True
        return False

    def _is_orphan_of_ours(self, found: Stat) -> bool:
        if found.start < self.began - 1:
            return False
        if not self._strangers.is_orphan(found) and not (self.scattered and proc.owner(found.pid) == os.getuid()):
            return False
        value = proc.variable(found.pid, os.fsencode(MARKER))
        if value:
            return value.startswith(self.marker)
        return self._strangers.is_orphan(found) and self._strangers.only_job_of(found, self)


class Strangers:
    """What the agent knows of processes that are not of the job in question."""

    def __init__(self, known: Callable[[], set[int]]) -> None:
        self._known = known
        self.families: list[Family] = []

    def none(self) -> bool:
        children = proc.children(os.getppid())
        return children is not None and set(children) <= self._ours()

    def is_orphan(self, found: Stat) -> bool:
        return found.ppid == os.getppid() and found.pid not in self._ours()

    def only_job_of(self, found: Stat, family: Family) -> bool:
        """Whether no other running job was there when this process began."""
        return not any(other is not family and other.began <= found.start for other in self.families)

    def protected(self, table: Table, pids: set[int]) -> set[int]:
        """The agent and its supervisor, whatever happens, and known processes that are not members themselves."""
        return ({os.getpid(), os.getppid(), 1} | (self._known() - pids)) & set(table)

    def _ours(self) -> set[int]:
        return {os.getpid(), *self._known()}


class TreeEnd:
    """SIGTERM now, SIGKILL after ``grace`` seconds, ``done`` when nothing is left."""

    def __init__(self, loop: Loop, family: Family, grace: float, done: Callable[[], None]) -> None:
        self._loop = loop
        self._family = family
        self._grace = grace
        self._done: Callable[[], None] | None = done
        self._pause = FIRST_POLL
        self._force_at = 0.0
        self._told: set[Ident] = set()
        self._timer: Timer | None = None

    def begin(self) -> None:
        """May call ``done`` before it returns."""
        self._force_at = self._loop.clock.monotonic() + self._grace
        self.look()

    def look(self) -> None:
        """Look again now: called by the timer and when the last root has ended."""
        if self._done is None:
            return
        late = self._loop.clock.monotonic() - self._force_at
        if self._told and late < 0 and self._root_lives():
            self._again()  # they are dying: looking at every process meanwhile would only slow them down
            return
        living = [] if self._all_gone() else self._family.members()
        if not living:
            self._finish()
            return
        self._signal(living, signal.SIGKILL if late >= 0 else signal.SIGTERM)
        if late > GIVE_UP_SECONDS:
            self._finish()
            return
        self._pause = min(self._pause * 1.5, LAST_POLL)
        self._again()

    def _again(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        left = self._force_at - self._loop.clock.monotonic()
        self._timer = self._loop.call_later(min(self._pause, left) if left > 0 else self._pause, self.look)

    def _all_gone(self) -> bool:
        return not self._root_lives() and self._family.surely_gone()

    def _root_lives(self) -> bool:
        return any(proc.alive(root) for root in self._family.roots.items())

    def _signal(self, living: list[Stat], number: signal.Signals) -> None:
        """Whole groups first, so that none can fork away in between; each process gets SIGTERM once.

        Wrappers are killed at once: the end is decided, so the exit status that they would write is of no use, and
        they need not stay until a script has ended politely.
        """
        fresh = [found for found in living if number == signal.SIGKILL or found.ident not in self._told]
        self._told |= {found.ident for found in fresh}
        leaders = {found.pid for found in living if self._family.roots.get(found.pid) == found.start}
        for leader in leaders:
            _kill(leader, signal.SIGKILL)
        for leader in leaders & {found.pgrp for found in fresh}:
            _kill(-leader, number)
        for found in fresh:
            if found.pgrp not in leaders and proc.alive(found.ident):
                _kill(found.pid, number)

    def _finish(self) -> None:
        done, self._done = self._done, None
        if self._timer is not None:
            self._timer.cancel()
        if done is not None:
            done()


def _kill(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return
