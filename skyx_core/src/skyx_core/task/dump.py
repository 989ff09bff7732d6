"""From a task back to a task file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from skyx_core.models.base import Model
from skyx_core.models.offers import Amount
from skyx_core.task.accelerators import Accelerators
from skyx_core.task.infra import Location
from skyx_core.task.resources import ResourceEntry, Resources

if TYPE_CHECKING:
    import yaml

    from skyx_core.task.task import Task

REDACTED = "<redacted>"
_SECRET_NAME = re.compile(r"(PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY)(_|$)", re.IGNORECASE)
_BLOCK = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\n]*[\x21-\x7e])?\n*")
_LINE = re.compile(r"[\x20-\x7e]*")


def redacted(task: Task) -> Task:
    """A copy without the values of secrets, and of variables whose names say that they are secret."""
    envs = {k: REDACTED if v is not None and _SECRET_NAME.search(k) else v for k, v in task.envs.items()}
    secrets = {key: None if value is None else REDACTED for key, value in task.secrets.items()}
    return task.model_copy(update={"envs": envs, "secrets": secrets})


def to_yaml(task: Task, before: Mapping[str, object]) -> str:
    """``before``: fields as they were before substitution."""
    import yaml

    data = plain(task)
    assert isinstance(data, dict)
    for path, raw in before.items():
        _put(data, path, raw)
    text: str = yaml.dump(data, Dumper=_dumper(), sort_keys=False, width=2**20, allow_unicode=True)
    return text


def _put(data: dict[str, object], path: str, raw: object) -> None:
    """``path``: a field, or ``image_id`` of ``resources`` or one of its entries (``any_of.0.image_id``)."""
    *groups, name = path.split(".")
    if name != "image_id":
        data[name] = raw
        return
    here = data.setdefault("resources", {})
    if groups and isinstance(here, dict):
        here = here[groups[0]][int(groups[1])]
    if isinstance(here, dict):
        here[name] = raw


def plain(value: object) -> object:
    """As a task file writes it."""
    if isinstance(value, Amount):
        number = int(value.value) if value.value == int(value.value) else value.value
        return f"{number!r}+" if value.plus else number
    if isinstance(value, Accelerators | Location):
        return value.plain()
    if isinstance(value, Model):
        return _section(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _section(model: Model) -> dict[str, object]:
    """Fields that differ from their default; of an alternative also those it sets to null, which mean something."""
    nulls = model.model_fields_set if isinstance(model, ResourceEntry) and not isinstance(model, Resources) else set()
    found: dict[str, object] = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        default = field.get_default(call_default_factory=True)
        if value != default or name in nulls or field.is_required():
            found[name] = plain(value)
    return found


def _dumper() -> type[yaml.SafeDumper]:
    import yaml

    base: type[yaml.SafeDumper] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    dumper_type = type("TaskDumper", (base,), {"ignore_aliases": lambda _self, _data: True})

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        style = None if _LINE.fullmatch(value) else '"'
        if "\n" in value and _BLOCK.fullmatch(value) and " \n" not in value:
            style = "|"
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    yaml.add_representer(str, text, Dumper=dumper_type)
    return dumper_type
