"""Recorded errors, in the layout of ``skyx classify``, as a scenario injects them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from skyx_core.api import CloudError

_OWN = ("code", "message", "http_status", "status", "stdout", "stderr")


def recorded_error(cloud: str, record: Mapping[str, object], *, made: int) -> CloudError:
    """The error that a record describes; what is nested in it stays as it is, as the body."""
    status = record.get("http_status", record.get("status"))
    printed = "\n".join(str(record[key]) for key in ("stdout", "stderr") if record.get(key))
    nested = {key: value for key, value in record.items() if isinstance(value, dict | list)}
    scalars = {
        key: str(value) for key, value in record.items() if key not in _OWN and isinstance(value, str | int | float)
    }
    return CloudError(
        cloud,
        "create",
        code=str(record.get("code") or ""),
        message=str(record.get("message") or printed),
        status=status if isinstance(status, int) else 0,
        data=scalars,
        body=json.dumps(nested) if nested else "",
        nodes_may_exist=made > 0,
    )
