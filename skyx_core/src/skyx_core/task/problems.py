"""From what pydantic found to what a user reads: the place, the words, the nearest name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skyx_core.errors import Problem
from skyx_core.task.aliases import FIELDS
from skyx_core.task.document import MAX_PROBLEMS, Document, Path, dotted
from skyx_core.task.mistakes import BadValue, BadValues, Key, kind_of, nearest, shown

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
    "shape": "text or a mapping",
}
_HIDDEN = frozenset({"envs", "secrets"})


def problems_of(error: ValidationError, document: Document, model: type[BaseModel]) -> list[Problem]:
    """Every mistake, at most a hundred, in the order of the file."""
    found: list[Problem] = []
    for details in error.errors(include_url=False):
        if len(found) >= MAX_PROBLEMS:
            break
        path = _user_path(details["loc"], document.data, missing=details["type"] == "missing")
        found.extend(_problems(details, path, document, model))
    return sorted(set(found), key=lambda problem: (problem.line, problem.column))


def unknown_fields(error: ValidationError, data: object) -> list[Path]:
    """Paths of the fields that nobody knows."""
    return [
        _user_path(details["loc"], data)
        for details in error.errors(include_url=False, include_input=False, include_context=False)
        if details["type"] == "extra_forbidden"
    ]


def _user_path(loc: tuple[Key, ...], data: object, *, missing: bool = False) -> Path:
    """The path in the user's data: without union tags, with the user's spelling of renamed fields."""
    path: list[Key] = []
    old = {new: name for name, new in FIELDS.items()}
    for position, key in enumerate(loc):
        if isinstance(data, dict):
            name = old[str(key)] if key not in data and old.get(str(key)) in data else key
            if name in data or (missing and position == len(loc) - 1):
                path.append(name)
                data = data.get(str(name))
        elif isinstance(data, list | tuple) and isinstance(key, int) and key < len(data):
            path.append(key)
            data = data[key]
    return tuple(path)


def _problems(details: ErrorDetails, path: Path, document: Document, model: type[BaseModel]) -> Iterator[Problem]:
    kind, value = details["type"], details["input"]
    if kind == "extra_forbidden":
        yield _unknown(path, document, model)
        return
    cause = details.get("ctx", {}).get("error")
    mistakes = cause.mistakes if isinstance(cause, BadValues) else [cause] if isinstance(cause, BadValue) else []
    for mistake in mistakes:
        whole = (*path, *mistake.at)
        mark = document.mark(whole, key=mistake.on_key)
        yield Problem(dotted(whole), mistake.message, *mark, mistake.suggestion)
    if mistakes:
        return
    if kind == "missing":
        yield Problem(dotted(path), "this field is required", *document.mark(path[:-1], key=True))
        return
    message, suggestion = _message(kind, value, details, secret=bool(path) and path[0] in _HIDDEN)
    yield Problem(dotted(path), message, *document.mark(path), suggestion)


def _message(kind: str, value: object, details: ErrorDetails, *, secret: bool) -> tuple[str, str]:
    context = details.get("ctx", {})
    got = kind_of(value) if secret or kind in _WANTED else shown(value)
    if kind == "literal_error":
        accepted = str(context.get("expected", ""))
        names = [name.strip(" '") for name in accepted.replace(" or ", ", ").split(",")]
        near = nearest(value, names) if isinstance(value, str) else ""
        return f"must be one of {', '.join(names)}; got {got}", near
    if kind in _WANTED:
        text = f"expected {_WANTED[kind]}, got {got}"
        return (f"{text} {shown(value)}" if isinstance(value, float | str) and not secret else text), ""
    limits = {
        "greater_than_equal": "at least",
        "greater_than": "above",
        "less_than_equal": "at most",
        "less_than": "below",
    }
    if kind in limits:
        limit = next(iter(context.values()))
        return f"must be {limits[kind]} {limit:g}, got {got}", ""
    message = details["msg"]
    return f"{message[:1].lower()}{message[1:]}, got {got}", ""


def _unknown(path: Path, document: Document, model: type[BaseModel]) -> Problem:
    key = str(path[-1]) if path else ""
    names = _names_at(path[:-1], model)
    mark = document.mark(path, key=True)
    if key in names and key in FIELDS:  # known, and still refused: its other spelling is there too
        return Problem(dotted(path), f"means the same as {FIELDS[key]}; give one of them", *mark)
    suggestion = nearest(key, names)
    message = "unknown field"
    home = "" if suggestion else _elsewhere(key, model)
    if home:
        message, suggestion = f"unknown field here; it belongs under {home}", f"{home}.{key}"
    elif not suggestion and names:
        message = f"unknown field; known here: {', '.join(sorted(names))}"
    return Problem(dotted(path), message, *mark, suggestion)


def _elsewhere(key: str, model: type[BaseModel]) -> str:
    for name, field in model.model_fields.items():
        inner = _model_in(field.annotation)
        if inner is not None and key in inner.model_fields:
            return name
    return ""


def _names_at(path: Path, model: type[BaseModel]) -> set[str]:
    """The valid names in the section at ``path``."""
    here: type[BaseModel] | None = model
    for key in path:
        field = here.model_fields.get(FIELDS.get(str(key), str(key))) if here and isinstance(key, str) else None
        here = _model_in(field.annotation) if field is not None else here
    if here is None:
        return set()
    names = set(here.model_fields)
    return names | {old for old, new in FIELDS.items() if new in names}


def _model_in(annotation: object) -> type[BaseModel] | None:
    """The section that an annotation holds, however deep."""
    from typing import get_args

    from skyx_core.task.section import Section

    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    return next((found for found in map(_model_in, get_args(annotation)) if found is not None), None)
