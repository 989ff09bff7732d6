"""Ends every process of a job: politely, then by force, and nothing that is not the job's."""

from __future__ import annotations

import os
import signal

from skyx_agent import proc
from skyx_agent.children import childless
from skyx_agent.environment import MARKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from skyx_agent.children import Children
    from skyx_agent.loop import Loop, Timer
    from skyx_agent.proc import Ident, Stat, Table

FIRST_POLL = 0.01
LAST_POLL = 0.1
PATIENCE = 0.03  # seconds without a death after which what is left is searched for
GIVE_UP_SECONDS = 30.0  # after SIGKILL: what is left then is stuck in the kernel


class Family:
    """Tells which processes belong to one job.

    ``roots``: the wrappers, with start times. Members are found by session and group of a root, by descent, by the
    marker in their environment, and as strays: unmarked orphans that came to us or our supervisor and that no other
    running job can have made. Members once seen are remembered with their start times.
    """

    def __init__(self, marker: str, strangers: Strangers) -> None:
        self.marker = os.fsencode(marker)
        self.roots: dict[int, int] = {}
        self.began = proc.now_ticks()
        self.inherited = False  # it may have processes from before this agent, which are no children of ours
        self.scattered = False  # some root is no descendant of our supervisor: look at all processes
        self._strangers = strangers
        self._seen: set[Ident] = set()

    def add_root(self, pid: int, start: int) -> None:
        self.roots[pid] = start
        self.began = min(self.began, start)

    def root_lives(self) -> bool:
        return any(self._strangers.children.watches(pid) for pid in self.roots)

    def living_roots(self) -> list[int]:
        """Those that still bear their number for sure. A look at /proc is needed only for adopted ones."""
        owns = self._strangers.children.owns
        return [pid for pid, start in self.roots.items() if owns(pid) or (self.inherited and proc.alive((pid, start)))]

    def surely_gone(self) -> bool:
        """A look that needs no scan: no root lives, nor one that was seen, and there is no orphan.

        A descendant of a root comes to us when what is between them has ended, so that it is found here.
        """
        if self.scattered or self.root_lives() or any(proc.alive(ident) for ident in self._seen):
            return False
        return self._strangers.none(self.inherited)

    def members(self) -> list[Stat]:
        table = proc.scan()
        pids = {pid for pid, found in table.items() if self._is_root_kin(found, table) or found.ident in self._seen}
        pids |= {pid for pid, found in table.items() if self._is_orphan_of_ours(found)}
        found = proc.descendants(table, pids) - self._strangers.protected(table, pids)
        self._seen |= {table[pid].ident for pid in found if pid in table}
        return [table[pid] for pid in found if pid in table]

    def _is_root_kin(self, found: Stat, table: Table) -> bool:
        for leader in (found.pid, found.session, found.pgrp):
            start, holder = self.roots.get(leader), table.get(leader)
            if start is not None and found.start >= start and (holder is None or holder.start == start):
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
    """What the agent knows of processes that are not of the job in question.

    ``come_to_us``: whether orphans of our ranks become our children (else our supervisor's).
    """

    def __init__(self, children: Children, kept: set[int]) -> None:
        self.children = children
        self.come_to_us = False
        self.families: list[Family] = []
        self._kept = kept
        self._parents = (os.getpid(), os.getppid())

    def none(self, inherited: bool) -> bool:
        """Whether there is surely no orphan. ``inherited``: of those that our supervisor has neither."""
        if self.come_to_us and not inherited and childless():
            return True
        found = [proc.children(parent) for parent in self._parents]
        return all(pids is not None and set(pids) <= self._ours() for pids in found)

    def is_orphan(self, found: Stat) -> bool:
        return found.ppid in self._parents and found.pid not in self._ours()

    def only_job_of(self, found: Stat, family: Family) -> bool:
        """Whether no other running job was there when this process began."""
        return not any(other is not family and other.began <= found.start for other in self.families)

    def protected(self, table: Table, pids: set[int]) -> set[int]:
        """The agent and its supervisor, whatever happens, and known processes that are not members themselves."""
        return ({os.getpid(), os.getppid(), 1} | (self._known() - pids)) & set(table)

    def _known(self) -> set[int]:
        return self.children.pids | self._kept

    def _ours(self) -> set[int]:
        return {os.getpid(), *self._known()}


class TreeEnd:
    """SIGTERM now, SIGKILL after ``grace`` seconds, ``done`` when nothing is left."""

    def __init__(self, loop: Loop, children: Children, family: Family, grace: float, done: Callable[[], None]) -> None:
        self._loop = loop
        self._children = children
        self._family = family
        self._grace = grace
        self._done: Callable[[], None] | None = done
        self._pause = FIRST_POLL
        self._force_at = 0.0
        self._scan_at = 0.0
        self._struck: set[int] = set()
        self._told: set[Ident] = set()
        self._timer: Timer | None = None

    def begin(self) -> None:
        """May call ``done`` before it returns."""
        now = self._loop.clock.monotonic()
        self._force_at = now + self._grace
        self._children.on_orphans.append(self._orphans_ended)
        self._strike()
        if self._struck:
            self._scan_at = now + PATIENCE
        self.look()

    def look(self) -> None:
        """Look again now: called by the timer, when the last root has ended, and when orphans have."""
        if self._done is None:
            return
        now = self._loop.clock.monotonic()
        if self._family.surely_gone():
            self._finish()
            return
        if now < self._force_at and self._struck and (now < self._scan_at or self._family.root_lives()):
            self._again()  # they are dying: looking at every process meanwhile would only slow them down
            return
        living = self._family.members()
        if not living or now > self._force_at + GIVE_UP_SECONDS:
            self._finish()
            return
        self._signal(living, signal.SIGKILL if now >= self._force_at else signal.SIGTERM)
        self._pause = min(self._pause * 1.5, LAST_POLL)
        self._again()

    def _orphans_ended(self) -> None:
        if self._done is not None and self._family.surely_gone():
            self._finish()
        elif self._struck and not self._told:
            self._scan_at = self._loop.clock.monotonic() + PATIENCE

    def _again(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        left = self._force_at - self._loop.clock.monotonic()
        self._timer = self._loop.call_later(min(self._pause, left) if left > 0 else self._pause, self.look)

    def _strike(self) -> None:
        """The wrappers and their groups, whole and at once, so that none can fork away in between.

        Wrappers are killed: the end is decided, so the exit status that they would write is of no use, and they need
        not stay until a script has ended politely.
        """
        for pid in self._family.living_roots():
            self._struck.add(pid)
            _kill(pid, signal.SIGKILL)
            _kill(-pid, signal.SIGTERM)

    def _signal(self, living: list[Stat], number: signal.Signals) -> None:
        """SIGTERM once each: a second one would break off the polite end that the first began."""
        for found in living:
            told = found.ident in self._told or found.pgrp in self._struck
            if (number == signal.SIGKILL or not told) and proc.alive(found.ident):
                _kill(found.pid, number)
        self._told |= {found.ident for found in living}

    def _finish(self) -> None:
        done, self._done = self._done, None
        if self._orphans_ended in self._children.on_orphans:
            self._children.on_orphans.remove(self._orphans_ended)
        if self._timer is not None:
            self._timer.cancel()
        if done is not None:
            done()


def _kill(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return
