"""Where a cluster of this name was last: planned first, so that what it may have left there is used again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from skyx_core.models import Candidate, Request

if TYPE_CHECKING:
    from skyx_core.plan.planner import Choice
    from skyx_core.state.records import ClusterRecord


def pinned(requests: Sequence[Request], record: ClusterRecord) -> tuple[Request, ...]:
    """Those alternatives that the last placement may satisfy, narrowed to it."""
    if not record.cloud or not record.region or not record.instance_type:
        return ()
    update = {
        "cloud": record.cloud,
        "region": record.region,
        "instance_type": record.instance_type,
        **({"zone": record.zone} if record.zone else {}),
    }
    return tuple(request.model_copy(update=update) for request in requests if _may_be(request, record))


def _may_be(request: Request, record: ClusterRecord) -> bool:
    pairs = (
        (request.cloud, record.cloud),
        (request.region, record.region),
        (request.zone, record.zone),
        (request.instance_type, record.instance_type),
    )
    return request.use_spot == record.use_spot and all(asked in (None, there) for asked, there in pairs)


def first(favoured: Iterator[Choice], others: Iterator[Choice]) -> Iterator[Choice]:
    """``favoured`` before ``others``, nothing twice."""
    seen: set[tuple[object, ...]] = set()
    for choice in chain(favoured, others):
        key = _key(choice.candidate)
        if key not in seen:
            seen.add(key)
            yield choice


def _key(c: Candidate) -> tuple[object, ...]:
    return c.cloud, c.region, c.zone, c.instance_type, c.use_spot, tuple(sorted(c.accelerators.items())), c.reservation
