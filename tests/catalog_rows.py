"""Catalogues for tests: made from offers, and asked by brute force."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from builders import offer
from skyx_core.catalog import Catalogue
from skyx_core.catalog.writer import Staged, Writer, Written, accelerators_json, quota_json
from skyx_core.dirs import Dirs
from skyx_core.models import Offer, Request
from skyx_core.plan.needs import admits

CLOUD = "mars"


def machine(name: str, region: str = "north", zone: str | None = None, usd: float = 1.0, **changes: object) -> Offer:
    return offer(CLOUD, region, zone=zone, instance_type=name, hourly_usd=usd, **changes)


def staged(one: Offer) -> Staged:
    return Staged(
        one.instance_type,
        one.cpus,
        one.memory_gb,
        accelerators_json(one.accelerators),
        one.region,
        one.zone or "",
        int(one.use_spot),
        one.hourly_usd,
        quota_json(one.quota_buckets),
        one.reservation,
    )


def write(path: Path, offers: Iterable[Offer]) -> Written:
    writer = Writer(path, CLOUD)
    written = writer.write(map(staged, offers), "a test", 1000.0)
    writer.publish()
    return written


def catalogue(tmp_path: Path, offers: Iterable[Offer]) -> Catalogue:
    dirs = Dirs.under(tmp_path)
    write(dirs.catalogues / f"{CLOUD}.db", offers)
    return Catalogue.open(dirs, CLOUD)


def order(one: Offer) -> tuple[object, ...]:
    """As the contract says; what is equal there is put in order by the rest."""
    size = (one.cpus, one.memory_gb, accelerators_json(one.accelerators))
    return (one.hourly_usd, one.region, one.zone or "", one.instance_type, *size, one.reservation or "")


def fits(query: Request, one: Offer) -> bool:
    """What a query means, offer by offer."""
    return (
        one.use_spot == query.use_spot
        and query.region in (None, one.region)
        and (query.zone is None or one.zone in (None, query.zone))
        and query.instance_type in (None, one.instance_type)
        and bool(query.accelerators or query.instance_type or not one.accelerators)
        and admits(query, cpus=one.cpus, memory_gb=one.memory_gb, accelerators=one.accelerators)
    )


def brute_force(offers: Sequence[Offer], query: Request) -> list[Offer]:
    """Of several offers of the same machine at the same place, only the cheapest counts."""
    unique: dict[tuple[object, ...], Offer] = {}
    for one in offers:
        key = (order(one)[1:], one.use_spot)
        if key not in unique or one.hourly_usd < unique[key].hourly_usd:
            unique[key] = one
    return sorted((one for one in unique.values() if fits(query, one)), key=order)
