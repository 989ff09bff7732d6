"""From plain data to a scenario, or to every mistake in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from difflib import get_close_matches
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError  # noqa: TID253 - reached only with a scenario at hand

from skyx_core.api import Problem, Task
from skyx_sim.forms import expected
from skyx_sim.scenario import Scenario

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from skyx_sim.tree import Path as Keys
    from skyx_sim.tree import Tree

_LOOKS = 3  # mistakes in fields, then in clouds, then in the whole
_TYPE = {"name": "type", "cpus": 1, "memory": 1, "price": 1}


def checked(data: Mapping[str, object], task: Task, tree: Tree) -> Scenario | list[Problem]:
    """What concerns several fields is looked at even if some of them are wrong, without these."""
    try:
        return Scenario.model_validate({**data, "task": task})
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
    found = [_problem(each, tree) for each in errors if not _follows(each, errors)]
    rest = deepcopy({key: value for key, value in data.items() if key != "task"})
    for _ in range(_LOOKS):
        if not _leave_out(rest, errors):
            break
        try:
            Scenario.model_validate({**rest, "task": task})
            break
        except ValidationError as error:
            errors = error.errors(include_url=False, include_input=False)
            found += [_problem(each, tree) for each in errors if each["type"] == "value_error" and _whole(each["loc"])]
    return list(dict.fromkeys(found))


def _whole(keys: Keys) -> bool:
    """Whether it is about the scenario, or a cloud, as a whole."""
    return not keys or (keys[0] == "clouds" and len(keys) == 2)


def _leave_out(data: dict[str, object], errors: list[ErrorDetails]) -> bool:
    """Take out what is wrong, so that the rest can be looked at; False if too little would be left."""
    clouds = data.get("clouds")
    if not isinstance(clouds, list) or not clouds:
        return False
    for each in errors:
        first, *others = each["loc"] or ("",)
        if first != "clouds" or not others:
            data.pop(str(first), None)
        elif len(others) == 1:
            name = clouds[int(others[0])].get("name") if isinstance(clouds[int(others[0])], dict) else None
            clouds[int(others[0])] = {"name": name}
        else:
            _drop(clouds[int(others[0])], *others[1:3])
        if first == "limit":
            data["limit"] = 1
    data["clouds"] = [_with_stubs(number, cloud) for number, cloud in enumerate(clouds)]
    return True


def _with_stubs(number: int, cloud: Mapping[str, object]) -> dict[str, object]:
    """In the place of what every cloud must have."""
    rows = {
        field: [item for item in value if item is not None] if isinstance(value, list) else value
        for field, value in cloud.items()
    }
    stubs = {"name": f"cloud-{number}", "regions": 1, "types": [_TYPE]}
    return {**rows, **{field: stub for field, stub in stubs.items() if not rows.get(field)}}


def _drop(cloud: dict[str, object], field: int | str, item: int | str | None = None) -> None:
    """The item that is wrong, or else the whole field."""
    value = cloud.get(str(field))
    if isinstance(item, int) and isinstance(value, list) and item < len(value):
        value[item] = None
    else:
        cloud.pop(str(field), None)


def _follows(error: ErrorDetails, errors: list[ErrorDetails]) -> bool:
    """Whether something is missing only because what should have been in it is wrong."""
    at = error["loc"]
    return error["type"] == "too_short" and any(
        len(other["loc"]) > len(at) and other["loc"][: len(at)] == at for other in errors
    )


def _problem(error: ErrorDetails, tree: Tree) -> Problem:
    keys: Keys = tuple(part for part in error["loc"] if part != "[key]")
    if "error" in keys:  # it may be a text, or a mapping
        keys = keys[: keys.index("error") + 1]
    message, near = error["msg"].removeprefix("Value error, "), ""
    if error["type"] == "extra_forbidden":
        near = next(iter(get_close_matches(str(keys[-1]), _fields(keys[:-1]), 1)), "")
        message = "unknown field"
    elif error["type"] == "missing":
        message = "this field is missing"
    elif error["type"] == "too_short":
        message = "at least one is needed"
    else:
        message = expected({**error, "loc": keys}) or message
    return Problem(dotted(keys), message, *tree.mark(keys), near)


def _fields(keys: Keys) -> list[str]:
    """Names of the fields of the model at a place in the file."""
    model: type[BaseModel] = Scenario
    for key in keys:
        if isinstance(key, str):
            model = _below(model, key) or model
    return list(model.model_fields)


def _below(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    info = model.model_fields.get(name)
    return next(_models(info.annotation), None) if info is not None else None


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """Every model that an annotation mentions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _models(part)


def dotted(keys: Keys) -> str:
    """The path of a value as people write it."""
    return ".".join(str(key) for key in keys)
