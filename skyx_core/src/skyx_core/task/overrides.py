"""Flags of the command line that change a task. Read by the same code as the file."""

import math
from collections.abc import Mapping
from typing import Annotated, Self, TypeVar, cast

from pydantic import BeforeValidator, ValidationError, ValidationInfo, field_validator  # noqa: TID253 - models are pydantic

from skyx_core.errors import Problem, TaskFileError
from skyx_core.task.expand import PLACE
from skyx_core.task.resources import ResourceEntry, Resources
from skyx_core.task.section import (
    Cloud,
    Cpus,
    DiskSize,
    DiskTier,
    Flag,
    Gpus,
    Image,
    Infra,
    Memory,
    NetworkTier,
    Ports,
    Section,
    Text,
    Zone,
)
from skyx_core.task.task import Task

_MOST_USD = 1e12  # as in the file
E = TypeVar("E", bound=ResourceEntry)


def _usd(value: object) -> float | None:
    """As typed on the command line."""
    if value is None:
        return None
    try:
        amount = float(str(value))
    except ValueError:
        amount = math.nan
    if not 0 < amount <= _MOST_USD:
        raise ValueError("must be a number of US dollars per hour, more than 0 and at most 1e12")
    return amount


class Overrides(Section):
    """Unset = as the file says. ``Overrides.parse`` gives errors by flag."""

    name: Text | None = None
    workdir: Text | None = None
    num_nodes: int | None = None
    infra: Infra = None
    cloud: Cloud = None
    region: Zone = None
    zone: Zone = None
    gpus: Gpus = None
    cpus: Cpus = None
    memory: Memory = None
    instance_type: Text | None = None
    use_spot: Flag | None = None
    image_id: Image = None
    ports: Ports = None
    disk_size: DiskSize = None
    disk_tier: DiskTier = None
    network_tier: NetworkTier = None
    max_hourly_cost: Annotated[float | None, BeforeValidator(_usd)] = None

    @field_validator("num_nodes", mode="after")
    @classmethod
    def _some_nodes(cls, value: int | None) -> int | None:
        if value is not None and not 1 <= value <= 100_000:
            raise ValueError("must be at least 1 and at most 100000")
        return value

    @field_validator("cloud", "region", "zone", mode="after")
    @classmethod
    def _agrees(cls, value: str | None, info: ValidationInfo) -> str | None:
        named = getattr(info.data.get("infra"), info.field_name or "", None)
        if value is not None and named not in (None, value):
            raise ValueError(f"conflicts with --infra, which says {named!r}")
        return value

    @classmethod
    def parse(cls, **flags: object) -> Self:
        """From flags as typed; None = not given. Raises ``TaskFileError`` whose problems name the flags."""
        try:
            return cls.model_validate({name: value for name, value in flags.items() if value is not None})
        except ValidationError as error:
            from skyx_core.task.document import Document
            from skyx_core.task.problems import problems_of

            found = problems_of(error, Document(data=dict(flags)), cls)
            flagged = [Problem(f"--{p.path.replace('_', '-')}", p.message, suggestion=p.suggestion) for p in found]
            raise TaskFileError("command line", flagged) from None


def apply(task: Task, overrides: Overrides) -> Task:
    """The task with the flags over it; they also win over what ``any_of`` and ``ordered`` entries say."""
    given = {name: getattr(overrides, name) for name in overrides.model_fields_set}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return task
    own: dict[str, object] = {name: given[name] for name in ("name", "workdir", "num_nodes") if name in given}
    resources = _resources(task.resources, {k: v for k, v in given.items() if k not in own})
    changed = task.model_copy(update={**own, "resources": resources})
    changed._before = {name: raw for name, raw in task._before.items() if name.rpartition(".")[2] not in given}
    return changed


def _resources(resources: Resources, given: dict[str, object]) -> Resources:
    fields = {("accelerators" if name == "gpus" else name): value for name, value in given.items()}
    if not fields:
        return resources
    entries = {
        group: tuple(_made(ResourceEntry, _own(entry, fields)) for entry in getattr(resources, group))
        for group in ("any_of", "ordered")
    }
    return _made(Resources, {**_own(resources, fields), **fields, **entries})


def _made(kind: type[E], values: Mapping[str, object]) -> E:
    """A model of values that are known to be good, with only these set."""
    made = cast(E, kind.model_construct())
    return made.model_copy(update=values)


def _own(entry: ResourceEntry, fields: Mapping[str, object]) -> dict[str, object]:
    """What the entry says of itself once ``fields`` are decided elsewhere."""
    place = [name for name in PLACE if name in fields]
    cleared = set(PLACE[PLACE.index(place[0]) + (place[0] != "infra") :] if place else ())
    if place and place[0] != "infra":
        cleared |= {"infra"}
    removed = cleared | set(fields)
    values = {name: getattr(entry, name) for name in entry.model_fields_set if name not in removed}
    if place and place[0] in ("region", "zone"):
        kept = entry.location()
        wider = {"cloud": kept.cloud, "region": kept.region if place[0] == "zone" else None}
        values |= {name: value for name, value in wider.items() if value is not None}
        values |= {name: fields[name] for name in place}
    return values
