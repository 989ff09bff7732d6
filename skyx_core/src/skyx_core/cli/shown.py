"""Text of others on its way to a person's screen, where it must not act.

Standard library only, little of it: this is on the path of ``skyx --help``.
"""

from __future__ import annotations

import re

_ACTS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_IN_CELL = re.compile(f"[\t\n{_ACTS}]")
_IN_TEXT = re.compile(f"\x1b\\[[0-9;]*m|[{_ACTS}]")
_IN_FIELD = re.compile(f"[{_ACTS}]")
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def _escape(found: re.Match[str]) -> str:
    char = found.group()
    return char if len(char) > 1 else _SHORT.get(char) or f"\\u{ord(char):04x}"


def in_cell(text: str) -> str:
    """For one cell or line: control characters, line ends too, as JSON would write them."""
    return text if text.isprintable() else _IN_CELL.sub(_escape, text)


def in_field(text: str) -> str:
    """For text that may have several lines."""
    return text if text.isprintable() else _IN_FIELD.sub(_escape, text)


def in_text(text: str) -> str:
    """The last guard of whole messages: like ``in_field``, but colours, which are our own by now, stay.

    Escapes are those of JSON, so a JSON text keeps its meaning.
    """
    return text if text.isprintable() else _IN_TEXT.sub(_escape, text)
