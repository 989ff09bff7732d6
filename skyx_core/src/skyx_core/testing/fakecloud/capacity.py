"""How many nodes fit where, and which addresses are free."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Slot:
    """What one node takes up; in a limit ``*`` stands for anything. ``market``: ``spot`` or ``on-demand``."""

    place: str  # a zone, or a context
    instance_type: str
    market: str

    def covers(self, other: Slot) -> bool:
        """Whether this pattern holds for ``other``."""
        return all(
            mine in ("*", theirs)
            for mine, theirs in (
                (self.place, other.place),
                (self.instance_type, other.instance_type),
                (self.market, other.market),
            )
        )


class Capacity:
    """Limits per pattern; what no limit covers is unlimited. A node must fit all limits that cover it."""

    def __init__(self) -> None:
        self._limits: dict[Slot, int] = {}

    def limit(self, pattern: Slot, nodes: int | None) -> None:
        """Set the limit of a pattern, or drop it (None). Nodes that exist stay."""
        if nodes is None:
            self._limits.pop(pattern, None)
        else:
            self._limits[pattern] = nodes

    def clear(self) -> None:
        """Drop all limits."""
        self._limits.clear()

    def fits(self, wanted: Slot, count: int, taken: Iterable[Slot]) -> bool:
        """Whether ``count`` more nodes fit beside those that exist."""
        held = list(taken)
        return all(
            sum(pattern.covers(slot) for slot in held) + count <= limit
            for pattern, limit in self._limits.items()
            if pattern.covers(wanted)
        )


class Addresses:
    """Loopback addresses of this server alone: 127.128.0.0/9, told apart by the server's port.

    The lowest free one is given first, so that an address is soon used again by another node, as in real clouds.
    Up to 254 at a time.
    """

    def __init__(self, port: int) -> None:
        low = port & 0x7FFF
        self._prefix = f"127.{128 + (low >> 8)}.{low & 0xFF}"

    def free(self, taken: Iterable[str]) -> str | None:
        """An address that is not among ``taken``, or None."""
        held = set(taken)
        return next((a for a in (f"{self._prefix}.{i}" for i in range(1, 255)) if a not in held), None)
