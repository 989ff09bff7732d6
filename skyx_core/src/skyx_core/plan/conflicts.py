"""Requests that contradict themselves, as the catalogue knows: which fields, and what would agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING

from skyx_core.models import Offer, Request, WhyNot
from skyx_core.plan.words import accelerators, some

if TYPE_CHECKING:
    from skyx_core.plan.planner import Source

_LOOKED_AT = 2000  # offers, where a list of places is collected


def conflicts(request: Request, source: Source) -> list[WhyNot]:
    """Why nothing can fit, field against field; empty if the fields agree or nothing is known. May raise what
    ``source.offers`` raises.
    """
    found = list(_of_type(request, source)) if request.instance_type is not None else []
    if request.zone is not None and request.region is not None:
        found += _of_zone(request, source)
    return [WhyNot(subject=source.cloud, reason=reason, fix=fix) for reason, fix in found]


def _probe(source: Source, request: Request) -> list[Offer]:
    return list(islice(source.offers(request), _LOOKED_AT))


def _of_type(request: Request, source: Source) -> Iterator[tuple[str, str]]:
    """The type of machine against sizes, market and place."""
    kind = str(request.instance_type)
    bare = Request(cloud=request.cloud, instance_type=kind, use_spot=request.use_spot)
    sold = [offer for offer in _probe(source, bare) if _is(offer, kind, request.use_spot)]
    if not sold:
        other = bare.model_copy(update={"use_spot": not request.use_spot})
        if any(_is(offer, kind, not request.use_spot) for offer in _probe(source, other)):
            market = "spot" if request.use_spot else "on-demand"
            yield f"instance_type {kind} isn't sold as {market}", f"use_spot: {str(not request.use_spot).lower()}"
        return
    yield from _sizes(request, sold[0], kind)
    regions = list(dict.fromkeys(offer.region for offer in sold))
    if request.region is not None and request.region not in regions:
        near = get_close_matches(request.region, regions, 1)
        yield (
            f"instance_type {kind} isn't offered in region {request.region}",
            f"it is in {some(near + [name for name in regions if name not in near])}",
        )


def _is(offer: Offer, kind: str, use_spot: bool) -> bool:
    return offer.instance_type == kind and offer.use_spot == use_spot


def _sizes(request: Request, offer: Offer, kind: str) -> Iterator[tuple[str, str]]:
    fix = "leave out instance_type, or what contradicts it"
    if request.accelerators and request.accelerators != offer.accelerators:
        wanted, have = accelerators(request.accelerators), accelerators(offer.accelerators)
        if not _shares(request.accelerators, offer.accelerators):
            yield f"instance_type {kind} has {have}, and accelerators asks for {wanted}", fix
    if request.cpus and not request.cpus.admits(offer.cpus):
        yield f"instance_type {kind} has {offer.cpus:g} vCPUs, and cpus asks for {request.cpus}", fix
    if request.memory_gb and not request.memory_gb.admits(offer.memory_gb):
        yield f"instance_type {kind} has {offer.memory_gb:g} GB, and memory asks for {request.memory_gb}", fix


def _shares(wanted: dict[str, float], have: dict[str, float]) -> bool:
    """Fractions of an accelerator are had on a machine with whole ones."""
    return all(count < 1 <= have.get(name, 0.0) or have.get(name) == count for name, count in wanted.items())


def _of_zone(request: Request, source: Source) -> Sequence[tuple[str, str]]:
    """The zone against the region."""
    bare = Request(cloud=request.cloud, zone=request.zone, use_spot=request.use_spot)
    for ask in (bare, request.model_copy(update={"region": None})):
        for offer in _probe(source, ask):
            if offer.zone == request.zone and offer.region != request.region:
                reason = f"zone {request.zone} is in region {offer.region}, not in region {request.region}"
                return [(reason, f"--infra {source.cloud}/{offer.region}/{request.zone}, or leave the region out")]
    return []


def nearest_places(request: Request, source: Source) -> list[WhyNot]:
    """Where the same would be offered when the region or zone that is asked for has nothing; nearest names first."""
    for name in ("zone", "region"):
        asked = getattr(request, name)
        if asked is None:
            continue
        wider = request.model_copy(update={"zone": None} if name == "zone" else {"zone": None, "region": None})
        seen = dict.fromkeys(getattr(offer, name) or "" for offer in _probe(source, wider))
        places = [place for place in seen if place]
        if not places:
            if seen and request.region is None:
                reason = f"in which of its regions zone {asked} is, isn't known"
                return [WhyNot(subject=source.cloud, reason=reason, fix=f"--infra {source.cloud}/REGION/{asked}")]
            continue
        near = get_close_matches(asked, places, 1)
        fix = f"did you mean {near[0]!r}?" if near else ""
        reason = f"nothing that fits is in {name} {asked}; it is in {some(near + [p for p in places if p not in near])}"
        return [WhyNot(subject=source.cloud, reason=reason, fix=fix)]
    return []
