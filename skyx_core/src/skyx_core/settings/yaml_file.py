"""A settings file as data with positions. yaml is imported only when there is a file."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from skyx_core.errors import Problem
from skyx_core.results import Json

if TYPE_CHECKING:
    from yaml.nodes import Node

Key = tuple[str, ...]
_MAX_BYTES = 1 << 18
_MAX_NODES = 20_000
_MAX_DEPTH = 50
_PLAIN_TAGS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


@dataclass(slots=True)
class SettingsFile:
    """``values`` is the whole file; ``positions`` (line, column) from 1 of each key below it."""

    path: Path
    values: dict[str, Json] = field(default_factory=dict)
    positions: dict[Key, tuple[int, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _nodes: int = 0

    def problem(self, key: Key, message: str, suggestion: str = "") -> None:
        line, column = self.positions.get(key, (0, 0))
        self.problems.append(Problem(".".join(key), message, line, column, suggestion))

    def in_order(self) -> list[Problem]:
        """Its mistakes, as they stand in the file; those of no line first."""
        return sorted(self.problems, key=lambda problem: (problem.line, problem.column))

    def at(self, key: Key) -> str:
        """``file:line``, for the nearest key that has one."""
        while key and key not in self.positions:
            key = key[:-1]
        return f"{self.path}:{self.positions[key][0]}" if key else str(self.path)


def read(path: Path) -> SettingsFile | None:
    """None if there is no such file. Mistakes are in ``problems``; nothing is raised."""
    file = SettingsFile(path)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            file.problem((), "is not a file")
            return file
        with path.open("rb") as stream:
            raw = stream.read(_MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        file.problem((), f"can't be read: {os.strerror(error.errno or 0)}")
        return file
    if len(raw) > _MAX_BYTES:
        file.problem((), f"is larger than {_MAX_BYTES} bytes")
        return file
    try:
        _parse(file, raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        file.problems.append(Problem("", "is not UTF-8 text", raw[: error.start].count(b"\n") + 1, 1))
    return file


def _parse(file: SettingsFile, text: str) -> None:
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if root is None:
            return
        value = _value(file, root, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        file.problems.append(Problem("", f"is not YAML: {error.problem or error.context}", line, column))
    except (yaml.YAMLError, RecursionError, OverflowError, ValueError) as error:
        file.problems.append(Problem("", f"is not YAML: {str(error).splitlines()[0] if str(error) else 'too deep'}"))
    else:
        if isinstance(value, dict):
            file.values = value
        elif value is not None:
            file.problems.append(Problem("", "must be a mapping of settings", 1, 1))


def _value(file: SettingsFile, node: Node, key: Key) -> Json:
    import yaml

    file._nodes += 1
    if file._nodes > _MAX_NODES or len(key) > _MAX_DEPTH:
        raise ValueError("too many or too deeply nested values")
    if not isinstance(node, yaml.ScalarNode) and node.tag not in _PLAIN_TAGS:
        raise ValueError(f"the tag {node.tag} is not allowed")
    if isinstance(node, yaml.MappingNode):
        return _mapping(file, node, key)
    if isinstance(node, yaml.SequenceNode):
        return [_item(file, item, (*key, str(index))) for index, item in enumerate(node.value)]
    loader = yaml.SafeLoader("")
    try:
        value = loader.construct_object(node)
    finally:
        loader.dispose()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    file.positions.setdefault(key, (node.start_mark.line + 1, node.start_mark.column + 1))
    file.problem(key, f"{node.value!r} is read as a {type(value).__name__}; put it in quotes")
    return None


def _item(file: SettingsFile, node: Node, key: Key) -> Json:
    file.positions[key] = (node.start_mark.line + 1, node.start_mark.column + 1)
    return _value(file, node, key)


def _mapping(file: SettingsFile, node: Node, key: Key) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for name_node, value_node in node.value:
        name = name_node.value if isinstance(name_node.value, str) else ""
        here = (*key, name)
        position = (name_node.start_mark.line + 1, name_node.start_mark.column + 1)
        if not name or name == "<<":
            file.problems.append(Problem(".".join(key), "keys must be plain names", *position))
        elif name in values:
            file.problems.append(Problem(".".join(here), "is given twice", *position))
        else:
            file.positions[here] = position
            values[name] = _value(file, value_node, here)
    return values
