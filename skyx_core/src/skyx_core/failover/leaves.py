"""The errors within one answer of a cloud: in lists, nested, as JSON inside a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import cast

from skyx_core.errors import CloudError, CloudErrorDetail, storable
from skyx_core.models import RuleTable

_CODES = ("code", "Code", "errorCode", "ErrorCode", "error_code", "reason", "error", "Error", "status")
_MESSAGES = ("message", "Message", "msg", "errorMessage", "ErrorMessage", "error_message", "detail", "description")
_MOST_LEAVES, _MOST_DEPTH, _MOST_TEXT = 200, 12, 1_000_000
_MOST_FACTS = 100  # looked at for one error
_OBJECT = re.compile(r"[{\[]")
_DECODER = json.JSONDecoder()

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


class Unwrapper:
    """Takes answers apart, as a table of rules says. Never raises; looks at 200 errors and 12 levels at most."""

    def __init__(self, table: RuleTable) -> None:
        self._codes = (*table.code_keys, *_CODES)
        self._messages = (*table.message_keys, *_MESSAGES)
        self._summaries = re.compile("|".join(f"(?:{text})" for text in table.summaries) or r"(?!)", re.IGNORECASE)

    def leaves(self, error: CloudError) -> Sequence[CloudErrorDetail]:
        """Every error of the answer, each once, those that only announce others left out unless they are alone."""
        first = CloudErrorDetail(error.code, error.message, error.status, error.data)
        if not error.details and not error.body and "{" not in error.message:
            return (first,)
        found: dict[tuple[str, str], CloudErrorDetail] = {}
        for leaf in self._all(first, error):
            code, message = storable(leaf.code), storable(leaf.message)
            found.setdefault(
                (code, message),
                leaf if (code, message) == (leaf.code, leaf.message) else replace(leaf, code=code, message=message),
            )
            if len(found) >= _MOST_LEAVES:
                break
        telling = [leaf for leaf in found.values() if not self._summaries.fullmatch(leaf.code)]
        return telling or tuple(found.values())

    def _all(self, first: CloudErrorDetail, error: CloudError) -> Iterator[CloudErrorDetail]:
        yield first
        yield from self._in_text(error.message, 0)
        for detail in error.details:
            yield detail
            yield from self._in_text(detail.message, 0)
        if error.body:
            yield from self._in_body(error.body)

    def _in_body(self, body: str) -> Iterator[CloudErrorDetail]:
        found = list(self._in_text(body, 0))
        yield from found or [CloudErrorDetail(message=body[:_MOST_TEXT])]

    def _in_text(self, text: str, depth: int) -> Iterator[CloudErrorDetail]:
        """The errors of the first JSON value in a text."""
        if depth <= _MOST_DEPTH:
            yield from self._walk(json_in(text), depth + 1, {})

    def _walk(self, value: Json, depth: int, above: Mapping[str, str]) -> Iterator[CloudErrorDetail]:
        if depth > _MOST_DEPTH:
            return
        if isinstance(value, list):
            for item in value[:_MOST_LEAVES]:
                yield from self._walk(item, depth + 1, above)
        elif isinstance(value, dict):
            yield from self._object(value, depth, above)
        elif isinstance(value, str):
            yield from self._in_text(value, depth)

    def _object(self, value: dict[str, Json], depth: int, above: Mapping[str, str]) -> Iterator[CloudErrorDetail]:
        code, message = _first_text(value, self._codes), _first_text(value, self._messages)
        data = {**above, **_scalars(value)}
        if code or message:
            status = value.get("http_status", value.get("status", 0))
            known = status if isinstance(status, int) and not isinstance(status, bool) else 0
            yield CloudErrorDetail(code, message, known, {**data, **_below(value)})
        for inner in value.values():
            if isinstance(inner, dict | list | str):
                yield from self._walk(inner, depth + 1, data)


def json_in(text: str) -> Json:
    """The first list or object in a text, None if there is none (or the text is longer than a megabyte)."""
    start = _OBJECT.search(text)
    if start is None or len(text) > _MOST_TEXT:
        return None
    try:
        return cast("Json", _DECODER.raw_decode(text, start.start())[0])
    except (ValueError, RecursionError):
        return None


def _first_text(value: Mapping[str, Json], keys: Sequence[str]) -> str:
    for key in keys:
        found = value.get(key)
        if isinstance(found, str) and found:
            return found
    return ""


def _scalars(value: Mapping[str, Json]) -> dict[str, str]:
    told = ((key, str(item)[:1000]) for key, item in value.items() if isinstance(item, str | int | float | bool))
    return dict(islice(told, _MOST_FACTS))


def _below(value: Mapping[str, Json]) -> dict[str, str]:
    """What the objects inside an error say of it (the type and zone that it is about)."""
    found: dict[str, str] = {}
    queue: list[tuple[Json, int]] = [(item, 1) for item in value.values() if isinstance(item, dict)]
    del queue[_MOST_FACTS:]
    for _ in range(_MOST_FACTS):
        if not queue or len(found) > _MOST_FACTS:
            break
        item, depth = queue.pop()
        if isinstance(item, dict) and depth <= 3:
            found = {**_scalars(item), **found}
            queue += [(inner, depth + 1) for inner in islice(item.values(), _MOST_FACTS) if isinstance(inner, dict)]
    return found
