"""YAML text to plain data, with the place of every key and value.

Only plain data is ever built. Limits keep hostile text cheap: size, depth, number of documents and of values (an alias
counts each time it is used). Keys are taken as written. So are values under ``envs``, ``secrets`` and ``labels``:
``010``, ``yes`` and ``1.10`` stay what the user typed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skyx_core.errors import Problem
from skyx_core.task.mistakes import Key, shown
from skyx_core.task.scalars import Unreadable, construct

if TYPE_CHECKING:
    from skyx_core.task.nodes import Node

MAX_BYTES = 8 * 2**20
MAX_VALUES = 20_000
MAX_PROBLEMS = 100
_TEXT_SECTIONS = frozenset({"envs", "secrets"})
_MERGE = "tag:yaml.org,2002:merge"
_SURROGATE = re.compile("[\ud800-\udfff]")
Path = tuple[Key, ...]
Mark = tuple[int, int]


@dataclass
class Document:
    """One document: its data, and (line, column) from 1 of keys and of values by path."""

    data: object = None
    keys: dict[Path, Mark] = field(default_factory=dict)
    values: dict[Path, Mark] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def mark(self, path: Path, *, key: bool = False) -> Mark:
        """The place of ``path``, or of the nearest thing that holds it."""
        first, second = (self.keys, self.values) if key else (self.values, self.keys)
        while path and path not in first and path not in second:
            path, first, second = path[:-1], self.keys, self.values
        return first.get(path) or second.get(path) or (1, 1)

    def problem(self, path: Path, message: str, mark: Mark, suggestion: str = "") -> None:
        """Note one mistake; beyond a limit they are not kept."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(dotted(path), message, *mark, suggestion))


def dotted(path: Path) -> str:
    """``resources.any_of[0].cpus``; long keys are shortened."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            short = key if len(key) <= 60 else key[:57] + "..."
            safe = "".join(c if c.isprintable() else "?" for c in short)
            text += f".{safe}" if text else safe
    return text


def read(text: str) -> list[Document]:
    """All documents that hold something. Raises ``Unreadable`` where the text is not YAML at all."""
    from skyx_core.task.nodes import compose

    if len(text) > MAX_BYTES:
        raise Unreadable(f"is larger than {MAX_BYTES // 2**20} MiB; a task file is a page or two", (1, 1))
    return [_Builder().build(node) for node in compose(text)]


def _as_written(path: Path) -> bool:
    return (len(path) == 2 and path[0] in _TEXT_SECTIONS) or (len(path) > 2 and path[-2] == "labels")


class _Builder:
    """Builds one document."""

    def __init__(self) -> None:
        self.document = Document()
        self.count = 0
        self.open: set[int] = set()  # nodes being built: one that holds itself has no end

    def build(self, node: Node) -> Document:
        self.document.data = self._value(node, ())
        return self.document

    def _value(self, node: Node, path: Path) -> object:
        self.count += 1
        if self.count > MAX_VALUES:
            raise Unreadable(f"holds more than {MAX_VALUES} values; aliases count each time they are used", node.mark)
        if id(node) in self.open:
            raise Unreadable("an alias stands inside what it names", node.mark)
        self.document.values[path] = node.mark
        if node.items is None and node.pairs is None:
            return self._scalar(node, path)
        self.open.add(id(node))
        value = self._sequence(node, path) if node.items is not None else self._mapping(node, path)
        self.open.discard(id(node))
        return value

    def _scalar(self, node: Node, path: Path) -> object:
        try:
            return self._checked(construct(node, as_written=_as_written(path)), path, node.mark)
        except Unreadable as error:
            self.document.problem(path, error.message, node.mark)
            return ""

    def _checked(self, value: object, path: Path, mark: Mark) -> object:
        if isinstance(value, str) and ("\0" in value or _SURROGATE.search(value)):
            name = "a NUL character" if "\0" in value else "half of a surrogate pair"
            self.document.problem(path, f"contains {name}, which can't be passed on", mark)
            return ""
        return value

    def _sequence(self, node: Node, path: Path) -> list[object]:
        return [self._value(item, (*path, i)) for i, item in enumerate(node.items or ())]

    def _mapping(self, node: Node, path: Path) -> dict[str, object]:
        result: dict[str, object] = {}
        merged: dict[str, object] = {}
        pairs = node.pairs or []
        for key_node, value_node in pairs:
            if key_node.tag == _MERGE:  # first, so that the mapping's own keys have the last word on where they are
                self._merge(merged, value_node, path)
        self.document.values[path] = node.mark
        for key_node, value_node in pairs:
            if key_node.tag == _MERGE:
                continue
            key = self._key(key_node, path)
            if key is None:
                continue
            here = (*path, key)
            if key in result:
                line = self.document.keys[here][0]
                self.document.problem(here, f"duplicate key (first on line {line})", key_node.mark)
                continue
            self.document.keys[here] = key_node.mark
            result[key] = self._value(value_node, here)
        return {**merged, **result}

    def _key(self, node: Node, path: Path) -> str | None:
        if node.items is not None or node.pairs is not None:
            self.document.problem(path, "a key must be plain text", node.mark)
            return None
        if "\0" in node.text or _SURROGATE.search(node.text):
            self.document.problem(
                path, f"the key {shown(node.text)} contains a character that can't be passed on", node.mark
            )
            return None
        return node.text

    def _merge(self, into: dict[str, object], node: Node, path: Path) -> None:
        sources = node.items if node.items is not None else [node]
        for source in sources:
            if source.pairs is None:
                self.document.problem(path, "'<<' takes a mapping or a list of mappings", source.mark)
                continue
            values = self._value(source, path)
            if isinstance(values, dict):
                into.update({key: value for key, value in values.items() if key not in into})
