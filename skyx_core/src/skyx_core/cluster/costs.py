"""What clusters cost, from the events of their lives and the list prices at which they were made."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skyx_core.cluster.intervals import ATTEMPT_STARTED, KINDS, Interval, Step, intervals
from skyx_core.results import ClusterStatus, SpendReport, SpendRow, to_iso

if TYPE_CHECKING:
    from skyx_core.results import Json
    from skyx_core.state.records import ClusterRecord, EventRecord, HistoryRecord
    from skyx_core.state.store import Store

DAY_S = 86400.0


@dataclass(slots=True)
class _Told:
    """What the events of one cluster say. ``last``: the candidate that was tried last."""

    steps: list[Step] = field(default_factory=list)
    last: Mapping[str, Json] = field(default_factory=dict)


def cost_report(store: Store, *, now: float, days: float | None) -> SpendReport:
    """All clusters that are, and those that were within the last ``days`` (None = ever); what each cost within them.

    An estimate by list prices: discounts, disks, traffic and taxes are not in it.
    """
    since = -math.inf if days is None else now - days * DAY_S
    told = _told(store.events_of(KINDS))
    living = [_of_record(record, told.get(record.uid, _Told()), since, now) for record in store.list()]
    gone = [
        _of_history(record, told.get(record.uid, _Told()), since, now)
        for record in store.history()
        if record.ended_at > since
    ]
    gone.sort(key=lambda row: row.created_at)
    rows = sorted(gone, key=lambda row: row.ended_at or "", reverse=True)
    rows = [*living, *rows]
    return SpendReport(
        clusters=rows,
        total_usd=math.fsum(row.cost_usd for row in rows),
        hourly_usd=math.fsum(row.hourly_usd for row in living if row.status != ClusterStatus.STOPPED.value),
        since=None if days is None else to_iso(since),
        warnings=list(store.warnings),
    )


def spent(parts: Iterable[Interval], since: float, until: float) -> tuple[float, float]:
    """(seconds, dollars) of the parts that lie between two times."""
    seconds, usd = [], []
    for part in parts:
        overlap = min(part.end, until) - max(part.start, since)
        if overlap > 0:
            seconds.append(overlap)
            usd.append(part.hourly_usd * overlap / 3600.0)
    return math.fsum(seconds), math.fsum(usd)


def _told(events: Iterable[EventRecord]) -> dict[str, _Told]:
    found: dict[str, _Told] = {}
    for event in events:
        told = found.setdefault(event.uid, _Told())
        fields = _fields(event.json)
        candidate = fields.get("candidate")
        if event.kind == ATTEMPT_STARTED and isinstance(candidate, dict):
            told.last = candidate
        told.steps.append(_step(event, fields, candidate if event.kind == ATTEMPT_STARTED else None))
    return found


def _step(event: EventRecord, fields: Mapping[str, Json], candidate: Json) -> Step:
    attempt, price = fields.get("attempt"), candidate.get("hourly_usd") if isinstance(candidate, dict) else None
    time: object = event.time  # a damaged row may hold anything
    return Step(
        event.kind,
        float(time) if isinstance(time, int | float) else math.nan,
        attempt if isinstance(attempt, int) and attempt > 0 else None,
        float(price) if isinstance(price, int | float) else None,
        str(fields.get("status", "")),
    )


def _fields(text: str) -> dict[str, Json]:
    """Of an event that is damaged: none."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _of_record(record: ClusterRecord, told: _Told, since: float, now: float) -> SpendRow:
    stopped = record.status is ClusterStatus.STOPPED
    end = min(record.updated_at, now) if stopped else now
    parts = _parts(told, record.created_at, end, record.hourly_usd, stopped)
    seconds, usd = spent(parts, since, now)
    return SpendRow(
        name=record.name,
        uid=record.uid,
        status=record.status.value,
        cloud=record.cloud,
        region=record.region,
        instance_type=record.instance_type,
        accelerators=dict(record.accelerators),
        use_spot=record.use_spot,
        num_nodes=record.num_nodes,
        hourly_usd=record.hourly_usd,
        seconds=seconds,
        cost_usd=usd,
        created_at=to_iso(record.created_at),
        ended_at=None,
    )


def _of_history(record: HistoryRecord, told: _Told, since: float, now: float) -> SpendRow:
    parts = _parts(told, record.created_at, min(record.ended_at, now), record.hourly_usd, stopped=False)
    seconds, usd = spent(parts, since, now)
    return SpendRow(
        name=record.name,
        uid=record.uid,
        status="TERMINATED",
        cloud=record.cloud,
        region=record.region,
        instance_type=record.instance_type,
        accelerators=_accelerators(told.last),
        use_spot=record.use_spot,
        num_nodes=record.num_nodes,
        hourly_usd=record.hourly_usd,
        seconds=seconds,
        cost_usd=usd,
        created_at=to_iso(record.created_at),
        ended_at=to_iso(record.ended_at),
    )


def _parts(told: _Told, created: float, end: float, hourly_usd: float, stopped: bool) -> Sequence[Interval]:
    """Without any event, which a power cut may have taken, it ran all the time."""
    if told.steps:
        return intervals(told.steps, hourly_usd=hourly_usd, end=end, stopped=stopped)
    return [Interval(created, end, hourly_usd)] if end > created else []


def _accelerators(candidate: Mapping[str, Json]) -> dict[str, float]:
    counts = candidate.get("accelerators")
    if not isinstance(counts, dict):
        return {}
    return {name: float(count) for name, count in counts.items() if isinstance(count, int | float)}
