"""Offers in order of price, then region, zone and type; nothing is read before it is asked for.

A query by accelerator, type or size looks at the types that fit, the cheapest first, and opens the stream of a type
only once nothing cheaper is left: drawing k offers costs k index steps and as many types as were opened. A query for
one region without accelerator or type reads that region's own index.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from skyx_core.catalog import layout
from skyx_core.catalog.file import CatalogFile, Value, damaged
from skyx_core.catalog.rows import Kind, Row, kind_of, number_of, row_of
from skyx_core.models import Amount, Offer, Request
from skyx_core.plan.needs import admits

_CHUNK, _MOST = 6, 768  # rows per query; grows, so that a short answer stays cheap and a long one soon is
_NOTHING = -1e308  # below every price
_INF = float("inf")


@dataclass(frozen=True)
class Selection:
    """What is looked for. ``everything``: machines with accelerators too, though none are asked for."""

    request: Request
    everything: bool = False

    @property
    def spot(self) -> bool:
        return self.request.use_spot


def offers(file: CatalogFile, wanted: Selection) -> Iterator[Offer]:
    """See the module. Raises ``CatalogError`` when a row can't be read."""
    extras: dict[int, tuple[tuple[str, ...], str | None]] = {0: ((), None)}
    try:
        for kind, row in rows(file, wanted):
            if row.extra not in extras:
                extras[row.extra] = _extra(file, row.extra)
            buckets, reservation = extras[row.extra]
            yield Offer(
                cloud=file.cloud,
                region=row.region,
                zone=row.zone or None,
                instance_type=kind.name,
                cpus=kind.cpus,
                memory_gb=kind.memory_gb,
                accelerators=kind.accelerators,
                use_spot=wanted.spot,
                hourly_usd=row.price,
                quota_buckets=buckets,
                reservation=reservation,
            )
    except ValueError as error:
        raise damaged(file.path, file.cloud, "a row in it is not an offer") from error


def _extra(file: CatalogFile, number: int) -> tuple[tuple[str, ...], str | None]:
    [[buckets, reservation]] = file.fetch(layout.EXTRA, {"id": number})
    return tuple(json.loads(str(buckets))), None if reservation is None else str(reservation)


def rows(file: CatalogFile, wanted: Selection) -> Iterator[tuple[Kind, Row]]:
    """The same as offers, before they are made."""
    where = _where(file, wanted.request)
    if where is None:
        return iter(())
    request = wanted.request
    if where["region_from"] == where["region_to"] and not request.accelerators and not request.instance_type:
        return _of_region(file, wanted, where)
    return _merged(kinds(file, wanted), partial(_of_type, file, {**where, "spot": int(wanted.spot)}))


def _where(file: CatalogFile, request: Request) -> dict[str, Value] | None:
    """Which regions and zones; None: there is no such place."""
    low, high = 0, 2**62
    if request.region is not None:
        found = file.fetch(layout.REGION_ID, {"name": request.region})
        if not found:
            return None
        low = high = number_of(found[0][0])
    elif request.zone and not file.fetch(layout.WITHOUT_ZONES, {}):
        regions = [number_of(row[0]) for row in file.fetch(layout.REGIONS_OF_ZONE, {"zone": request.zone})]
        if not regions:
            return None
        low, high = (regions[0], regions[0]) if len(regions) == 1 else (low, high)
    return {"region_from": low, "region_to": high, "zone": request.zone or ""}


def kinds(file: CatalogFile, wanted: Selection) -> Iterator[Kind]:
    """Types that fit, the one with the lowest price first; those of one name come with price 0."""
    request = wanted.request
    params: dict[str, Value] = {"spot": int(wanted.spot), **_sizes(request)}
    if request.instance_type is not None:
        found: Iterator[Kind] = map(
            kind_of, file.fetch(layout.TYPES_BY_NAME, {**params, "name": request.instance_type})
        )
    elif wanted.everything and not request.accelerators:
        found = _kinds(file, layout.ALL_TYPES, params)
    elif request.accelerators:
        found = _with_accelerator(file, request.accelerators, params)
    else:
        found = _kinds(file, layout.TYPES_BY_ACCELERATOR, {**params, "accelerator": "", "count": 0.0})
    return (kind for kind in found if _fits(request, kind))


def _fits(request: Request, kind: Kind) -> bool:
    return admits(request, cpus=kind.cpus, memory_gb=kind.memory_gb, accelerators=kind.accelerators)


def _with_accelerator(file: CatalogFile, asked: dict[str, float], params: dict[str, Value]) -> Iterator[Kind]:
    """By the first accelerator asked for; any whole number of it has room for a fraction."""
    name, count = min(asked.items())
    numbers = [n for n in counts(file, name) if n == count or count < 1 <= n]
    streams = (_kinds(file, layout.TYPES_BY_ACCELERATOR, {**params, "accelerator": name, "count": n}) for n in numbers)
    return heapq.merge(*streams, key=lambda kind: (kind.price, kind.id))


def counts(file: CatalogFile, accelerator: str) -> Iterator[float]:
    """Numbers of this accelerator that one machine may have, ascending."""
    after = -1.0
    while True:
        [[value]] = file.fetch(layout.NEXT_COUNT, {"accelerator": accelerator, "after": after})
        if not isinstance(value, int | float):
            return
        after = float(value)
        yield after


def _sizes(request: Request) -> dict[str, Value]:
    (cpus_from, cpus_to), (memory_from, memory_to) = _range(request.cpus), _range(request.memory_gb)
    return {"cpus_from": cpus_from, "cpus_to": cpus_to, "memory_from": memory_from, "memory_to": memory_to}


def _range(amount: Amount | None) -> tuple[float, float]:
    if amount is None:
        return 0.0, _INF
    return amount.value, _INF if amount.plus else amount.value


def _kinds(file: CatalogFile, sql: str, params: dict[str, Value]) -> Iterator[Kind]:
    price, number = _NOTHING, -1
    for limit in _limits():
        found = file.fetch(sql, {**params, "price": price, "type": number, "limit": limit})
        for kind in map(kind_of, found):
            _check_order((kind.price, kind.id) > (price, number))
            price, number = kind.price, kind.id
            yield kind
        if len(found) < limit:
            return


def _check_order(right: bool) -> None:
    """In a damaged index, going on after the last row might never end."""
    if not right:
        raise ValueError("an index is not in order")


def _limits() -> Iterator[int]:
    limit = _CHUNK
    while True:
        yield limit
        limit = min(_MOST, 4 * limit)


def _of_type(file: CatalogFile, where: dict[str, Value], kind: Kind) -> Iterator[Row]:
    price, place, extra = _NOTHING, -1, -1
    for limit in _limits():
        after: dict[str, Value] = {"price": price, "place": place, "extra": extra, "limit": limit}
        found = file.fetch(layout.OFFERS_OF_TYPE, {**where, **after, "of_type": kind.id})
        for row in map(row_of, found):
            _check_order((row.price, row.place, row.extra) > (price, place, extra))
            price, place, extra = row.price, row.place, row.extra
            yield row
        if len(found) < limit:
            return


def _of_region(file: CatalogFile, wanted: Selection, where: dict[str, Value]) -> Iterator[tuple[Kind, Row]]:
    fixed: dict[str, Value] = {
        **_sizes(wanted.request),
        "region": where["region_from"],
        "zone": where["zone"],
        "spot": int(wanted.spot),
        "plain": int(not wanted.everything),
    }
    known: dict[int, Kind] = {}
    last = Row(_NOTHING, -1, -1, -1, "", "")
    for limit in _limits():
        after: dict[str, Value] = {"price": last.price, "place": last.place, "type": last.type, "extra": last.extra}
        found = file.fetch(layout.OFFERS_OF_REGION, {**fixed, **after, "limit": limit})
        for raw in found:
            before, last = last, row_of(raw[:6])
            _check_order(last[:4] > before[:4])
            kind = known.get(last.type)
            if kind is None:
                kind = known[last.type] = kind_of((last.price, *raw[6:]))
            yield kind, last
        if len(found) < limit:
            return


def _merged(found: Iterator[Kind], of_type: partial[Iterator[Row]]) -> Iterator[tuple[Kind, Row]]:
    """The streams of these types as one; a type is opened when its lowest price is next."""
    heap: list[tuple[Row, Kind, Iterator[Row]]] = []
    waiting = next(found, None)
    while True:
        while waiting is not None and (not heap or waiting.price <= heap[0][0].price):
            stream = of_type(waiting)
            first = next(stream, None)
            if first is not None:
                heapq.heappush(heap, (first, waiting, stream))
            waiting = next(found, None)
        if not heap:
            return
        row, kind, stream = heap[0]
        yield kind, row
        following = next(stream, None)
        if following is None:
            heapq.heappop(heap)
        else:
            heapq.heapreplace(heap, (following, kind, stream))
