"""Faults that a test orders in advance."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, field
from enum import StrEnum

from skyx_core.testing.fakecloud.refusals import Body, invalid, number, text


class FaultKind(StrEnum):
    """What goes wrong. ``after``: the call has had its effect, but its caller doesn't learn it."""

    ERROR_BEFORE = "error_before"
    ERROR_AFTER = "error_after"
    TIMEOUT_BEFORE = "timeout_before"
    TIMEOUT_AFTER = "timeout_after"
    RESET = "reset"  # the connection is reset before anything is done
    RESET_AFTER = "reset_after"
    GARBAGE = "garbage"  # done, answered 200 with half an answer
    PARTIAL = "partial"  # lists only: half of it, and the answer says that some of it is missing
    DELAY = "delay"  # done and answered rightly, after ``seconds`` of real time

    @property
    def effect(self) -> bool:
        """Whether the call is carried out."""
        return self not in (FaultKind.ERROR_BEFORE, FaultKind.TIMEOUT_BEFORE, FaultKind.RESET)


@dataclass
class Fault:
    """Strikes the ``nth`` matching call from now on, and the ``count - 1`` after it, each with ``chance``."""

    op: str  # "*" = any
    kind: FaultKind
    nth: int = 1
    count: int = 1
    code: str = "InternalError"
    status: int = 500
    message: str = "an internal error has occurred"
    seconds: float = 1.0
    chance: float = 1.0
    rng: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 - a reproducible fault
    seen: int = 0

    def strikes(self, op: str) -> bool:
        """Count one call; True if it is struck."""
        if self.op not in ("*", op):
            return False
        self.seen += 1
        return self.nth <= self.seen < self.nth + self.count and self.rng.random() < self.chance


def fault_from(body: Body) -> Fault:
    """Read an order; unknown kinds are refused."""
    kind = text(body, "kind")
    if kind not in set(FaultKind):
        raise invalid(f"unknown fault {kind!r}; there are {', '.join(FaultKind)}")
    return Fault(
        op=text(body, "op", "*"),
        kind=FaultKind(kind),
        nth=int(number(body, "nth", 1)),
        count=int(number(body, "count", 1)),
        code=text(body, "code", "InternalError"),
        status=int(number(body, "status", 500)),
        message=text(body, "message", "an internal error has occurred"),
        seconds=number(body, "seconds", 1.0),
        chance=number(body, "chance", 1.0),
        rng=random.Random(int(number(body, "seed", 0))),  # noqa: S311 - a reproducible fault
    )


class Faults:
    """The orders of one server. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._orders: list[Fault] = []

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._orders.append(fault)

    def clear(self) -> None:
        with self._lock:
            self._orders.clear()

    def take(self, op: str) -> Fault | None:
        """The first order that strikes this call; every matching one counts it."""
        with self._lock:
            struck = [fault for fault in self._orders if fault.strikes(op)]
            return struck[0] if struck else None
