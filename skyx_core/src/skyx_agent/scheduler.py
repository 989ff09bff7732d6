"""Which jobs start now, on which nodes and accelerators, and why the others wait. Pure.

Accelerators are counted in thousandths, so that fractions add up exactly.
"""

from __future__ import annotations

UNIT = 1000

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterable, List, Tuple

    Placement = List[Tuple[int, List[str]]]  # (node rank, accelerator ids) per rank of the job
    Free = Dict[int, Dict[str, int]]


class Demand:
    """What a job reserves: ``per_node`` thousandths of accelerators on each of ``num_nodes`` nodes."""

    __slots__ = ("num_nodes", "per_node")

    def __init__(self, num_nodes: int, per_node: int) -> None:
        self.num_nodes = num_nodes
        self.per_node = per_node

    @classmethod
    def of(cls, num_nodes: int, accelerators: float) -> Demand:
        return cls(num_nodes, max(1, round(accelerators * UNIT)) if accelerators > 0 else 0)

    @property
    def key(self) -> tuple[int, int]:
        return self.num_nodes, self.per_node


class Ledger:
    """What is free of each accelerator of each node, in thousandths."""

    def __init__(self, nodes: Iterable[tuple[int, list[str]]]) -> None:
        self.total: Free = {rank: dict.fromkeys(ids, UNIT) for rank, ids in nodes}
        self.free: Free = {rank: dict(ids) for rank, ids in self.total.items()}

    def place(self, demand: Demand) -> Placement | None:
        """The first nodes in rank order with enough free, or None."""
        return _place(self.free, demand)

    def possible(self, demand: Demand) -> bool:
        """Whether the demand would fit the empty cluster."""
        return _place(self.total, demand) is not None

    def take(self, demand: Demand, placement: Placement) -> None:
        self._move(demand, placement, -1)

    def release(self, demand: Demand, placement: Placement) -> None:
        self._move(demand, placement, 1)

    def _move(self, demand: Demand, placement: Placement, sign: int) -> None:
        share = min(demand.per_node, UNIT)
        for rank, ids in placement:
            for one in ids:
                if one in self.free.get(rank, {}):
                    self.free[rank][one] += sign * share


def _place(free: Free, demand: Demand) -> Placement | None:
    placement: Placement = []
    for rank in sorted(free):
        ids = _choose(free[rank], demand.per_node)
        if ids is not None:
            placement.append((rank, ids))
            if len(placement) == demand.num_nodes:
                return placement
    return None


def _choose(ids: dict[str, int], want: int) -> list[str] | None:
    """Whole accelerators, or for a fraction the fullest one that it fits (so that whole ones stay free)."""
    if not want:
        return []
    if want < UNIT:
        fitting = [(left, one) for one, left in ids.items() if left >= want]
        return [min(fitting, key=lambda pair: pair[0])[1]] if fitting else None
    whole = [one for one, left in ids.items() if left == UNIT]
    count = want // UNIT
    return whole[:count] if len(whole) >= count else None


def plan(
    ledger: Ledger, pending: Iterable[tuple[int, Demand]], strict: bool
) -> tuple[list[tuple[int, Placement]], dict[int, str]]:
    """(starts, why each other job waits). Takes what the starts need from ``ledger``. ``pending`` is in queue order."""
    starts: list[tuple[int, Placement]] = []
    waits: dict[int, str] = {}
    too_big: set[tuple[int, int]] = set()
    first_waiting = 0
    for job_id, demand in pending:
        if strict and first_waiting:
            waits[job_id] = f"waits behind job {first_waiting}: the queue is strict"
            continue
        placement = None if demand.key in too_big else ledger.place(demand)
        if placement is not None:
            ledger.take(demand, placement)
            starts.append((job_id, placement))
            continue
        too_big.add(demand.key)
        first_waiting = first_waiting or job_id
        waits[job_id] = why_waits(ledger, demand)
    return starts, waits


def why_waits(ledger: Ledger, demand: Demand) -> str:
    """One sentence with the numbers, for a demand that doesn't fit now."""
    free = sorted((sum(ids.values()) for ids in ledger.free.values()), reverse=True)
    nodes = "1 node" if demand.num_nodes == 1 else f"each of {demand.num_nodes} nodes"
    offered = ", ".join(amount(value) for value in free[:8]) + (", ..." if len(free) > 8 else "")
    return f"needs {amount(demand.per_node)} accelerators on {nodes}; free now per node: {offered or 'none'}"


def amount(thousandths: int) -> str:
    """``1500`` as ``1.5``."""
    return f"{thousandths / UNIT:.3f}".rstrip("0").rstrip(".")
