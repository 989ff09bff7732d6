"""Short forms that scenarios may use, and what the forms of their fields are called in errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_PERCENT = re.compile(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*%\s*")
_NAMES = "a list of names such as [a, b]"
_FORMS = {
    "clouds": "a list of mappings such as {name: sim, regions: 1, types: [...]}",
    "regions": "a number of regions, or a list of their names",
    "zones": "a number of zones, at least 1, or a list of their names",
    "types": "a list of mappings such as {name: small, cpus: 2, memory: 4, price: 0.1}",
    "capacity": "a list of mappings such as {zone: a, nodes: 0}",
    "steps": "a list of mappings such as {at: 20m, nodes: 2}",
    "quota": "a list of mappings such as {bucket: P, nodes: 0}",
    "errors": "a list of mappings such as {region: r1, error: {code: ..., message: ...}}",
    "error": "a text, or a mapping such as {code: ..., message: ...}",
    "own_rules": "a list of rules",
    "rate_limit": "a mapping such as {calls: 3, per: 60s}",
    "credentials": "a mapping such as {expire: 1h, renew: 2h}",
    "preemption": "a time, or a mapping such as {mean: 4h}",
    "latency": "a time, or a mapping such as {mean: 2m, spread: 30s}",
    "scarcity": "0 to 1, such as 0.9, or a text such as 90%",
    "expect": "a mapping such as {status: UP}",
    "status": "UP, GAVE_UP, ABORTED or LIMIT",
    "attempts": _NAMES,
}
_ITEMS = {
    "regions": "a name, or a mapping such as {name: east, zones: [a, b]}",
    "own_rules": "a rule, which is a mapping",
}
_NAMED = frozenset({"name", "type", "region", "zone", "bucket", "rules", "regions", "zones", "attempts"})
_CLOUD = 3  # keys of a cloud's own fields: clouds, its number, the field
_KINDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "string": "a text",
    "tuple": "a list",
    "list": "a list",
    "dict": "a mapping",
    "model": "a mapping",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}
_MOST_S = 366 * 86400


def mean_of(value: object) -> object:
    """A time alone is a mean."""
    return {"mean": value} if isinstance(value, str | int | float) else value


def share(value: object) -> object:
    """``90%`` is 0.9."""
    found = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    return float(found[1]) / 100 if found else value


def expected(error: ErrorDetails) -> str:
    """What should stand there, in words of scenarios; "" where the error says it itself."""
    kind, keys = error["type"], error["loc"]
    field = next((key for key in reversed(keys) if isinstance(key, str)), "")
    context: Mapping[str, object] = error.get("ctx") or {}
    family = kind.split("_", maxsplit=1)[0]
    if field == "scarcity" and kind != "value_error":
        return f"expected {_FORMS['scarcity']}"
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        limit = context.get(key)
        return "a year is the most" if limit == _MOST_S else f"must be {words} {_said(limit)}"
    if kind == "string_pattern_mismatch":
        return "expected a name of letters, digits, '.', '_' and '-'"
    if kind == "string_too_long":
        return f"the text is too long: at most {context.get('max_length')} characters"
    if keys and (kind == "literal_error" or family in _KINDS):
        return f"expected {_form(family, field, keys)}"
    return ""


def _form(family: str, field: str, keys: tuple[int | str, ...]) -> str:
    form = _FORMS.get(field, "")
    if family == "string" and field != "error":
        return "a name" if field in _NAMED else "a text"
    if isinstance(keys[-1], int):  # an item of a list
        return _ITEMS.get(field) or form.replace("a list of mappings", "a mapping") or _KINDS[family]
    if family in ("tuple", "list"):
        return _NAMES if not form or (field == "regions" and "types" in keys) else form
    return form if form and (family != "int" or len(keys) > _CLOUD) else _KINDS.get(family, "another value")


def _said(limit: object) -> str:
    """A bound, without a fraction of nothing."""
    return f"{int(limit):,}" if isinstance(limit, float) and limit.is_integer() else f"{limit:,}"
