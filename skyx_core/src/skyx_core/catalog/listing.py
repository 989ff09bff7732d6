"""A catalogue for people: all of it in order of price, and its accelerators with their lowest prices."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import NamedTuple

from skyx_core.catalog import layout
from skyx_core.catalog.file import CatalogFile, damaged
from skyx_core.catalog.streams import Selection, counts, offers
from skyx_core.models import Offer, Request


class Cheapest(NamedTuple):
    """The cheapest machine with so many of an accelerator, sold this way."""

    accelerator: str
    number: float
    spot: bool
    hourly_usd: float
    instance_type: str
    region: str


def listing(
    file: CatalogFile, *, accelerator: str | None = None, count: float | None = None, region: str | None = None
) -> Iterator[Offer]:
    """Spot and on-demand together, cheapest first; lazily. ``count`` None: any number of the accelerator."""
    numbers: list[float | None] = [None]
    if accelerator is not None:
        numbers = [n for n in counts(file, accelerator) if count in (None, n)]
    streams = [
        _exactly(
            offers(file, Selection(_request(accelerator, number, region, spot), everything=True)), accelerator, number
        )
        for number in numbers
        for spot in (False, True)
    ]
    return heapq.merge(*streams, key=_order)


def _exactly(found: Iterator[Offer], accelerator: str | None, number: float | None) -> Iterator[Offer]:
    """A request for a fraction is served by whole ones, too; a list by number has each in its own place."""
    return (one for one in found if accelerator is None or one.accelerators.get(accelerator) == number)


def _request(accelerator: str | None, count: float | None, region: str | None, spot: bool) -> Request:
    have = {accelerator: count} if accelerator is not None and count is not None else {}
    return Request(accelerators=have, region=region, use_spot=spot)


def _order(offer: Offer) -> tuple[float, str, str, str, bool]:
    return (offer.hourly_usd, offer.region, offer.zone or "", offer.instance_type, offer.use_spot)


def cheapest(file: CatalogFile, accelerator: str | None = None, count: float | None = None) -> Iterator[Cheapest]:
    """By accelerator, number, and way of paying; a few hundred index steps however many offers there are."""
    sql = layout.BEST_PRICES if accelerator is None else layout.BEST_PRICES_OF
    try:
        for name, number, spot, price, kind in file.fetch(sql, {"accelerator": accelerator} if accelerator else {}):
            if count in (None, number):
                [[instance_type, region]] = file.fetch(layout.FIRST_OF_TYPE, {"type": kind, "spot": spot})
                have, usd = float(str(number)), float(str(price))
                yield Cheapest(str(name), have, bool(spot), usd, str(instance_type), str(region))
    except ValueError as error:
        raise damaged(file.path, file.cloud, "a row in it can't be read") from error
