"""What ``max_hourly_cost`` leaves of a cloud's offers."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING

from skyx_core.models import Offer, Request, WhyNot
from skyx_core.plan.words import usd

if TYPE_CHECKING:
    from skyx_core.plan.planner import Source

_MOST_LOOKED_AT = 2000  # offers of one type in one region


def zones_within(request: Request, offer: Offer, source: Source, ceiling: float) -> tuple[str, ...]:
    """The zones of a region in which what is offered costs no more than the ceiling, where some cost more; () = none
    does. One more look into the offers; may raise what ``source.offers`` raises.
    """
    same = request.model_copy(update={"region": offer.region, "instance_type": offer.instance_type})
    lowest: dict[str, float] = {}
    for other in islice(source.offers(same), _MOST_LOOKED_AT):
        if other.zone is not None and _kind(other) == _kind(offer):
            price = other.hourly_usd * request.num_nodes
            lowest[other.zone] = min(price, lowest.get(other.zone, price))
    within = tuple(sorted(zone for zone, price in lowest.items() if price <= ceiling))
    return within if len(within) < len(lowest) else ()


def _kind(offer: Offer) -> tuple[object, ...]:
    return offer.region, offer.instance_type, offer.accelerators, offer.use_spot, offer.reservation


def too_dear(request: Request, offer: Offer, ceiling: float, *, first: bool) -> WhyNot:
    """The first, or the next, that fits but for its price."""
    price = offer.hourly_usd * request.num_nodes
    what = f"{offer.instance_type} in {offer.region}"
    over = f"${ceiling:.2f}" if ceiling >= 0.1 else f"${ceiling:g}"
    if first:
        reason = (
            f"the cheapest that fits, {what} at {usd(price)}/h, is {usd(price - ceiling)} over max_hourly_cost {over}"
        )
        return WhyNot(subject=offer.cloud, reason=reason, fix=f"raise max_hourly_cost to {_up(price)} or more")
    return WhyNot(
        subject=offer.cloud, reason=f"offers from {usd(price)}/h on ({what} and dearer) are over max_hourly_cost {over}"
    )


def _up(price: float) -> str:
    """A round number that isn't below the price."""
    return f"{math.ceil(price * 100) / 100:g}" if price >= 0.1 else f"{price:g}"
