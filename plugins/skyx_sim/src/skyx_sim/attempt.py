"""One attempt of a simulation, from its start until what it made is gone."""

from __future__ import annotations

from dataclasses import dataclass

from skyx_core.api import Category, Scope, Start, Verdict
from skyx_sim.result import AttemptRow, Status, infra_of
from skyx_sim.world import Answer


@dataclass
class Live:
    """An attempt that isn't cleaned yet. ``ends``: when its call returns by itself; ``due``: when that is told."""

    start: Start
    row: AttemptRow
    answer: Answer
    ends: float
    due: float
    cancelled: bool = False

    def charge(self, seconds: float) -> float:
        """Add the price of its nodes for a stretch of time; returns it."""
        choice = self.start.choice
        cost = self.answer.made / choice.request.num_nodes * choice.candidate.hourly_usd * seconds / 3600
        self.row.cost_usd += cost
        return cost


@dataclass
class End:
    """Of one search."""

    status: Status
    reason: str = ""
    won: Live | None = None


def begin(start: Start, number: int, answer: Answer, now: float) -> Live:
    """An attempt that starts now, and what will come of it."""
    candidate, zones = start.choice.candidate, start.zones
    row = AttemptRow(
        number=number,
        infra=infra_of(candidate, zones),
        cloud=candidate.cloud,
        region=candidate.region,
        zone=zones[0] if len(zones) == 1 else candidate.zone,
        instance_type=candidate.instance_type,
        accelerators=candidate.accelerators,
        use_spot=candidate.use_spot,
        hourly_usd=candidate.hourly_usd,
        started_at=now,
        retry=start.retry,
        nodes=answer.made,
    )
    return Live(start, row, answer, now + answer.after, now + answer.after)


def cancelled_verdict() -> Verdict:
    """Of an attempt that was ended because another won; it blocks nothing."""
    return Verdict(category=Category.TRANSIENT, block=Scope.NONE, rule="core.cancelled", reason="cancelled")
