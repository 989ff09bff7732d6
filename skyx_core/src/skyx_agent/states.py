"""The states of a job and the only moves between them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import FrozenSet, Mapping

INIT = "INIT"
PENDING = "PENDING"
SETTING_UP = "SETTING_UP"
RUNNING = "RUNNING"
SUCCEEDED = "SUCCEEDED"
FAILED = "FAILED"
FAILED_SETUP = "FAILED_SETUP"
FAILED_DRIVER = "FAILED_DRIVER"
CANCELLED = "CANCELLED"

ACTIVE = (PENDING, SETTING_UP, RUNNING)
TERMINAL = (SUCCEEDED, FAILED, FAILED_SETUP, FAILED_DRIVER, CANCELLED)
ALL = (INIT, *ACTIVE, *TERMINAL)

MOVES: Mapping[str, FrozenSet[str]] = {
    INIT: frozenset({PENDING, FAILED_DRIVER, CANCELLED}),
    PENDING: frozenset({SETTING_UP, RUNNING, FAILED_DRIVER, CANCELLED}),
    SETTING_UP: frozenset({RUNNING, SUCCEEDED, FAILED_SETUP, FAILED_DRIVER, CANCELLED}),
    RUNNING: frozenset({SUCCEEDED, FAILED, FAILED_DRIVER, CANCELLED}),
    SUCCEEDED: frozenset(),
    FAILED: frozenset(),
    FAILED_SETUP: frozenset(),
    FAILED_DRIVER: frozenset(),
    CANCELLED: frozenset(),
}


def may_move(old: str, new: str) -> bool:
    """Whether a job may go from ``old`` to ``new``. Nothing leaves a terminal state."""
    return new in MOVES[old]
