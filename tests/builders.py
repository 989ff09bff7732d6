"""Small makers of models for tests."""

from __future__ import annotations

from skyx_core.models import Candidate, Offer, Request
from skyx_core.plan.planner import Choice, Source


def offer(cloud: str = "c", region: str = "r1", **changes: object) -> Offer:
    fields: dict[str, object] = {
        "cloud": cloud,
        "region": region,
        "instance_type": "t1",
        "cpus": 4.0,
        "memory_gb": 16.0,
        "hourly_usd": 1.0,
    }
    return Offer.model_validate(fields | changes)


def candidate(cloud: str = "c", region: str = "r1", zone: str | None = None, **changes: object) -> Candidate:
    fields: dict[str, object] = {
        "cloud": cloud,
        "region": region,
        "zone": zone,
        "instance_type": "t1",
        "cpus": 4.0,
        "memory_gb": 16.0,
        "hourly_usd": 1.0,
    }
    return Candidate.model_validate(fields | changes)


def choice(cloud: str = "c", region: str = "r1", zone: str | None = None, **changes: object) -> Choice:
    return Choice(Request(), candidate(cloud, region, zone, **changes))


def source(cloud: str, *offers: Offer, **changes: object) -> Source:
    fields: dict[str, object] = {
        "cloud": cloud,
        "capabilities": frozenset(),
        "abilities": frozenset(),
        "offers": lambda _request: iter(sorted(offers, key=lambda o: o.hourly_usd)),
        "lacks": lambda _candidate, _request: (),
        "why_nothing": lambda _request: (),
    }
    return Source(**(fields | changes))  # type: ignore[arg-type]
