"""``$NAME`` and ``${NAME}`` of ``envs``, put into parsed strings (never into YAML text: values arrive unchanged)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from skyx_core.task.mistakes import BadValue

_NAME = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))", re.ASCII)
MAX_TEXT = 2**20
FIELDS = ("workdir", "file_mounts", "service")


def fill(value: object, envs: Mapping[str, str]) -> object:
    """A copy with every known name replaced, in keys too; unknown names stay. One pass: values are not read again.

    Raises ``BadValue`` when a text would grow beyond a limit.
    """
    if isinstance(value, str):
        return _fill_text(value, envs) if "$" in value else value
    if isinstance(value, dict):
        return {fill(key, envs): fill(item, envs) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [fill(item, envs) for item in value]
    return value


def _fill_text(text: str, envs: Mapping[str, str]) -> str:
    def value_of(match: re.Match[str]) -> str:
        return envs.get(match[1] or match[2], match[0])

    grown = len(text)
    for match in _NAME.finditer(text):
        grown += len(value_of(match))
        if grown > MAX_TEXT:
            raise BadValue(f"a text becomes longer than {MAX_TEXT} characters once variables are put in")
    return _NAME.sub(value_of, text)


def known(envs: object) -> dict[str, str]:
    """The values that can be put in: given ones."""
    from skyx_core.task.values import scalar_text

    if not isinstance(envs, Mapping):
        return {}
    scalars = {str(k): v for k, v in envs.items() if isinstance(v, str | int | float)}
    return {
        key: scalar_text(value) for key, value in scalars.items() if not isinstance(value, str) or "\0" not in value
    }


def fill_task(data: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """(the task's fields with values put in, what the changed ones were before: field or ``image_id`` path -> raw)."""
    envs = known(data.get("envs"))
    filled: dict[str, object] = dict(data)
    before: dict[str, object] = {}
    if not envs:
        return filled, before
    for name in FIELDS:
        new = fill(data.get(name), envs)
        if new != data.get(name):
            before[name], filled[name] = data[name], new
    resources = data.get("resources")
    if isinstance(resources, dict):
        filled["resources"] = _fill_images(resources, envs, before)
    return filled, before


def _fill_images(resources: dict[str, object], envs: Mapping[str, str], before: dict[str, object]) -> dict[str, object]:
    filled = {**resources, **_image(resources, envs, before, "image_id")}
    for group in ("any_of", "ordered"):
        entries = resources.get(group)
        if isinstance(entries, list):
            filled[group] = [
                {**entry, **_image(entry, envs, before, f"{group}.{i}.image_id")} if isinstance(entry, dict) else entry
                for i, entry in enumerate(entries)
            ]
    return filled


def _image(
    entry: dict[str, object], envs: Mapping[str, str], before: dict[str, object], path: str
) -> dict[str, object]:
    raw = entry.get("image_id")
    new = fill(raw, envs)
    if new == raw:
        return {}
    before[path] = raw
    return {"image_id": new}
