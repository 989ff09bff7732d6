"""What clusters cost, by list prices."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SpendRow:
    """One cluster that is or was. ``status``: as in ``status``, or TERMINATED. ``hourly_usd``: of all nodes, by the
    list price when it was made. ``seconds``: how long its nodes ran within the time asked for, attempts that failed
    included; ``cost_usd``: of that time. ``ended_at``: None while it exists. Times are ISO-8601 UTC.
    """

    name: str
    uid: str
    status: str
    cloud: str
    region: str | None
    instance_type: str | None
    accelerators: dict[str, float]
    use_spot: bool
    num_nodes: int
    hourly_usd: float
    seconds: float
    cost_usd: float
    created_at: str
    ended_at: str | None


@dataclass(frozen=True, slots=True)
class SpendReport:
    """``since``: from when on (ISO-8601 UTC), None = everything. ``hourly_usd``: what runs now costs per hour."""

    clusters: list[SpendRow]
    total_usd: float
    hourly_usd: float
    since: str | None = None
    warnings: list[str] = field(default_factory=list)
