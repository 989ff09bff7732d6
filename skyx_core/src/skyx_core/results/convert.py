"""Results as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.results.states import Json

_PRIVATE = frozenset({"chosen"})


def to_json(value: object) -> Json:
    """The JSON form of a result, by field names; whole floats stay floats."""
    if value is None or isinstance(value, bool | int | float | str):
        return str(value) if isinstance(value, StrEnum) else value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if is_dataclass(value):
        return {f.name: to_json(getattr(value, f.name)) for f in fields(value) if f.name not in _PRIVATE}
    raise TypeError(f"{type(value).__name__} has no JSON form")


def to_iso(seconds: float) -> str:
    """Seconds since the epoch as ISO-8601 UTC; what no calendar holds becomes its nearest end."""
    from datetime import UTC, datetime

    try:
        return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return "9999-12-31T23:59:59Z" if seconds > 0 else "0001-01-01T00:00:00Z"
