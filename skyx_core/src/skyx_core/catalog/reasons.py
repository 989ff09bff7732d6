"""Why a catalogue has nothing for a request, with what comes nearest. Runs only when there is nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from skyx_core.catalog import layout
from skyx_core.catalog.file import CatalogFile, damaged
from skyx_core.catalog.near import near, near_numbers, number, places, usd
from skyx_core.catalog.rows import Kind
from skyx_core.catalog.streams import Selection, counts, kinds, offers
from skyx_core.models import Amount, Offer, Request, WhyNot

_MOST_KINDS = 100_000  # looked at for the nearest sizes
_MOST_NAMES = 5_000  # compared by likeness, which is slow


def no_catalogue(cloud: str, *, updatable: bool) -> tuple[WhyNot, ...]:
    """There is no file at all."""
    fix = f"skyx catalog update {cloud}" if updatable else f"skyx catalog import {cloud} FILE.csv"
    return (WhyNot(subject=cloud, reason="there is no catalogue of its offers on this machine", fix=fix),)


def why_nothing(file: CatalogFile, query: Request) -> tuple[WhyNot, ...]:
    """The first of these that holds: a name that nobody knows, fields that contradict each other, a number or size that
    isn't made, a place or a way of paying in which it isn't sold. () if there are offers.
    """
    if next(offers(file, Selection(query)), None) is not None:
        return ()
    looks: tuple[Callable[[CatalogFile, Request], Iterator[WhyNot]], ...] = (
        _unknown,
        _misplaced,
        _other_type,
        _numbers,
        _sizes,
        _elsewhere,
    )
    try:
        reasons = next((found for look in looks if (found := tuple(look(file, query)))), ())
    except ValueError as error:
        raise damaged(file.path, file.cloud, "a row in it can't be read") from error
    if reasons:
        return reasons
    return (
        WhyNot(
            subject=file.cloud, reason=f"no offer fits {_what(query)}", fix=f"skyx catalog list --cloud {file.cloud}"
        ),
    )


def _unknown(file: CatalogFile, query: Request) -> Iterator[WhyNot]:
    if query.instance_type and not file.fetch(layout.TYPES_BY_NAME, {"name": query.instance_type, **_ANY_SIZE}):
        yield _not_known(file, "instance type", query.instance_type, _type_names(file, query.instance_type))
    for accelerator in sorted(query.accelerators):
        if next(counts(file, accelerator), None) is None:
            yield _not_known(file, "accelerator", accelerator, list(file.names(layout.ACCELERATOR_NAMES)))
    if query.region and not file.fetch(layout.REGION_ID, {"name": query.region}):
        yield _not_known(file, "region", query.region, list(file.names(layout.REGION_NAMES)))
    zones = list(file.names(layout.ZONE_NAMES)) if query.zone else []
    if query.zone and query.zone not in zones and not file.fetch(layout.WITHOUT_ZONES, {}):
        yield _not_known(file, "zone", query.zone, zones)


_ANY_SIZE = {"cpus_from": 0.0, "cpus_to": float("inf"), "memory_from": 0.0, "memory_to": float("inf")}


def _type_names(file: CatalogFile, asked: str) -> list[str]:
    [[count]] = file.fetch(layout.TYPE_COUNT, {})
    if isinstance(count, int) and count <= _MOST_NAMES:
        return list(file.names(layout.TYPE_NAMES))
    low = asked[:2]
    return list(file.names(layout.TYPE_NAMES_LIKE, low=low, high=low + "\U0010ffff", limit=_MOST_NAMES))


def _not_known(file: CatalogFile, kind: str, asked: str, names: list[str]) -> WhyNot:
    close = near(asked, names)
    if close:
        fix = f"did you mean {', '.join(close)}?"
    elif len(names) <= 12:
        fix = f"there are {', '.join(sorted(names))}" if names else f"no {kind} is in this catalogue"
    else:
        fix = f"skyx catalog list --cloud {file.cloud} shows what there is"
    return WhyNot(subject=file.cloud, reason=f"unknown {kind} {asked!r}", fix=fix)


def _misplaced(file: CatalogFile, query: Request) -> Iterator[WhyNot]:
    """A zone of another region."""
    if not (query.region and query.zone):
        return
    inside = list(file.names(layout.ZONE_NAMES_OF_REGION, region=query.region))
    if query.zone in inside or "" in inside:
        return
    home = ", ".join(file.names(layout.REGION_NAMES_OF_ZONE, zone=query.zone))
    reason = f"zone {query.zone!r} is not in region {query.region!r}" + (f", but in {home}" if home else "")
    close = near(query.zone, inside) or inside[:5]
    yield WhyNot(subject=file.cloud, reason=reason, fix=f"zones of {query.region}: {', '.join(close)}")


def _other_type(file: CatalogFile, query: Request) -> Iterator[WhyNot]:
    """The type that is named isn't of the size that is asked for."""
    if query.instance_type is None or next(kinds(file, Selection(query)), None) is not None:
        return
    bare = query.model_copy(update={"cpus": None, "memory_gb": None, "accelerators": {}})
    for kind in kinds(file, Selection(bare)):
        asked = query.model_copy(update={"instance_type": None})
        reason = f"{kind.name} has {_size(kind)}, which contradicts {_what(asked)}"
        yield WhyNot(subject=file.cloud, reason=reason, fix="leave out instance_type, or what it contradicts")


def _size(kind: Kind) -> str:
    have = [f"{name}:{number(count)}" for name, count in sorted(kind.accelerators.items())] or ["no accelerators"]
    return f"{', '.join(have)}, {number(kind.cpus)} vCPUs and {number(kind.memory_gb)} GB"


def _numbers(file: CatalogFile, query: Request) -> Iterator[WhyNot]:
    """Of accelerators."""
    for name, count in sorted(query.accelerators.items()):
        have = list(counts(file, name))
        if count in have or (count < 1 <= max(have)):
            continue
        some = ", ".join([f"{name}:{number(have[0])}", *(f":{number(n)}" for n in have[1:])])
        nodes = next((count / n for n in reversed(have) if count > n and count % n == 0), 0)
        part = f"{name}:{number(count / nodes)}" if nodes else ""
        fix = f"{number(nodes)} nodes of {part} have as many (num_nodes: {number(nodes)})" if nodes else ""
        yield WhyNot(subject=file.cloud, reason=f"no {name}:{number(count)}; there are {some}", fix=fix)
    alone = Request(accelerators=query.accelerators)
    if len(query.accelerators) > 1 and next(_pool(file, alone), None) is None:
        fix = "ask for one of them"
        yield WhyNot(subject=file.cloud, reason=f"no machine has {_both(alone)} together", fix=fix)


def _both(request: Request) -> str:
    return " and ".join(f"{name}:{number(count)}" for name, count in sorted(request.accelerators.items()))


def _pool(file: CatalogFile, request: Request) -> Iterator[Kind]:
    """Types that fit but for place and way of paying."""
    for spot in (False, True):
        asked = request.model_copy(update={"use_spot": spot})
        yield from islice(kinds(file, Selection(asked)), _MOST_KINDS)


def _sizes(file: CatalogFile, query: Request) -> Iterator[WhyNot]:
    if not (query.cpus or query.memory_gb) or next(_pool(file, query), None) is not None:
        return
    bare = query.model_copy(update={"cpus": None, "memory_gb": None})
    pool = list(_pool(file, bare))
    with_what = f" with {_what(bare)}" if bare.accelerators else ""
    told = False
    for label, unit, amount, have in (
        ("cpus", " vCPUs", query.cpus, [kind.cpus for kind in pool]),
        ("memory", " GB", query.memory_gb, [kind.memory_gb for kind in pool]),
    ):
        if amount and pool and not any(map(amount.admits, have)):
            told = True
            reason = f"no machine{with_what} has {label}={amount}; {near_numbers(amount, have, unit)}"
            yield WhyNot(
                subject=file.cloud, reason=reason, fix=f"ask for another {label}, such as {_easier(amount, have)}"
            )
    if pool and not told and query.cpus and query.memory_gb:
        yield _together(file, query.cpus, query.memory_gb, pool, with_what)


def _easier(amount: Amount, have: list[float]) -> str:
    nearest = min(have, key=lambda size: (abs(size - amount.value), -size))
    return f"{number(nearest)}{'+' if amount.plus else ''}"


def _together(file: CatalogFile, cpus: Amount, memory: Amount, pool: list[Kind], with_what: str) -> WhyNot:
    some = [kind for kind in pool if cpus.admits(kind.cpus)]
    closest = min(some, key=lambda kind: (abs(kind.memory_gb - memory.value), kind.price, kind.name))
    word = "most" if memory.plus else "nearest"
    reason = (
        f"no machine{with_what} has cpus={cpus} with memory={memory}: "
        f"with cpus={cpus} the {word} memory is {number(closest.memory_gb)} GB ({closest.name})"
    )
    return WhyNot(
        subject=file.cloud,
        reason=reason,
        fix=f"ask for less of one, such as memory={_easier(memory, [closest.memory_gb])}",
    )


def _elsewhere(file: CatalogFile, query: Request) -> Iterator[WhyNot]:
    """It is made, but not sold there or that way."""
    at = places(query)
    other = not query.use_spot
    nowhere: dict[str, object] = {"region": None, "zone": None}
    ways: list[tuple[dict[str, object], str]] = [({"zone": None}, f"not in zone {query.zone}")] if query.zone else []
    ways += [(nowhere, f"not in {at}")] if at else []
    paid = "not as spot" if query.use_spot else "only as spot"
    ways += [({"use_spot": other}, paid + (f" in {at}" if at else ""))]
    ways += [({**nowhere, "use_spot": other}, f"not in {at} and {paid}")] if at else []
    for changes, but in ways:
        found = next(offers(file, Selection(query.model_copy(update=changes))), None)
        if found is not None:
            yield WhyNot(
                subject=file.cloud, reason=f"{_what(query)} is there, but {but}", fix=_cheapest(found, changes)
            )
            return
    found = next(offers(file, Selection(query, everything=True)), None)
    if found is not None:
        reason = f"every machine that fits {_what(query)} has accelerators, and none are asked for"
        yield WhyNot(subject=file.cloud, reason=reason, fix=f"name the type: {found.instance_type}")


def _cheapest(offer: Offer, changes: dict[str, object]) -> str:
    where = "/".join(part for part in (offer.region, offer.zone) if part)
    how = {True: " as spot", False: " on demand", None: ""}[offer.use_spot if "use_spot" in changes else None]
    word = "cheapest elsewhere" if "zone" in changes or "region" in changes else "cheapest"
    return f"{word}{how}: {where} at {usd(offer.hourly_usd)} ({offer.instance_type})"


def _what(request: Request) -> str:
    parts = [f"{name}:{number(count)}" for name, count in sorted(request.accelerators.items())]
    parts += [request.instance_type] if request.instance_type else []
    parts += [f"cpus={request.cpus}"] if request.cpus else []
    parts += [f"memory={request.memory_gb}"] if request.memory_gb else []
    return " with ".join([parts[0], ", ".join(parts[1:])] if len(parts) > 1 else parts) or "a machine"
