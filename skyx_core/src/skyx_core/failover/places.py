"""Zones or regions that an answer itself names as having capacity."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from skyx_core.errors import CloudError
from skyx_core.failover.leaves import Json, json_in

_MOST_DEPTH, _MOST_VALUES = 12, 200
_BETWEEN = re.compile(r"[,;\s]+(?:and\s+|or\s+)?")


def names_in(text: str) -> tuple[str, ...]:
    """Those of a list in a sentence (``a, b and c``), each once."""
    names = (part.strip(" .'\"()[]") for part in _BETWEEN.split(text))
    return tuple(dict.fromkeys(name for name in names if name))


def listed(error: CloudError, keys: Sequence[str]) -> tuple[str, ...]:
    """What stands under any of the keys, however deep in an answer; 200 places and 12 levels at most."""
    found: dict[str, None] = {}
    for text in _under(error, keys) if keys else ():
        found.update(dict.fromkeys(names_in(text)))
        if len(found) >= _MOST_VALUES:
            break
    return tuple(found)[:_MOST_VALUES]


def _under(error: CloudError, keys: Sequence[str]) -> Iterator[str]:
    for data in (error.data, *(detail.data for detail in error.details)):
        yield from (data[key] for key in keys if key in data)
    for text in (error.message, *(detail.message for detail in error.details), error.body):
        if any(key in text for key in keys):
            yield from _walk(json_in(text), keys, 0)


def _walk(value: Json, keys: Sequence[str], depth: int) -> Iterator[str]:
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, str) and any(key in value for key in keys):
        value = json_in(value)
    if isinstance(value, list):
        for item in value[:_MOST_VALUES]:
            yield from _walk(item, keys, depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item) if key in keys else _walk(item, keys, depth + 1)


def _texts(value: Json) -> Iterator[str]:
    for item in value[:_MOST_VALUES] if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield item[: _MOST_VALUES * 100]
