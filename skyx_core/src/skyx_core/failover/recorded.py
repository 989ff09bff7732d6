"""Recorded errors: one JSON object a line in, what it would do out. For users, and for authors of rules."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skyx_core.errors import CloudError, CloudErrorDetail, storable
from skyx_core.failover.blocking import word
from skyx_core.failover.leaves import Json, json_in
from skyx_core.models import BlockKey, Candidate, Place, Scope, Verdict

_MOST_DIGITS = sys.int_info.default_max_str_digits
_OWN = ("code", "message", "http_status", "status", "stdout", "stderr", "body")


class BadRecord(ValueError):
    """Says what is wrong with a line."""


@dataclass(frozen=True)
class Recorded:
    """One line: an error, and where it was met."""

    id: Json
    cloud: str
    place: Place
    candidate: Candidate
    error: CloudError


def parse(text: str) -> Recorded:
    """A line ``{id, cloud, api, error, context}``; only ``cloud`` and ``error`` must be there. ``BadRecord``."""
    line = _object(text)
    cloud, context = line.get("cloud"), line.get("context") or {}
    if not isinstance(cloud, str) or not cloud:
        raise BadRecord("'cloud' is missing")
    if not isinstance(context, dict):
        raise BadRecord("'context' is not an object")
    if "error" not in line:
        raise BadRecord("'error' is missing")
    error = recorded_error(cloud, str(line.get("api") or ""), line["error"])
    region = _text(context, "region") or "unknown"
    zone = _text(context, "zone") or None
    place = Place(cloud=storable(cloud), region=region, zones=(zone,) if zone else ())
    return Recorded(_id(line.get("id", "")), cloud, place, _candidate(place, zone, context), error)


def _object(text: str) -> dict[str, Json]:
    try:
        line = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as bad:
        raise BadRecord(f"not JSON: {bad}") from None
    except ValueError:
        raise BadRecord(f"not JSON that can be read: a number has more than {_MOST_DIGITS:,} digits") from None
    except RecursionError:
        raise BadRecord("not JSON that can be read: nested too deep") from None
    if not isinstance(line, dict):
        raise BadRecord("not a JSON object")
    return line


def _id(value: Json) -> Json:
    """As it is written; what isn't valid Unicode becomes an escape."""
    if isinstance(value, dict | list):
        raise BadRecord("'id' is no text and no number")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadRecord("'id' is no number that JSON knows")
    return storable(value) if isinstance(value, str) else value


def _candidate(place: Place, zone: str | None, context: Mapping[str, Json]) -> Candidate:
    return Candidate(
        cloud=place.cloud,
        region=place.region,
        zone=zone,
        instance_type=_text(context, "instance_type") or "unknown",
        cpus=0,
        memory_gb=0,
        accelerators=_accelerators(context.get("accelerators")),
        use_spot=context.get("use_spot") is True,
        hourly_usd=0,
    )


def _accelerators(value: Json) -> dict[str, float]:
    """``{"A100": 8}``, ``"A100:8"`` or nothing."""
    if isinstance(value, str) and value:
        name, _, count = value.partition(":")
        value = {name: count or 1}
    if not isinstance(value, dict):
        return {}
    try:
        found = {storable(name): float(count) for name, count in value.items() if isinstance(count, int | float | str)}
    except (ValueError, OverflowError):
        found = {"": math.nan}
    if not all(map(math.isfinite, found.values())):
        raise BadRecord("'context.accelerators' must be {name: number}")
    return found


def _text(context: Mapping[str, Json], key: str) -> str:
    value = context.get(key)
    return storable(value) if isinstance(value, str) else ""


def recorded_error(cloud: str, api: str, value: Json) -> CloudError:
    """The ``error`` of a line, met in the call ``api``: an object, a text that a tool printed, or a list of these.
    ``BadRecord``.
    """
    if not isinstance(value, list):
        return _one(cloud, api, value)
    if not value:
        raise BadRecord("'error' is empty")
    return _several([_one(cloud, api, item, "an error of the list") for item in value])


def _one(cloud: str, api: str, value: Json, what: str = "'error'") -> CloudError:
    if value is None or isinstance(value, bool | int | float | list):
        found = "a list" if isinstance(value, list) else json.dumps(value)[:40]
        raise BadRecord(f"{what} is {found}: it must be an object, a text, or a list of these")
    if not value:
        raise BadRecord(f"{what} is empty")
    if isinstance(value, str):
        return CloudError(cloud, api, message=value, body=value)
    status = value.get("http_status", value.get("status"))
    printed = "\n".join(str(value[key]) for key in ("stdout", "stderr") if value.get(key))
    message = str(value.get("message") or "")
    return CloudError(
        cloud,
        api,
        code=str(value.get("code") or ""),
        message=message or printed,
        status=status if isinstance(status, int) else 0,
        details=(CloudErrorDetail(message=printed),) if message and printed else (),
        data={key: str(item) for key, item in value.items() if key not in _OWN and isinstance(item, str | int)},
        body=_body(value),
    )


def _several(errors: Sequence[CloudError]) -> CloudError:
    """The first, with the others as its details."""
    first, *others = errors
    details = [*first.details]
    for one in others:
        details += [CloudErrorDetail(one.code, one.message, one.status, one.data), *one.details]
    bodies = [one.body for one in errors if one.body and one.body != one.message]
    inner = [{"message": body} if (found := json_in(body)) is None else found for body in bodies]
    body = bodies[0] if len(bodies) == 1 else json.dumps(inner) if inner else ""
    return CloudError(
        first.cloud,
        first.operation,
        code=first.code,
        message=first.message,
        status=first.status,
        details=tuple(details),
        data=first.data,
        body=body,
    )


def _body(value: Mapping[str, Json]) -> str:
    """The raw answer: what ``body`` holds, and what else is nested in the error."""
    nested = {key: item for key, item in value.items() if isinstance(item, dict | list)}
    raw = value.get("body")
    if not isinstance(raw, str) or not raw:
        return json.dumps(nested) if nested else ""
    inner = json_in(raw)
    return json.dumps({**nested, "body": {"message": raw} if inner is None else inner}) if nested else raw


def answer(recorded: Recorded, verdict: Verdict) -> dict[str, Json]:
    """What the verdict would do. ``pattern``: what would be blocked, None = nothing."""
    blocks = verdict.blocks
    row: dict[str, Json] = {
        "id": recorded.id,
        "category": verdict.category.value,
        "block": verdict.block.value,
        "pattern": pattern(blocks[0].key) if blocks and verdict.block is not Scope.NONE else None,
        "retry_same": verdict.retry is not None,
        "abort": verdict.abort,
        "ttl": word(verdict.ttl),
        "rule": verdict.rule,
        "hint": verdict.hint,
    }
    if verdict.blocks_after:
        row["pattern_after_retries"] = pattern(verdict.blocks_after[0].key)
    if verdict.prefer:
        row["prefer"] = list(verdict.prefer)
    return row


def pattern(key: BlockKey) -> dict[str, Json]:
    """A block's key as JSON: only what it fixes."""
    fields: dict[str, Json] = {name: value for name, value in key if value not in (None, "", ())}
    if key.accelerators:
        fields["accelerators"] = dict(key.accelerators)
    return fields
