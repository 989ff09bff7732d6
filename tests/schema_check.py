"""A checker for the part of JSON Schema that the task schema uses. Refuses to guess: unknown keywords are errors."""

from __future__ import annotations

from collections.abc import Mapping

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
_NOTES = {"title", "description", "default", "$defs", "$schema", "required", "additionalProperties", "examples"}


def accepts(root: Mapping[str, object], value: object, schema: object = None) -> bool:
    """Whether ``value`` is valid."""
    schema = root if schema is None else schema
    assert isinstance(schema, Mapping), schema
    return all(_keyword(root, schema, name, rule, value) for name, rule in schema.items())


def _is(value: object, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (name in ("boolean",) or not isinstance(value, bool) or name == "null")


def _keyword(root, schema, name, rule, value) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    match name:
        case "$ref":
            return accepts(root, value, root["$defs"][rule.rpartition("/")[2]])
        case "type":
            return any(_is(value, one) for one in ([rule] if isinstance(rule, str) else rule))
        case "anyOf" | "oneOf":
            return any(accepts(root, value, one) for one in rule)
        case "enum":
            return value in rule
        case "const":
            return value == rule
        case "minimum":
            return not number or value >= rule
        case "maximum":
            return not number or value <= rule
        case "exclusiveMinimum":
            return not number or value > rule
        case "minLength":
            return not isinstance(value, str) or len(value) >= rule
        case "items":
            return not isinstance(value, list) or all(accepts(root, item, rule) for item in value)
        case "properties":
            return not isinstance(value, dict) or _object(root, schema, value)
        case "additionalProperties" if "properties" not in schema:
            return not isinstance(value, dict) or _object(root, schema, value)
    assert name in _NOTES, f"unknown keyword {name}"
    return True


def _object(root, schema, value) -> bool:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    if any(key not in value for key in schema.get("required", [])):
        return False
    for key, item in value.items():
        if key in properties:
            if not accepts(root, item, properties[key]):
                return False
        elif others is False or (isinstance(others, dict) and not accepts(root, item, others)):
            return False
    return True
