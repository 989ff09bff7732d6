"""What a scenario names that isn't there: regions, zones, types, quotas, tables of rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

from skyx_sim.styles import STYLES

if TYPE_CHECKING:
    from skyx_sim.cloud import SimCloud, Where
    from skyx_sim.scenario import Scenario
    from skyx_sim.tree import Path

Wrong = tuple["Path", str, str]  # where, what, the nearest name


def references(scenario: Scenario, known_rules: Callable[[], Collection[str]]) -> Iterator[Wrong]:
    """Every name that nothing has."""
    for number, cloud in enumerate(scenario.clouds):
        here: Path = ("clouds", number)
        if cloud.rules not in STYLES:
            yield from _unknown((*here, "rules"), "cloud with rules", cloud.rules, {*STYLES, *known_rules()})
        yield from _in_cloud(cloud, here)
    named = {request.cloud for request in scenario.task.requests() if request.cloud}
    for name in sorted(named):
        yield from _unknown(("task",), "cloud in this scenario", name, [cloud.name for cloud in scenario.clouds])


def _in_cloud(cloud: SimCloud, here: Path) -> Iterator[Wrong]:
    from skyx_sim.places import zones_of

    regions = [region.name for region in cloud.regions]
    buckets = sorted({kind.bucket for kind in cloud.types if kind.bucket})
    zones = {zone for region in cloud.regions for zone in zones_of(cloud, region)}
    for field, rows in (("capacity", cloud.capacity), ("errors", cloud.errors)):
        for number, row in enumerate(rows):
            yield from _where(row, (*here, field, number), cloud, regions, zones)
    for number, kind in enumerate(cloud.types):
        for name in kind.regions:
            yield from _unknown((*here, "types", number, "regions"), "region", name, regions)
    for number, quota in enumerate(cloud.quota):
        yield from _unknown((*here, "quota", number, "bucket"), "bucket of a type", quota.bucket, buckets)
        yield from _unknown((*here, "quota", number, "region"), "region", quota.region, regions)


def _where(row: Where, at: Path, cloud: SimCloud, regions: list[str], zones: Collection[str]) -> Iterator[Wrong]:
    yield from _unknown((*at, "type"), "type", row.type, [kind.name for kind in cloud.types])
    yield from _unknown((*at, "region"), "region", row.region, regions)
    yield from _unknown((*at, "zone"), "zone", row.zone, zones)


def _unknown(at: Path, what: str, name: str | None, known: Collection[str]) -> Iterator[Wrong]:
    if name is None or name in known:
        return
    near = get_close_matches(name, sorted(known)[:2000], 1)
    yield at, f"there is no {what} named {name!r}", near[0] if near else ""
