"""One YAML scalar to one Python value: text, whole number, number, truth, nothing."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.task.nodes import Node

PREFIX = "tag:yaml.org,2002:"
_INT = re.compile(r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]*|[1-9][0-9_]*)")
_TRUE = frozenset({"yes", "true", "on"})
_PLAIN_TEXT = frozenset({"str", "timestamp", "value"})


class Unreadable(Exception):
    """Text that can't be taken as YAML data; ``mark`` = (line, column) from 1."""

    def __init__(self, message: str, mark: tuple[int, int]) -> None:
        super().__init__(message)
        self.message = message
        self.mark = mark


def construct(node: Node, *, as_written: bool) -> object:
    """The value. ``as_written``: numbers, dates and truth values stay the text that they are."""
    kind = node.tag.removeprefix(PREFIX)
    if kind == "null":
        return None
    if kind in _PLAIN_TEXT or (as_written and kind in {"int", "float", "bool"}):
        return node.text
    if kind == "bool":
        return node.text.lower() in _TRUE
    if kind == "int":
        return _whole(node)
    if kind == "float":
        return _number(node)
    raise Unreadable(f"the tag {node.tag[:60]!r} is not accepted; use plain values", node.mark)


def _whole(node: Node) -> int | str:
    text = node.text.replace("_", "")
    if not _INT.fullmatch(node.text):
        return node.text  # 12:30 is a time or a port mapping to people, not a number to the base of 60
    if len(text) > 30:
        raise Unreadable("the number has too many digits", node.mark)
    sign, digits = (-1 if text[0] == "-" else 1), text.lstrip("+-").lower()
    if digits == "0":
        return 0
    for prefix, base in (("0b", 2), ("0x", 16), ("0o", 8), ("0", 8)):
        if digits.startswith(prefix):
            rest = digits[len(prefix) :]
            if not rest:
                raise Unreadable("not a number", node.mark)
            return sign * int(rest, base)
    return sign * int(digits, 10)


def _number(node: Node) -> float | str:
    if ":" in node.text:
        return node.text
    try:
        value = float(node.text.replace("_", "").replace(".inf", "inf").replace(".nan", "nan"))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Unreadable(f"not a finite number: {node.text[:40]}", node.mark)
    return value
