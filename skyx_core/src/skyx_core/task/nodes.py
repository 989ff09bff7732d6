"""YAML events to a tree of nodes. Events, because a deep or huge text can then be refused as soon as it is seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from skyx_core.task.scalars import PREFIX, Unreadable

if TYPE_CHECKING:
    import yaml

MAX_DEPTH = 100
MAX_NODES = 20_000
MAX_DOCUMENTS = 100
_NOT_TEXT = re.compile("[^\x09\x0a\x0d\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Mark = tuple[int, int]


@dataclass(slots=True)
class Node:
    """A scalar (``text``), a list (``items``) or a mapping (``pairs``). ``mark``: line and column from 1."""

    tag: str
    mark: Mark
    text: str = ""
    items: list[Node] | None = None
    pairs: list[tuple[Node, Node]] | None = None

    def blank(self) -> bool:
        """Whether it stands for nothing."""
        return self.tag == f"{PREFIX}null" and self.items is None and self.pairs is None


def place(text: str, index: int) -> Mark:
    """Line and column, from 1, of a character."""
    before = text[:index]
    return before.count("\n") + 1, index - (before.rfind("\n") + 1) + 1


def compose(text: str) -> list[Node]:
    """One node per document that isn't blank. Raises ``Unreadable``."""
    import yaml

    odd = _NOT_TEXT.search(text)
    if odd:
        name = "a NUL character" if odd[0] == "\0" else f"the character U+{ord(odd[0]):04X}"
        raise Unreadable(f"contains {name}, which YAML can't hold as such", place(text, odd.start()))
    loader: _Source = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        return [node for node in _Composer(loader).documents() if not node.blank()]
    except yaml.YAMLError as error:
        raise _unreadable(error, text) from None
    finally:
        loader.dispose()


def _unreadable(error: yaml.YAMLError, text: str) -> Unreadable:
    import yaml

    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return Unreadable(f"not YAML: {str(error).splitlines()[0][:200]}", (1, 1))
    mark = error.problem_mark
    lines = text.split("\n")
    line = lines[mark.line] if mark.line < len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return Unreadable("a tab stands in the indentation; YAML wants spaces", (mark.line + 1, line.index("\t") + 1))
    context = f" ({error.context})" if error.context else ""
    return Unreadable(f"not YAML: {error.problem}{context}", (mark.line + 1, mark.column + 1))


class _Source(Protocol):
    """What is used of PyYAML's loaders."""

    def check_event(self, kind: type[yaml.events.Event], /) -> bool: ...
    def get_event(self) -> yaml.events.Event: ...
    def resolve(self, kind: type[yaml.ScalarNode], value: str, implicit: tuple[bool, bool], /) -> str: ...
    def dispose(self) -> None: ...


class _Composer:
    def __init__(self, loader: _Source) -> None:
        import yaml

        self.loader = loader
        self.yaml = yaml
        self.anchors: dict[str, Node] = {}
        self.count = 0

    def documents(self) -> Iterator[Node]:
        events, number = self.yaml.events, 0
        while not self.loader.check_event(events.StreamEndEvent):
            event = self.loader.get_event()
            if isinstance(event, events.DocumentStartEvent):
                number += 1
                if number > MAX_DOCUMENTS:
                    raise Unreadable(f"holds more than {MAX_DOCUMENTS} documents", _mark(event))
                self.anchors = {}
                yield self._node(0)

    def _node(self, depth: int) -> Node:
        event = self.loader.get_event()
        assert isinstance(event, self.yaml.events.NodeEvent)
        mark = _mark(event)
        self.count += 1
        if depth > MAX_DEPTH:
            raise Unreadable(f"nested deeper than {MAX_DEPTH} levels", mark)
        if self.count > MAX_NODES:
            raise Unreadable(f"holds more than {MAX_NODES} values", mark)
        if isinstance(event, self.yaml.events.AliasEvent):
            name = event.anchor or ""
            if name not in self.anchors:
                raise Unreadable(f"the alias {name[:60]!r} names nothing before it", mark)
            return self.anchors[name]
        return self._new(event, mark, depth)

    def _new(self, event: yaml.events.NodeEvent, mark: Mark, depth: int) -> Node:
        events = self.yaml.events
        node = Node(tag="", mark=mark)
        if event.anchor:
            self.anchors[event.anchor] = node
        if isinstance(event, events.ScalarEvent):
            node.text, node.tag = event.value, self._scalar_tag(event)
        elif isinstance(event, events.SequenceStartEvent):
            node.tag = _collection_tag(event, ("seq",))
            node.items = []
            node.items.extend(self._until(events.SequenceEndEvent, depth))
        elif isinstance(event, events.MappingStartEvent):
            node.tag = _collection_tag(event, ("map", "set"))
            node.pairs = []
            flat = list(self._until(events.MappingEndEvent, depth))
            node.pairs.extend(zip(flat[::2], flat[1::2], strict=True))
        return node

    def _until(self, end: type[yaml.events.Event], depth: int) -> Iterator[Node]:
        while not self.loader.check_event(end):
            yield self._node(depth + 1)
        self.loader.get_event()

    def _scalar_tag(self, event: yaml.events.ScalarEvent) -> str:
        if event.tag not in (None, "!"):
            return str(event.tag)
        return self.loader.resolve(self.yaml.ScalarNode, event.value, event.implicit)


def _collection_tag(event: yaml.events.CollectionStartEvent, kinds: tuple[str, ...]) -> str:
    if event.tag not in (None, "!", *(f"{PREFIX}{kind}" for kind in kinds)):
        raise Unreadable(f"the tag {str(event.tag)[:60]!r} is not accepted; use plain values", _mark(event))
    return f"{PREFIX}{kinds[0]}"


def _mark(event: yaml.events.Event) -> Mark:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)
