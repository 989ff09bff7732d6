"""Where a cluster of this name was last: planned first, so that what it may have left there is used again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skyx_core.models import Request

if TYPE_CHECKING:
    from skyx_core.state.records import ClusterRecord


def pinned(requests: Sequence[Request], record: ClusterRecord) -> dict[int, Request]:
    """Those alternatives, by number, that the last placement may satisfy, narrowed to it."""
    if not record.cloud or not record.region or not record.instance_type:
        return {}
    update = {
        "cloud": record.cloud,
        "region": record.region,
        "instance_type": record.instance_type,
        **({"zone": record.zone} if record.zone else {}),
    }
    return {
        number: request.model_copy(update=update) for number, request in enumerate(requests) if _may_be(request, record)
    }


def _may_be(request: Request, record: ClusterRecord) -> bool:
    pairs = (
        (request.cloud, record.cloud),
        (request.region, record.region),
        (request.zone, record.zone),
        (request.instance_type, record.instance_type),
    )
    return request.use_spot == record.use_spot and all(asked in (None, there) for asked, there in pairs)
