"""When the nodes of one cluster ran, as its events tell. Pure.

A cluster has one life at a time, and beside it one track for each attempt that runs: attempts that are hedged cost
side by side. Intervals of one track never overlap.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

LIFE = 0  # the track of a cluster that is up; attempts are tracks 1, 2, ...
LAUNCH_STARTED, LAUNCH_ENDED, GAVE_UP, RETRY_WAIT = "launch_started", "launch_ended", "gave_up", "retry_wait"
ATTEMPT_STARTED, ATTEMPT_FAILED, ATTEMPT_CLEANED = "attempt_started", "attempt_failed", "attempt_cleaned"
CLUSTER_UP, STARTING, STOPPED, TERMINATED, STATUS_CHANGED = (
    "cluster_up",
    "starting",
    "stopped",
    "terminated",
    "status_changed",
)
KINDS = (
    LAUNCH_STARTED, LAUNCH_ENDED, GAVE_UP, RETRY_WAIT, ATTEMPT_STARTED, ATTEMPT_FAILED, ATTEMPT_CLEANED, CLUSTER_UP,
    STARTING, STOPPED, TERMINATED, STATUS_CHANGED,
)  # fmt: skip
_CLOSING = frozenset({LAUNCH_STARTED, LAUNCH_ENDED, STOPPED, TERMINATED})
_WENT_ON = frozenset({LAUNCH_ENDED, GAVE_UP, RETRY_WAIT, ATTEMPT_STARTED, CLUSTER_UP})
_RUNNING = frozenset({"UP", "INIT", "AUTOSTOPPING"})


@dataclass(frozen=True, slots=True)
class Step:
    """What is needed of an event. ``hourly_usd``: of the candidate, where there is one."""

    kind: str
    time: float
    attempt: int | None = None
    hourly_usd: float | None = None
    status: str = ""


@dataclass(frozen=True, slots=True)
class Interval:
    """Nodes ran from ``start`` to ``end`` (seconds since the epoch) for ``hourly_usd`` together."""

    start: float
    end: float
    hourly_usd: float
    track: int = LIFE

    @property
    def seconds(self) -> float:
        return self.end - self.start

    @property
    def cost_usd(self) -> float:
        return self.hourly_usd * self.seconds / 3600.0


@dataclass(slots=True)
class _Track:
    since: float
    hourly_usd: float
    failed: bool = False
    left: bool = False  # it failed, and the search went on without cleaning it: it had made nothing


@dataclass(slots=True)
class _Tracks:
    """What runs now, and what ran."""

    hourly_usd: float
    running: dict[int, _Track] = field(default_factory=dict)
    done: list[Interval] = field(default_factory=list)
    starting: bool = False  # started again, and not known to be up yet

    def open(self, track: int, time: float, hourly_usd: float) -> None:
        self.close(track, time)
        self.running[track] = _Track(time, hourly_usd)

    def close(self, track: int, time: float) -> None:
        was = self.running.pop(track, None)
        if was is not None and time > was.since:
            self.done.append(Interval(was.since, time, was.hourly_usd, track))

    def close_all(self, time: float) -> None:
        for track, one in list(self.running.items()):
            if one.left:
                del self.running[track]
            self.close(track, time)

    def went_on(self) -> None:
        for one in self.running.values():
            one.left = one.failed

    def forget_a_failed_start(self) -> None:
        """It was stopped again at a time that no event tells: what that cost isn't known, and is little."""
        if self.starting:
            self.running.pop(LIFE, None)
        self.starting = False


def intervals(steps: Iterable[Step], *, hourly_usd: float, end: float, stopped: bool = False) -> list[Interval]:
    """Those of one cluster, whose events are given in the order in which they were stored. What still runs at the
    last event runs until ``end``. ``hourly_usd``: for what no event names a price of. ``stopped``: it doesn't run now.

    Clocks may go back between two events: time then stands still. What an attempt made is counted from the attempt's
    start until it was cleaned up; an attempt that had nothing to clean cost nothing.
    """
    tracks = _Tracks(hourly_usd)
    now = -math.inf
    for step in steps:
        if math.isfinite(step.time):
            now = max(now, min(step.time, end))
            _apply(tracks, step, now)
    if stopped:
        tracks.forget_a_failed_start()
    tracks.close_all(end)
    return sorted(tracks.done, key=lambda one: (one.start, one.track, one.end))


def _apply(tracks: _Tracks, step: Step, now: float) -> None:
    if step.kind in _WENT_ON:
        tracks.went_on()
    if step.kind in _CLOSING:
        tracks.forget_a_failed_start()
        tracks.close_all(now)
    elif step.kind in (ATTEMPT_STARTED, ATTEMPT_FAILED, ATTEMPT_CLEANED):
        _attempt(tracks, step, now)
    elif step.kind == CLUSTER_UP:
        _come_up(tracks, step.attempt, now)
    elif step.kind == STARTING:
        tracks.forget_a_failed_start()
        tracks.close_all(now)
        tracks.open(LIFE, now, tracks.hourly_usd)
        tracks.starting = True
    elif step.kind == STATUS_CHANGED:
        _change(tracks, step.status, now)


def _attempt(tracks: _Tracks, step: Step, now: float) -> None:
    number = step.attempt or 1
    if step.kind == ATTEMPT_CLEANED:
        tracks.close(number, now)
    elif step.kind == ATTEMPT_FAILED and number in tracks.running:
        tracks.running[number].failed = True
    elif step.kind == ATTEMPT_STARTED:
        tracks.close(LIFE, now)  # a cluster that lost nodes is made whole: one life, no second one
        if step.hourly_usd is not None and 0 <= step.hourly_usd < math.inf:
            tracks.hourly_usd = step.hourly_usd
        tracks.open(number, now, tracks.hourly_usd)


def _come_up(tracks: _Tracks, attempt: int | None, now: float) -> None:
    """The attempt that won goes on as the cluster's life; others run until they are cleaned."""
    tracks.starting = False
    living = [number for number, one in tracks.running.items() if not one.failed]
    winner = attempt if attempt in living else max(living, default=LIFE)
    price = tracks.running[winner].hourly_usd if winner in living else tracks.hourly_usd
    tracks.close(winner, now)
    tracks.open(LIFE, now, price)


def _change(tracks: _Tracks, status: str, now: float) -> None:
    """Found out by a look: it stopped by itself, or runs again."""
    if status == "STOPPED":
        tracks.forget_a_failed_start()
        tracks.close_all(now)
    elif status in _RUNNING:
        tracks.starting = False
        if not tracks.running:
            tracks.open(LIFE, now, tracks.hourly_usd)
