"""The orders in which candidates are tried. Everything here is lazy but ``fastest_first``."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import inf

from skyx_core.errors import CloudError, PluginBrokenError, SkyxError
from skyx_core.models import Candidate, Offer, Request
from skyx_core.plan.speed import slowness

LONGEST_RUN = 4096  # offers of one price that are put in order of names at a time
MOST_COMPARED = 20_000  # candidates that are compared with each other where price alone doesn't decide


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate and the alternative of the task that it satisfies. ``alternative``: its number, from 0; ``digest``:
    of what the request names itself.
    """

    request: Request
    candidate: Candidate
    alternative: int = 0
    digest: str = ""


Rank = tuple[float, str, str, str, str, bool, str]


def rank(choice: Choice) -> Rank:
    """By price, then by name."""
    c = choice.candidate
    return (c.hourly_usd, c.cloud, c.region, c.zone or "", c.instance_type, c.use_spot, c.reservation or "")


def total(choice: Choice) -> Rank:
    """By the price of the first hour with what comes once, then by name."""
    return (choice.candidate.hourly_usd + choice.candidate.egress_usd, *rank(choice)[1:])


def distinct(choices: Iterable[Choice], *, by_price: bool) -> Iterator[Choice]:
    """Each once; what differs only in what the request names itself (ports, image) is different. ``by_price``: they
    come by price, so only those of one price need to be remembered.
    """
    seen: set[tuple[object, ...]] = set()
    price = -1.0
    for choice in choices:
        c = choice.candidate
        if by_price and c.hourly_usd != price:
            seen.clear()
            price = c.hourly_usd
        key = (rank(choice), choice.digest, tuple(sorted(c.accelerators.items())))
        if key not in seen:
            seen.add(key)
            yield choice


def by_price(offers: Iterable[Offer], cloud: str, note: Callable[[str], None] | None = None) -> Iterator[Offer]:
    """The stream of one cloud, offers of one price in order of names: all of them, up to ``LONGEST_RUN``; of more, that
    many at a time, and ``note`` is told so. Raises what the stream raises, and ``PluginBrokenError`` at the first offer
    that is out of order, has no price, or is another cloud's; what came before is given first.
    """
    run: list[Offer] = []
    last, told = 0.0, False
    try:
        for offer in offers:
            price = offer.hourly_usd
            if offer.cloud != cloud or not last <= price < inf:
                raise _fault(cloud, offer, last)
            if run and (price != last or len(run) == LONGEST_RUN):
                if price == last and note is not None and not told:
                    told = True
                    note(f"{cloud} has over {LONGEST_RUN:,} offers at one price: not all of them are in order of names")
                yield from _named(run)
                run = []
            run.append(offer)
            last = price
    except (SkyxError, CloudError):
        yield from _named(run)
        raise
    yield from _named(run)


def _named(run: list[Offer]) -> Sequence[Offer]:
    if len(run) > 1:
        run.sort(key=_name)
    return run


def _name(offer: Offer) -> tuple[str, ...]:
    """As ``rank`` has it of the candidate: only spot candidates have the zone of their offer."""
    zone = offer.zone or ""
    return offer.region, zone if offer.use_spot else "", offer.instance_type, offer.reservation or "", zone


def _fault(cloud: str, offer: Offer, last: float) -> PluginBrokenError:
    price = f"${offer.hourly_usd:g}"
    if offer.cloud != cloud:
        problem, hint = f"offered something of cloud {offer.cloud!r}", "a driver offers what its own cloud has"
    elif 0 <= offer.hourly_usd < last:
        problem, hint = f"gave {price} after ${last:g}", "offers() must be sorted by price, cheapest first"
    else:
        problem, hint = f"gave the price {price}", "a price is a number, 0 or more"
    return PluginBrokenError(
        f"offers() of plugin {cloud!r} {problem} ({offer.instance_type} in {offer.region})", plugin=cloud, hint=hint
    )


def cheapest_in_all(choices: Iterator[Choice], egress: Callable[[Candidate], float]) -> Iterator[Choice]:
    """By price plus what comes once, from a stream by price: a choice is held back until nothing cheaper can follow.
    At most ``MOST_COMPARED`` are held back.
    """
    held: list[tuple[Rank, int, Choice]] = []
    for number, plain in enumerate(choices):
        cost = egress(plain.candidate)
        choice = _costing(plain, cost) if cost else plain
        heapq.heappush(held, (total(choice), number, choice))
        while held and (held[0][0][0] < plain.candidate.hourly_usd or len(held) > MOST_COMPARED):
            yield heapq.heappop(held)[2]
    while held:
        yield heapq.heappop(held)[2]


def _costing(choice: Choice, egress_usd: float) -> Choice:
    candidate = choice.candidate.model_copy(update={"egress_usd": egress_usd})
    return Choice(choice.request, candidate, choice.alternative, choice.digest)


def fastest_first(
    choices: Iterator[Choice], usual_start_s: Callable[[str], float], notes: list[str]
) -> Iterator[Choice]:
    """The fastest first, then the cheapest. Looks at everything, but compares no more than the ``MOST_COMPARED``
    cheapest; if there are more, they follow by price, and ``notes`` says so.
    """
    looked = list(islice(choices, MOST_COMPARED))
    after = next(choices, None)
    if after is not None:
        notes.append(f"the {MOST_COMPARED} cheapest candidates are ranked by speed; dearer ones follow by price")
    looked.sort(key=lambda c: (*slowness(c.candidate, usual_start_s(c.candidate.cloud)), total(c)))
    return chain(looked, [] if after is None else [after], choices)
