"""Names of zones that a scenario only counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

MOST_ZONES = 1_000_000


def zones_of(region: str, own: Sequence[str], count: int) -> Sequence[str]:
    """Names of a region's zones: its own, or as many as are to be made; () where it has none."""
    if own or not count:
        return own
    digits = len(str(count))
    return [f"{region}-z{number:0{digits}}" for number in range(1, count + 1)]


def is_count(value: object) -> TypeGuard[int]:
    """Whether it is a number of zones."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def named_zones(regions: Sequence[object]) -> list[object]:
    """Regions whose numbers of zones became names; what is no number stays. ``ValueError`` for too many."""
    counts: dict[int, int] = {}
    for at, region in enumerate(regions):
        count = region.get("zones") if isinstance(region, dict) else None
        counts.update({at: count} if is_count(count) else {})
    if sum(counts.values()) > MOST_ZONES:
        raise ValueError(f"{sum(counts.values()):,} zones are more than {MOST_ZONES:,}")
    found = list(regions)
    for at, count in counts.items():
        region = found[at]
        if isinstance(region, dict):
            found[at] = {**region, "zones": zones_of(str(region.get("name")), (), count)}
    return found
