"""The search for capacity, as a state machine over data. It never sleeps, logs or talks.

The caller asks ``next(now)`` what to do, does it, and reports back: ``located``, ``outcome``, ``cleaned``. The real
launch, simulations and property tests drive the same object.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from skyx_core.failover.blocklist import Blocklist
from skyx_core.models import Block, Verdict, ZoneOption
from skyx_core.plan.planner import Choice

RETRY_PAUSE_S = 30.0


@dataclass(frozen=True)
class Locate:
    """Ask the driver for the zones of this candidate's region, then call ``located`` or ``locate_failed``."""

    choice: Choice


@dataclass(frozen=True)
class Start:
    """Begin this attempt; report ``outcome`` once. ``zones`` empty: the cloud has none."""

    attempt: int
    choice: Choice
    zones: tuple[str, ...]
    retry: int = 0  # how many times this place was retried before


@dataclass(frozen=True)
class Cancel:
    """End this attempt: another one won, or the user stops. Its ``outcome`` is still to be reported."""

    attempt: int


@dataclass(frozen=True)
class CleanUp:
    """Remove what this attempt made, then call ``cleaned``."""

    attempt: int


@dataclass(frozen=True)
class WaitUntil:
    """Nothing to do before this time (always later than the ``now`` that was passed)."""

    time: float


@dataclass(frozen=True)
class Done:
    """This attempt won; every other has returned and was cleaned."""

    attempt: int


@dataclass(frozen=True)
class GiveUp:
    """Nothing is left to try. ``earliest``: when a block that stood in the way ends first; None = none does."""

    reason: str
    earliest: float | None = None


Action = Locate | Start | Cancel | CleanUp | WaitUntil | Done | GiveUp


class Phase(Enum):
    """Of one attempt."""

    RUNNING = auto()
    FAILED = auto()  # to be cleaned
    CLEANING = auto()
    WON = auto()


@dataclass
class _Live:
    start: Start
    phase: Phase = Phase.RUNNING
    cancelled: bool = False
    verdict: Verdict | None = None


@dataclass
class _Try:
    """One concrete thing to try: a choice with its zones."""

    choice: Choice
    zones: tuple[str, ...] | None  # None: not located yet
    retries: int = 0
    not_before: float = 0.0


class Engine:
    """One search. ``max_live`` attempts at a time (1 = no hedging)."""

    def __init__(
        self,
        choices: Iterator[Choice],
        *,
        blocks: Blocklist,
        zones_together: frozenset[str] = frozenset(),
        max_live: int = 1,
        retry_until_up: bool = False,
        retry_pause: float = RETRY_PAUSE_S,
    ) -> None:
        self.blocks = blocks
        self._choices = choices
        self._together = zones_together
        self._max_live = max_live
        self._retry_until_up = retry_until_up
        self._pause = retry_pause
        self._queue: deque[_Try] = deque()
        self._parked: list[_Try] = []
        self._locating: _Try | None = None
        self._live: dict[int, _Live] = {}
        self._count = 0
        self._stop = ""

    @property
    def attempts(self) -> int:
        """How many attempts were started."""
        return self._count

    def next(self, now: float) -> list[Action]:
        """What to do now; an empty list = wait for a report."""
        actions: list[Action] = list(self._chores())
        winner = self._winner()
        if winner is not None:
            return actions or ([Done(winner)] if len(self._live) == 1 else [])
        if self._stop:
            return actions or ([] if self._live else [GiveUp(self._stop)])
        if actions or self._locating or len(self._live) >= self._max_live:
            return actions
        return self._advance(now)

    def located(self, options: Sequence[ZoneOption]) -> None:
        """The driver's answer to ``Locate``. No option that isn't skipped: the region is left out."""
        trial, self._locating = self._locating, None
        if trial is None:
            raise RuntimeError("located() without a Locate")
        wanted = trial.choice.candidate.zone
        usable = [option.zone for option in options if not option.skip and wanted in (None, option.zone)]
        zones = tuple(zone for zone in usable if zone is not None)
        if not usable:
            self._parked.append(trial)
        elif not zones:
            self._queue.appendleft(_Try(trial.choice, ()))
        elif trial.choice.candidate.cloud in self._together:
            self._queue.appendleft(_Try(trial.choice, zones))
        else:
            self._queue.extendleft(_Try(_in_zone(trial.choice, zone), (zone,)) for zone in reversed(zones))

    def locate_failed(self, verdict: Verdict) -> None:
        """The driver could not answer ``Locate``."""
        trial, self._locating = self._locating, None
        if trial is None:
            raise RuntimeError("locate_failed() without a Locate")
        if verdict.abort:
            self._stop = verdict.reason or "the request can't be satisfied anywhere"
        self._block(verdict.blocks + verdict.blocks_after)
        self._parked.append(trial)

    def outcome(self, attempt: int, verdict: Verdict | None, now: float) -> None:
        """The end of an attempt: None = it is up, else what its error means."""
        live = self._live[attempt]
        live.verdict = verdict
        if verdict is None and self._winner() is None and not self._stop and not live.cancelled:
            live.phase = Phase.WON
            return
        live.phase = Phase.FAILED
        if verdict is not None:
            self._learn(live, verdict, now)

    def cleaned(self, attempt: int) -> None:
        """What this attempt made is gone."""
        del self._live[attempt]

    def stop(self, reason: str) -> None:
        """Start nothing any more; running attempts are cancelled and cleaned."""
        self._stop = self._stop or reason

    def _learn(self, live: _Live, verdict: Verdict, now: float) -> None:
        start = live.start
        if verdict.abort:
            self.stop(verdict.reason or "the request can't be satisfied anywhere")
            return
        trial = _Try(start.choice, start.zones, start.retry)
        if verdict.retry and start.retry < verdict.retry.max:
            self._queue.appendleft(replace(trial, retries=start.retry + 1, not_before=now + verdict.retry.wait))
            return
        self._block(verdict.blocks_after if verdict.retry else verdict.blocks)
        self._parked.append(trial)

    def _block(self, blocks: Sequence[Block]) -> None:
        for block in blocks:
            self.blocks.add(block)

    def _winner(self) -> int | None:
        return next((number for number, live in self._live.items() if live.phase is Phase.WON), None)

    def _chores(self) -> Iterator[Action]:
        ending = bool(self._stop) or self._winner() is not None
        for number, live in self._live.items():
            if live.phase is Phase.FAILED:
                live.phase = Phase.CLEANING
                yield CleanUp(number)
            elif live.phase is Phase.RUNNING and ending and not live.cancelled:
                live.cancelled = True
                yield Cancel(number)

    def _advance(self, now: float) -> list[Action]:
        while (trial := self._draw()) is not None:
            block = self.blocks.hit(trial.choice.candidate, now)
            if block is not None:
                self._parked.append(trial)
            elif trial.zones is None:
                self._locating = trial
                return [Locate(trial.choice)]
            elif trial.not_before > now:
                self._queue.appendleft(trial)
                return [WaitUntil(trial.not_before)]
            else:
                return [self._start(trial, trial.zones)]
        return [] if self._live else [self._rest(now)]

    def _draw(self) -> _Try | None:
        if self._queue:
            return self._queue.popleft()
        choice = next(self._choices, None)
        return _Try(choice, None) if choice is not None else None

    def _start(self, trial: _Try, zones: tuple[str, ...]) -> Start:
        self._count += 1
        start = Start(self._count, trial.choice, zones, trial.retries)
        self._live[self._count] = _Live(start)
        return start

    def _rest(self, now: float) -> Action:
        ends = [self._ends(trial, now) for trial in self._parked]
        finite = [end for end in ends if end is not None]
        earliest = min(finite, default=None)
        if not self._retry_until_up or earliest is None:
            reason = "every candidate was tried or is blocked" if self._parked else "nothing fits the request"
            return GiveUp(reason, earliest if earliest is None or earliest > now else now)
        again = [trial for trial, end in zip(self._parked, ends, strict=True) if end is not None]
        self._parked = [trial for trial, end in zip(self._parked, ends, strict=True) if end is None]
        self._queue.extend(replace(trial, retries=0, not_before=0.0) for trial in again)
        self.blocks.drop_expired(now)
        return WaitUntil(max(now + self._pause, earliest))

    def _ends(self, trial: _Try, now: float) -> float | None:
        """When the block in the way of a parked try ends: now if there is none, None if it doesn't end."""
        block = self.blocks.hit(trial.choice.candidate, now)
        return now if block is None else block.until


def _in_zone(choice: Choice, zone: str) -> Choice:
    return replace(choice, candidate=choice.candidate.model_copy(update={"zone": zone}))
