"""What one rule of the user's file may say. Each mistake is added to the file's problems."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from skyx_core.models import Category, ErrorRule, Retry, Scope
from skyx_core.results import Json
from skyx_core.settings.slow_patterns import HINT, can_take_forever
from skyx_core.settings.sources import nearest
from skyx_core.settings.yaml_file import Key, SettingsFile

FIELDS = frozenset(ErrorRule.model_fields) | {"cloud"}
_PATTERNS = ("code", "message", "operation", "kind", "region", "instance_type")
_SCOPES = tuple(each.value for each in Scope)
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "category": tuple(each.value for each in Category),
    "block": _SCOPES,
    "block_after": _SCOPES,
}
_IF_KNOWN = ("use_spot", "zone", "accelerators", "code_in_text", "block_after", "status")  # null: as if left out
_YES_OR_NO = (*_IF_KNOWN[:4], "abort", "any_accelerator", "account_wide", "nodes_may_exist")
_RESERVED = ("core.", "default.")
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([smhd]?)")
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def rule_of(file: SettingsFile, key: Key, row: dict[str, Json]) -> Iterator[tuple[tuple[str, ...] | None, ErrorRule]]:
    """The rule with its clouds; none if it has a mistake."""
    before = len(file.problems)
    for name in row:
        if name not in FIELDS:
            file.problem((*key, name), "is unknown here", nearest(name, FIELDS))
    for name in _PATTERNS:
        _check_pattern(file, (*key, name), row.get(name))
    _check_values(file, key, row)
    _check_meaning(file, key, row)
    clouds = _clouds(file, (*key, "cloud"), row.get("cloud"))
    fields = {name: value for name, value in row.items() if name in FIELDS and name != "cloud"}
    fields["id"] = id_of(key, row)
    fields["ttl"] = _duration(file, (*key, "ttl"), row.get("ttl"))
    retry = row.get("retry")
    if isinstance(retry, dict) and "wait" in retry:
        fields["retry"] = {**retry, "wait": _duration(file, (*key, "retry", "wait"), retry["wait"])}
    if len(file.problems) == before:
        yield from _built(file, key, clouds, fields)


def id_of(key: Key, row: Mapping[str, Json]) -> str:
    """The name of a rule; one without gets its number."""
    return str(row.get("id") or f"user.{int(key[-1]) + 1}")


def _built(
    file: SettingsFile, key: Key, clouds: tuple[str, ...] | None, fields: dict[str, Json]
) -> Iterator[tuple[tuple[str, ...] | None, ErrorRule]]:
    from pydantic import ValidationError

    try:
        yield clouds, ErrorRule.model_validate(fields)
    except ValidationError as error:
        for each in error.errors(include_url=False, include_input=False):
            path = tuple(map(str, each["loc"]))
            file.problem(_known(file, (*key, *path)), *_said(each["type"], each["msg"], path))


def _said(kind: str, message: str, path: Key) -> tuple[str, str]:
    """In the words of the other mistakes, with the nearest name."""
    if kind == "missing":
        return f"needs {path[-1]}", ""
    if kind == "extra_forbidden":
        return "is unknown here", nearest(path[-1], Retry.model_fields)
    text = message.partition(", ")[0]
    return text[:1].lower() + text[1:].replace("dictionary or instance of Retry", "mapping of max and wait"), ""


def _known(file: SettingsFile, key: Key) -> Key:
    """The nearest key above that has a place in the file."""
    while key and key not in file.positions:
        key = key[:-1]
    return key


def _check_pattern(file: SettingsFile, key: Key, value: Json) -> None:
    if value is None:
        return
    if not isinstance(value, str) or not value:
        file.problem(key, "must be a regular expression")
        return
    try:
        re.compile(value)
        if can_take_forever(value):
            file.problem(key, f"can take forever to search: {value!r} repeats a repeat without a limit; {HINT}")
    except (re.error, RecursionError, OverflowError) as error:
        at = f" at character {error.pos + 1}" if isinstance(error, re.error) and error.pos is not None else ""
        what = error.msg if isinstance(error, re.error) else "too deeply nested"
        file.problem(key, f"is a bad regular expression: {what}{at} of {value!r}")


def _check_values(file: SettingsFile, key: Key, row: Mapping[str, Json]) -> None:
    """Values that are one of a few, true or false, or whole numbers; texts that only look like it are mistakes."""
    given = {name: value for name, value in row.items() if value is not None or name not in _IF_KNOWN}
    for name, choices in _CHOICES.items():
        if name in given and given[name] not in choices:
            near = nearest(str(given[name]), choices)
            file.problem((*key, name), f"must be one of {', '.join(choices)}", near)
    for name in _YES_OR_NO:
        if name in given and not isinstance(given[name], bool):
            file.problem((*key, name), "must be true or false, without quotes")
    if "status" in given and not _whole(given["status"]):
        file.problem((*key, "status"), "must be a whole number, such as 503")
    retry = row.get("retry")
    if isinstance(retry, dict) and "max" in retry and not _whole(retry["max"]):
        file.problem((*key, "retry", "max"), "must be a whole number, such as 3")
    if not isinstance(row.get("id"), str | None):
        file.problem((*key, "id"), "must be a text")
    elif id_of(key, row).startswith(_RESERVED):
        file.problem((*key, "id"), f"mustn't begin with {' or '.join(_RESERVED)}: these are rules of skyx itself")


def _whole(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_meaning(file: SettingsFile, key: Key, row: Mapping[str, Json]) -> None:
    place = (*key, "id") if "id" in row else key
    if not any(row.get(name) not in (None, "") for name in ("code", "message", "status", "kind")):
        file.problem(place, "a rule needs a code, a message, a status or a kind to match")
    if "category" not in row:
        file.problem(place, "a rule needs a category")
    if row.get("block_after") is not None and not row.get("retry"):
        file.problem((*key, "block_after"), "needs retry: {max: 3, wait: 10s}; what is blocked at once is block")
    place = (*key, "abort") if "abort" in row else place
    if row.get("abort") is True and (row.get("retry") or row.get("block") not in (None, "none")):
        file.problem(place, "abort ends the launch, so it can't be combined with block or retry")


def _clouds(file: SettingsFile, key: Key, value: Json) -> tuple[str, ...] | None:
    if value is None or value == "*":
        return None
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(name, str) and name for name in names):
        file.problem(key, "must be the name of a cloud, or a list of names")
        return ()
    return tuple(str(name) for name in names)


def _duration(file: SettingsFile, key: Key, value: Json) -> Json:
    """Seconds from ``300``, ``"30m"`` or ``"2h"``."""
    if value is None or (value == "until_fixed" and key[-1] == "ttl"):
        return value
    limit = 30 * 86400.0 if key[-1] == "ttl" else 3600.0
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= limit:
        return float(value)
    found = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if found and float(found[1]) * _UNITS[found[2]] <= limit:
        return float(found[1]) * _UNITS[found[2]]
    wanted = "seconds or a text such as 30s, 10m or 2h" + (", or until_fixed" if key[-1] == "ttl" else "")
    most = "30 days" if key[-1] == "ttl" else "an hour"
    file.problem(key, f"must be {wanted}, {most} at most")
    return None
