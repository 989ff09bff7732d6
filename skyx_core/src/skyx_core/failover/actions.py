"""What the engine tells its caller to do."""

from __future__ import annotations

from dataclasses import dataclass

from skyx_core.models import Block
from skyx_core.plan.planner import Choice


@dataclass(frozen=True)
class Skip:
    """For information: these candidates are left out for now, each with the block in its way; and all that is left of
    whole clouds. ``opened``: clouds of which what was held before is drawn from now on. ``numbers``: of those that are
    skipped, in the plan.
    """

    skipped: tuple[tuple[Choice, Block], ...]
    clouds: tuple[tuple[str, Block], ...] = ()
    opened: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Locate:
    """Ask the driver for the zones of this candidate's region, then call ``located`` or ``locate_failed``.

    ``number``: of the choice in the plan.
    """

    choice: Choice
    number: int = 0


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


Action = Skip | Locate | Start | Cancel | CleanUp | WaitUntil | Done | GiveUp
