"""``rules.yaml``: the user's own error rules, which go before all others.

rules:
  - id: my.sold-out
    cloud: aws              # a name or a list of them; without it: every cloud
    code: InsufficientInstanceCapacity
    category: capacity
    block: instance_type_in_region
    ttl: 30m                # or seconds, or until_fixed
    hint: ask for another region
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skyx_core.errors import SettingsError
from skyx_core.models import Category, ErrorRule, Retry, RuleTable, Scope
from skyx_core.results import Json
from skyx_core.settings.sources import nearest
from skyx_core.settings.yaml_file import Key, SettingsFile, read

_PATTERNS = ("code", "message", "operation", "kind", "region", "instance_type")
_FIELDS = frozenset(ErrorRule.model_fields) | {"cloud"}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "category": tuple(each.value for each in Category),
    "block": tuple(each.value for each in Scope),
    "block_after": tuple(each.value for each in Scope),
}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd]?)")
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True)
class UserRules:
    """Each rule with the clouds that it is for (None = every cloud), in the file's order."""

    rules: tuple[tuple[tuple[str, ...] | None, ErrorRule], ...] = ()

    def table(self, cloud: str) -> RuleTable:
        rules = tuple(rule for clouds, rule in self.rules if clouds is None or cloud in clouds)
        return RuleTable(rules=rules, code_in_text=True)


def read_rules(path: Path) -> UserRules:
    """No file: no rules. ``SettingsError`` names every mistake with its line and column."""
    file = read(path)
    if file is None:
        return UserRules()
    found = tuple(_rules(file)) if not file.problems else ()
    if file.problems:
        lines = "\n".join(problem.render(str(path)) for problem in file.in_order())
        raise SettingsError(
            f"the file of error rules has {len(file.problems)} mistake{'s' if len(file.problems) != 1 else ''}",
            where=str(path),
            why=lines,
            hint="mend the lines named above, or move the file away",
        )
    return UserRules(found)


def _rules(file: SettingsFile) -> Iterator[tuple[tuple[str, ...] | None, ErrorRule]]:
    for name in file.values:
        if name != "rules":
            file.problem((name,), "is unknown here", nearest(name, ("rules",)))
    rows = file.values.get("rules")
    if not isinstance(rows, list):
        if rows is not None:
            file.problem(("rules",), "must be a list of rules")
        return
    for number, row in enumerate(rows):
        key = ("rules", str(number))
        if isinstance(row, dict):
            yield from _rule(file, key, row)
        else:
            file.problem(key, f"rule {number + 1} must be a mapping")


def _rule(file: SettingsFile, key: Key, row: dict[str, Json]) -> Iterator[tuple[tuple[str, ...] | None, ErrorRule]]:
    before = len(file.problems)
    for name in row:
        if name not in _FIELDS:
            file.problem((*key, name), "is unknown here", nearest(name, _FIELDS))
    for name in _PATTERNS:
        _check_pattern(file, (*key, name), row.get(name))
    for name, choices in _CHOICES.items():
        value = row.get(name)
        if value is not None and value not in choices:
            near = nearest(str(value), choices)
            file.problem((*key, name), f"must be one of {', '.join(choices)}", near)
    if not isinstance(row.get("id"), str | None):
        file.problem((*key, "id"), "must be a text")
    _check_meaning(file, key, row)
    clouds = _clouds(file, (*key, "cloud"), row.get("cloud"))
    fields = {name: value for name, value in row.items() if name in _FIELDS and name != "cloud"}
    fields["id"] = str(row.get("id") or f"user.{int(key[-1]) + 1}")
    fields["ttl"] = _duration(file, (*key, "ttl"), row.get("ttl"))
    retry = row.get("retry")
    if isinstance(retry, dict) and "wait" in retry:
        fields["retry"] = {**retry, "wait": _duration(file, (*key, "retry", "wait"), retry["wait"])}
    if len(file.problems) == before:
        yield from _built(file, key, clouds, fields)


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
    except (re.error, RecursionError, OverflowError) as error:
        at = f" at character {error.pos + 1}" if isinstance(error, re.error) and error.pos is not None else ""
        what = error.msg if isinstance(error, re.error) else "too deeply nested"
        file.problem(key, f"is a bad regular expression: {what}{at} of {value!r}")


def _check_meaning(file: SettingsFile, key: Key, row: Mapping[str, Json]) -> None:
    place = (*key, "id") if "id" in row else key
    if not any(row.get(name) for name in ("code", "message", "status", "kind")):
        file.problem(place, "a rule needs a code, a message, a status or a kind to match")
    if row.get("category") is None:
        file.problem(place, "a rule needs a category")
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
