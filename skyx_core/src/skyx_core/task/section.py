"""What all parts of a task file share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, Strict, WithJsonSchema, model_validator  # noqa: TID253 - models are pydantic

from skyx_core.models.base import Model
from skyx_core.models.offers import Amount
from skyx_core.task import accelerators as _accelerators
from skyx_core.task import infra as _infra
from skyx_core.task import values
from skyx_core.task.aliases import FIELDS
from skyx_core.task.mistakes import BadValue, kind_of

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema

Text = Annotated[str, Strict()]
Flag = Annotated[bool, Strict()]
Count = Annotated[int, Strict(), Field(ge=0, le=10**6)]
Number = Annotated[float, Strict(), Field(ge=0, le=10**12)]
Free = dict[str, object]


def as_tuple(value: object) -> object:
    """A list, or one value that stands for a list of one."""
    if isinstance(value, list | tuple):
        return tuple(value)
    return () if value is None else (value,)


def listed(value: object) -> object:
    """A list."""
    if value is None or isinstance(value, list | tuple):
        return tuple(value or ())
    raise BadValue(f"expected a list, got {kind_of(value)}")


def lowered(value: object) -> object:
    """Text in lower case; anything else unchanged."""
    return value.lower() if isinstance(value, str) else value


class Also:
    """In the JSON Schema, another form that the field may be written in."""

    def __init__(self, *kinds: str) -> None:
        self.kinds = list(kinds)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, object]:
        return {"anyOf": [{"type": self.kinds}, handler(core)]}


_TEXT = {"type": "string"}
_NUMERIC: dict[str, object] = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, _TEXT, {"type": "null"}]}
_PORT: list[object] = [{"type": "integer", "minimum": 1, "maximum": 65535}, _TEXT]
_ACCELERATORS: dict[str, object] = {
    "anyOf": [
        _TEXT,
        {"type": "array"},
        {"type": "object", "additionalProperties": {"type": ["number", "string", "null"]}},
        {"type": "null"},
    ]
}
_SCALARS: dict[str, object] = {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}
_OPTIONAL_TEXT: dict[str, object] = {"anyOf": [_TEXT, {"type": "null"}]}

Cpus = Annotated[Amount | None, BeforeValidator(values.cpus), WithJsonSchema(_NUMERIC)]
Memory = Annotated[Amount | None, BeforeValidator(values.memory), WithJsonSchema(_NUMERIC)]
DiskSize = Annotated[int | None, BeforeValidator(values.disk_size), WithJsonSchema(_NUMERIC)]
Ports = Annotated[
    tuple[str, ...] | None,
    BeforeValidator(values.ports),
    WithJsonSchema({"anyOf": [*_PORT, {"type": "array", "items": {"anyOf": _PORT}}, {"type": "null"}]}),
]
Image = Annotated[
    str | dict[str, str] | None,
    BeforeValidator(values.image_id),
    WithJsonSchema({"anyOf": [_TEXT, {"type": "object", "additionalProperties": _TEXT}, {"type": "null"}]}),
]
Gpus = Annotated[
    _accelerators.Accelerators | None,
    BeforeValidator(_accelerators.accelerators),
    WithJsonSchema(_ACCELERATORS),
]
Infra = Annotated[_infra.Location | None, BeforeValidator(_infra.infra), WithJsonSchema(_OPTIONAL_TEXT)]
Cloud = Annotated[str | None, BeforeValidator(_infra.cloud_name), WithJsonSchema(_OPTIONAL_TEXT)]
Zone = Annotated[str | None, BeforeValidator(_infra.place_name), WithJsonSchema(_OPTIONAL_TEXT)]
Labels = Annotated[
    dict[str, str] | None, BeforeValidator(values.labels), WithJsonSchema({"anyOf": [_SCALARS, {"type": "null"}]})
]
Variables = Annotated[
    dict[str, str | None],
    BeforeValidator(values.variables),
    WithJsonSchema(
        {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}},
    ),
]
Priority = Annotated[
    int | str | None, BeforeValidator(values.priority), WithJsonSchema({"type": ["integer", "string", "null"]})
]
Rates = Annotated[
    float | dict[str, float] | None,
    BeforeValidator(values.rates),
    WithJsonSchema({"type": ["number", "object", "null"], "additionalProperties": {"type": "number"}}),
]
Arguments = Annotated[
    dict[str, str | bool] | None,
    BeforeValidator(values.arguments),
    WithJsonSchema({"anyOf": [_SCALARS, {"type": "null"}]}),
]
DiskTier = Annotated[Literal["low", "medium", "high", "ultra", "best", "none"] | None, BeforeValidator(lowered)]
NetworkTier = Annotated[Literal["standard", "best"] | None, BeforeValidator(lowered)]


@cache
def _never_null(model: type[Model]) -> frozenset[str]:
    """Fields whose default is not None: an empty one means the default."""
    return frozenset(
        name for name, field in model.model_fields.items() if field.default is not None or field.default_factory
    )


class Section(Model):
    """A part of a task file. Each may be present but empty.

    Building is deferred: the whole is built once, on first use, instead of every part by itself too.
    """

    model_config = ConfigDict(defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _fill_empty(cls, data: object) -> object:
        if data is None:
            return {}
        if not isinstance(data, Mapping):
            return data
        # Both spellings at once: the other one stays, and is refused as a field that doesn't belong here.
        renamed = {
            old: new for old, new in FIELDS.items() if old in data and new not in data and new in cls.model_fields
        }
        skip = _never_null(cls)
        return {renamed.get(k, k): v for k, v in data.items() if not (v is None and k in skip)}
