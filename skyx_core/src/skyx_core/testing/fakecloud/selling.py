"""Offers out of the fake clouds' fixed catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from skyx_core.api import Offer, Request
from skyx_core.testing.fakecloud.catalogue import NOT_SOLD, MachineType, price


def catalogue(
    cloud: str, places: Sequence[str], types: Sequence[MachineType], markets: Sequence[bool]
) -> Iterator[Offer]:
    """Every type at every place; ``markets``: the values of ``use_spot`` that are sold."""
    for place in places:
        for machine in types:
            for spot in markets if (place, machine.name) not in NOT_SOLD else ():
                yield Offer(
                    cloud=cloud,
                    region=place,
                    instance_type=machine.name,
                    cpus=machine.cpus,
                    memory_gb=machine.memory_gb,
                    accelerators=machine.accelerators,
                    use_spot=spot,
                    hourly_usd=price(place, machine, spot=spot),
                    quota_buckets=(machine.accelerator or "standard",),
                )


def matching(offers: Iterable[Offer], query: Request, zones: Mapping[str, Sequence[str]]) -> list[Offer]:
    """Offers that satisfy the query, cheapest first; ``zones`` of each region. Machines with accelerators are
    offered only to those who ask for them, for the type by name, or for any.
    """
    found = [offer for offer in offers if _place_fits(offer, query, zones) and _machine_fits(offer, query)]
    return sorted(found, key=lambda offer: (offer.hourly_usd, offer.region, offer.instance_type))


def _place_fits(offer: Offer, query: Request, zones: Mapping[str, Sequence[str]]) -> bool:
    return (
        query.cloud in (None, offer.cloud)
        and query.region in (None, offer.region)
        and (query.zone is None or query.zone in zones.get(offer.region, ()))
    )


def _machine_fits(offer: Offer, query: Request) -> bool:
    if offer.use_spot != query.use_spot or query.instance_type not in (None, offer.instance_type):
        return False
    unasked = not query.accelerators and (query.any_accelerators or query.instance_type is not None)
    if offer.accelerators != query.accelerators and not unasked:
        return False
    return all(
        amount is None or amount.admits(value)
        for amount, value in ((query.cpus, offer.cpus), (query.memory_gb, offer.memory_gb))
    )
