"""From one alternative and one cloud to a stream of choices, cheapest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skyx_core.errors import CloudError, SkyxError
from skyx_core.models import Candidate, Offer, Request, WhyNot
from skyx_core.plan.ceiling import too_dear, zones_within
from skyx_core.plan.conflicts import conflicts, nearest_places
from skyx_core.plan.left_out import LeftOut
from skyx_core.plan.needs import admits, missing
from skyx_core.plan.ranking import Choice, by_price
from skyx_core.plan.words import describe_request, some

if TYPE_CHECKING:
    from skyx_core.plan.planner import Source


@dataclass(frozen=True, slots=True)
class Wish:
    """One alternative of a task, with its number and digest."""

    request: Request
    number: int
    digest: str


def choices_of(wish: Wish, source: Source, left_out: LeftOut | None, note: Callable[[str], None]) -> Iterator[Choice]:
    """What one cloud has for one alternative. A fault of the cloud ends its stream, and is noted as left out; ``note``
    is told what else to know of the plan.
    """
    request, found = wish.request, False
    lacking = _lacking(request, source)
    if not lacking:
        try:
            for choice in _fitting(wish, source, left_out, note):
                found = True
                if choice is not None:
                    yield choice
        except (SkyxError, CloudError) as error:
            lacking, found = [_failed(source.cloud, error)], True
    if left_out is not None:
        left_out.add(source.cloud, lacking or (() if found else _why_nothing(request, source)))


def _lacking(request: Request, source: Source) -> list[WhyNot]:
    """What rules the whole cloud out before its offers are read."""
    phrases = list(missing(request, source.capabilities, source.abilities))
    if phrases:
        return [WhyNot(subject=source.cloud, reason=f"doesn't support {' and '.join(phrases)}")]
    images = request.images_by_region
    if images and request.region is not None and request.region not in images:
        return [_no_image(source.cloud, request, request.region)]
    return []


def _no_image(subject: str, request: Request, region: str) -> WhyNot:
    there = some(sorted(request.images_by_region))
    return WhyNot(
        subject=subject,
        reason=f"image_id names no image for region {region}, only for {there}",
        fix="add one for this region to image_id, or leave the region open",
    )


def _failed(cloud: str, error: SkyxError | CloudError) -> WhyNot:
    return WhyNot(subject=cloud, reason=str(error), fix=getattr(error, "hint", "") or "")


def _fitting(
    wish: Wish, source: Source, left_out: LeftOut | None, note: Callable[[str], None]
) -> Iterator[Choice | None]:
    """None: one that would fit, but is left out for a reason that was noted."""
    request, cloud, ceiling = wish.request, source.cloud, wish.request.max_hourly_cost
    regions: set[tuple[str, str, str | None]] = set()
    first = True
    for offer in by_price(source.offers(request), cloud, note):
        if not _fits(request, offer):
            continue
        if ceiling is not None and offer.hourly_usd * request.num_nodes > ceiling:
            if left_out is not None:
                left_out.add(cloud, [too_dear(request, offer, ceiling, first=first)])
            yield None
            return  # the rest costs as much or more
        first = False
        candidate = _candidate(request, offer)
        reasons = _refusals(request, candidate, source)
        if reasons and left_out is not None:
            left_out.add(cloud, reasons)
        key = (candidate.region, candidate.instance_type, candidate.reservation)
        if reasons or (candidate.zone is None and key in regions):
            yield None
            continue
        if candidate.zone is None:
            regions.add(key)
            zones = zones_within(request, offer, source, ceiling) if offer.zone and ceiling is not None else ()
            candidate = candidate.model_copy(update={"zones": zones}) if zones else candidate
        yield Choice(request, candidate, wish.number, wish.digest)


def _refusals(request: Request, candidate: Candidate, source: Source) -> Sequence[WhyNot]:
    if request.images_by_region and candidate.region not in request.images_by_region:
        return [_regional_image(candidate, request)]
    return source.lacks(candidate, request)


def _regional_image(candidate: Candidate, request: Request) -> WhyNot:
    there = some(sorted(request.images_by_region))
    place = f"{candidate.cloud}/{candidate.region}"
    return WhyNot(subject=place, reason=f"image_id names no image for this region, only for {there}")


def _fits(request: Request, offer: Offer) -> bool:
    if offer.use_spot != request.use_spot or request.region not in (None, offer.region):
        return False
    if request.zone is not None and offer.zone != request.zone and (offer.zone or not _may_hold(request, offer.region)):
        return False
    if request.instance_type not in (None, offer.instance_type):
        return False
    return admits(request, cpus=offer.cpus, memory_gb=offer.memory_gb, accelerators=offer.accelerators)


def _may_hold(request: Request, region: str) -> bool:
    """Whether the zone that is asked for may be one of a region whose zones aren't told: if the region is asked for
    too, or the zone is named after it.
    """
    rest = (request.zone or "").removeprefix(region)
    return request.region == region or (rest != request.zone and not (region[-1:].isdigit() and rest[:1].isdigit()))


def _candidate(request: Request, offer: Offer) -> Candidate:
    """On-demand zones of one region are one candidate, unless a zone is asked for."""
    return Candidate(
        cloud=offer.cloud,
        region=offer.region,
        zone=request.zone or (offer.zone if offer.use_spot else None),
        instance_type=offer.instance_type,
        cpus=offer.cpus,
        memory_gb=offer.memory_gb,
        accelerators=request.accelerators or offer.accelerators,
        use_spot=offer.use_spot,
        hourly_usd=offer.hourly_usd * request.num_nodes,
        quota_buckets=offer.quota_buckets,
        reservation=offer.reservation,
    )


def _why_nothing(request: Request, source: Source) -> Sequence[WhyNot]:
    """What the cloud says; else the fields that contradict each other; else that nothing fits."""
    try:
        found = source.why_nothing(request) or conflicts(request, source) or nearest_places(request, source)
    except (SkyxError, CloudError) as error:
        return [_failed(source.cloud, error)]
    return found or [
        WhyNot(
            subject=source.cloud,
            reason=f"no offer fits {describe_request(request)}",
            fix="relax the request, or look at 'skyx show-gpus'",
        )
    ]
