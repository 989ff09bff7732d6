"""JSON Schema of the file format, from the models that read it."""

from __future__ import annotations

from collections.abc import Iterator

from skyx_core.task.aliases import FIELDS


def json_schema() -> dict[str, object]:
    """Draft 2020-12. Accepts whatever ``load`` accepts; some values that load refuses pass it."""
    from skyx_core.task.task import Task

    schema: dict[str, object] = Task.model_json_schema(mode="validation")
    for section in _sections(schema):
        _loosen(section)
    _any_case(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "skyx task"}


def _sections(schema: dict[str, object]) -> Iterator[dict[str, object]]:
    yield schema
    definitions = schema.get("$defs")
    if isinstance(definitions, dict):
        yield from definitions.values()


def _loosen(section: dict[str, object]) -> None:
    """Every field may be empty, and may have its other name."""
    properties = section.get("properties")
    if not isinstance(properties, dict):
        return
    required = section.get("required", [])
    for name, inner in list(properties.items()):
        inner.pop("default", None)
        if isinstance(required, list) and name not in required:
            properties[name] = {"anyOf": [inner, {"type": "null"}]}
    for old, new in FIELDS.items():
        if new in properties:
            properties[old] = properties[new]


def _any_case(schema: object) -> None:
    """Words may be written in small or capital letters."""
    if isinstance(schema, dict):
        words = schema.get("enum")
        if isinstance(words, list):
            forms = [form for word in words for form in (word, word.lower(), word.upper(), word.capitalize())]
            schema["enum"] = list(dict.fromkeys(forms))
        for inner in schema.values():
            _any_case(inner)
    elif isinstance(schema, list):
        for inner in schema:
            _any_case(inner)
