"""What a scenario names that isn't there: regions, zones, types, quotas, tables of rules. Looks at plain data, so that
other mistakes in the file hide none of these; what can't be read there is told by others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from skyx_sim.styles import STYLES
from skyx_sim.zones import MOST_ZONES, is_count, zones_of

if TYPE_CHECKING:
    from skyx_sim.tree import Path

Wrong = tuple["Path", str, str]  # where, what, the nearest name
Row = Mapping[str, object]
Names = Collection[str] | None  # None: they can't be told


def references(data: Row, asked: Iterable[str], known_rules: Callable[[], Collection[str]]) -> Iterator[Wrong]:
    """Every name that nothing has. ``asked``: the clouds that the task names."""
    clouds = _rows(data, "clouds")
    for number, cloud in clouds:
        here: Path = ("clouds", number)
        rules = cloud.get("rules")
        if isinstance(rules, str) and rules not in STYLES:
            yield from _unknown((*here, "rules"), "cloud with rules", rules, {*STYLES, *known_rules()})
        yield from _in_cloud(cloud, here)
    names = _texts(cloud.get("name") for _, cloud in clouds)
    for name in sorted(set(asked)):
        yield from _unknown(("task",), "cloud in this scenario", name, names)


def _in_cloud(cloud: Row, here: Path) -> Iterator[Wrong]:
    types = [kind for _, kind in _rows(cloud, "types")]
    kinds = _texts(kind.get("name") for kind in types)
    buckets = _texts(kind["bucket"] for kind in types if kind.get("bucket") is not None)
    regions, zones = _places(cloud)
    for field in ("capacity", "errors"):
        for number, row in _rows(cloud, field):
            for name, known in (("type", kinds), ("region", regions), ("zone", zones)):
                yield from _unknown((*here, field, number, name), name, row.get(name), known)
    for number, kind in _rows(cloud, "types"):
        named = kind.get("regions")
        for place, name in enumerate(named if isinstance(named, list) else ()):
            yield from _unknown((*here, "types", number, "regions", place), "region", name, regions)
    for number, quota in _rows(cloud, "quota"):
        yield from _unknown((*here, "quota", number, "bucket"), "bucket of a type", quota.get("bucket"), buckets)
        yield from _unknown((*here, "quota", number, "region"), "region", quota.get("region"), regions)


def _places(cloud: Row) -> tuple[Names, Names]:
    """Names of the cloud's regions and zones."""
    given, count = cloud.get("regions"), cloud.get("zones", 0)
    if isinstance(given, int) and 1 <= given <= MOST_ZONES:
        digits = len(str(given))
        rows: list[Row] = [{"name": f"r{number:0{digits}}"} for number in range(1, given + 1)]
    elif isinstance(given, list):
        rows = [{"name": row} if isinstance(row, str) else row for row in given if isinstance(row, str | dict)]
    else:
        return None, None
    regions = _texts(row.get("name") for row in rows)
    if regions is None or not isinstance(count, int) or not 0 <= count * len(rows) <= MOST_ZONES:
        return regions, None
    listed = [row.get("zones") for row in rows]
    if not all(zones is None or isinstance(zones, list) or is_count(zones) for zones in listed):
        return regions, None
    if sum(filter(is_count, listed)) > MOST_ZONES:
        return regions, None
    found: set[str] = set()
    for name, zones in zip(regions, listed, strict=True):
        own = _texts(zones if isinstance(zones, list) else ()) or ()
        found.update(zones_of(name, own, zones if is_count(zones) else count))
    return regions, found


def _rows(data: Row, field: str) -> list[tuple[int, Row]]:
    value = data.get(field)
    return [(number, row) for number, row in enumerate(value if isinstance(value, list) else ()) if _is_row(row)]


def _is_row(value: object) -> bool:
    return isinstance(value, dict)


def _texts(values: Iterable[object]) -> list[str] | None:
    """None if one of them is no name."""
    found = list(values)
    texts = [value for value in found if isinstance(value, str)]
    return texts if len(texts) == len(found) else None


def _unknown(at: Path, what: str, name: object, known: Names) -> Iterator[Wrong]:
    if not isinstance(name, str) or known is None or name in known:
        return
    near = get_close_matches(name, sorted(set(known))[:2000], 1)
    yield at, f"there is no {what} named {name!r}", near[0] if near else ""
