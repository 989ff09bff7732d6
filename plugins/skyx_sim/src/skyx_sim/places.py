"""Where a simulated cloud sells what, and for how much."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cached_property

from skyx_core.api import Offer, Request, ZoneOption
from skyx_sim.cloud import MachineType, SimCloud
from skyx_sim.zones import zones_of

# price, region, zone ("" = none), name of the type, which is there once in a place, and the type
Priced = tuple[float, str, str, str, MachineType]


class Shop:
    """The offers of one cloud, made when they are first asked for."""

    def __init__(self, cloud: SimCloud, seed: int) -> None:
        self._cloud = cloud
        self._seed = seed

    @cached_property
    def zones(self) -> dict[str, Sequence[str]]:
        """By region."""
        count = self._cloud.zones
        return {region.name: zones_of(region.name, region.zones, count) for region in self._cloud.regions}

    @cached_property
    def types(self) -> dict[str, MachineType]:
        return {kind.name: kind for kind in self._cloud.types}

    def sells(self, instance_type: str, region: str) -> bool:
        """Whether the region has this type."""
        kind = self.types.get(instance_type)
        return kind is not None and region in self.zones and _sells(kind, region)

    def locate(self, instance_type: str, region: str, zone: str | None) -> list[ZoneOption]:
        """See ``CloudDriver.locate``; ``zone``: the only one that is asked for."""
        if not self.sells(instance_type, region):
            return []
        if zone is not None:
            return [ZoneOption(zone=zone)] if zone in self._members[region] else []
        return [ZoneOption(zone=each) for each in self.zones[region]] or [ZoneOption()]

    @cached_property
    def _members(self) -> dict[str, frozenset[str]]:
        return {region: frozenset(zones) for region, zones in self.zones.items()}

    def offers(self, query: Request) -> Iterator[Offer]:
        """Those that may satisfy the query, cheapest first, then by region, zone and type. Machines with accelerators
        are offered only to those who ask for accelerators, for the type by name, or for any.
        """
        if query.cloud not in (None, self._cloud.name):
            return
        for price, region, zone, name, kind in self._spot if query.use_spot else self._on_demand:
            fits = query.region in (None, region) and query.instance_type in (None, name)
            listed = query.any_accelerators and not query.accelerators
            asked = listed or bool(query.accelerators) == bool(kind.accelerators) or query.instance_type == name
            there = query.zone is None or (query.zone == zone if zone else query.zone in self._members[region])
            if fits and asked and there:
                yield Offer.model_construct(
                    cloud=self._cloud.name,
                    region=region,
                    zone=zone or None,
                    instance_type=name,
                    cpus=kind.cpus,
                    memory_gb=kind.memory,
                    accelerators=kind.accelerators,
                    use_spot=query.use_spot,
                    hourly_usd=price,
                    quota_buckets=(kind.bucket,) if kind.bucket else (),
                    reservation=None,
                )

    @cached_property
    def _on_demand(self) -> list[Priced]:
        return sorted(self._priced(spot=False))

    @cached_property
    def _spot(self) -> list[Priced]:
        return sorted(self._priced(spot=True))

    def _priced(self, *, spot: bool) -> Iterator[Priced]:
        """On-demand prices hold for a region, spot prices for a zone."""
        for kind in self._cloud.types:
            base = kind.spot_price if spot else kind.price
            for region in self._cloud.regions if base is not None else ():
                if not _sells(kind, region.name):
                    continue
                for zone in (spot and self.zones[region.name]) or ("",):
                    factor = region.price_factor * self._spread(kind.name, region.name, zone)
                    yield round((base or 0.0) * factor, 6), region.name, zone, kind.name, kind

    def _spread(self, *place: str) -> float:
        spread = self._cloud.price_spread
        if not spread:
            return 1.0
        return 1.0 + spread * random.Random(f"{self._seed}:{self._cloud.name}:{place}:price").random()  # noqa: S311 - a simulation


def _sells(kind: MachineType, region: str) -> bool:
    return not kind.regions or region in kind.regions
