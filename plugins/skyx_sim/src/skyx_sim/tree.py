"""A YAML text as plain data, with the position of each value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yaml.nodes import Node

Path = tuple[str | int, ...]
Mark = tuple[int, int]
_MOST_VALUES = 200_000
_MOST_DEPTH = 30
_TAGS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


class Unreadable(Exception):
    """Says what is wrong, and where (line and column from 1; 0 = unknown)."""

    def __init__(self, message: str, mark: Mark = (0, 0)) -> None:
        super().__init__(message)
        self.message = message
        self.mark = mark


@dataclass
class Tree:
    """``data``: the root. ``marks``: where each key or item begins. ``spans``: first and last character of a value."""

    data: object = None
    marks: dict[Path, Mark] = field(default_factory=dict)
    spans: dict[Path, tuple[int, int, int, int]] = field(default_factory=dict)  # line, column, start, end

    def mark(self, path: Path) -> Mark:
        """Of the value, or of the nearest thing around it."""
        while path and path not in self.marks:
            path = path[:-1]
        return self.marks.get(path, (1, 1))


def read_tree(text: str) -> Tree:
    """Raises ``Unreadable`` for what is no YAML, too large, too deep, or has a key twice."""
    import yaml

    tree = Tree()
    try:
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        if root is not None:
            tree.data = _value(tree, root, (), set())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        raise Unreadable(f"not YAML: {error.problem or error.context}", at) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise Unreadable(f"not YAML: {(str(error) or 'nested too deep').splitlines()[0][:200]}") from None
    return tree


def _value(tree: Tree, node: Node, path: Path, open_nodes: set[int]) -> object:
    import yaml

    mark = (node.start_mark.line + 1, node.start_mark.column + 1)
    tree.marks.setdefault(path, mark)
    tree.spans[path] = (*mark, node.start_mark.index, node.end_mark.index)
    if len(tree.spans) > _MOST_VALUES or len(path) > _MOST_DEPTH or id(node) in open_nodes:
        raise Unreadable("too many values, or nested too deep", mark)
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node, mark)
    if node.tag not in _TAGS:
        raise Unreadable(f"the tag {node.tag} is not allowed", mark)
    inside = open_nodes | {id(node)}
    if isinstance(node, yaml.SequenceNode):
        return [_value(tree, item, (*path, number), inside) for number, item in enumerate(node.value)]
    return _mapping(tree, node, path, inside)


def _mapping(tree: Tree, node: Node, path: Path, open_nodes: set[int]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in node.value:
        mark = (key.start_mark.line + 1, key.start_mark.column + 1)
        name = key.value if isinstance(key.value, str) else ""
        if not name or name == "<<":
            raise Unreadable("keys must be plain names", mark)
        if name in found:
            raise Unreadable(f"{name!r} is given twice", mark)
        tree.marks[*path, name] = mark
        found[name] = _value(tree, value, (*path, name), open_nodes)
    return found


def _scalar(node: Node, mark: Mark) -> object:
    import yaml

    loader = yaml.SafeLoader("")
    try:
        value: object = loader.construct_object(node)
    except (yaml.YAMLError, ValueError, OverflowError):
        raise Unreadable(f"{str(node.value)[:40]!r} can't be read", mark) from None
    finally:
        loader.dispose()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(node.value)


def is_mapping(value: object) -> bool:
    """Whether it is a mapping that isn't empty."""
    return isinstance(value, Mapping) and bool(value)
