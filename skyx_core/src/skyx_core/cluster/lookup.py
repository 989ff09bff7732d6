"""Finding a cluster's record by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skyx_core.errors import NotFoundError
from skyx_core.state.records import ClusterRecord

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services


def must_get(services: Services, name: str) -> ClusterRecord:
    """The record, or ``NotFoundError`` with the nearest name."""
    record = services.store.get(name)
    if record is not None:
        return record
    from difflib import get_close_matches

    near = get_close_matches(name, [info.name for info in services.store.infos()], 1)
    hint = f"did you mean {near[0]!r}?" if near else "'skyx status' lists those there are"
    raise NotFoundError(f"no cluster {name!r}", hint=hint)
