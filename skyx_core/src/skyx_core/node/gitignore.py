"""The rules of one ignore file, exactly as git reads them (gitignore(5)).

A pattern is asked about one path only, never about the folders above it: who walks a tree doesn't enter what is
ignored, and that is what git does too.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from skyx_core.node.globs import ANYTHING, FOLDERS, NAME_PART, Glob


@dataclass(frozen=True, slots=True)
class _Pattern:
    expression: Glob
    ignores: bool
    folders_only: bool
    name_only: bool  # compared with the last part of a path


class IgnoreFile:
    """Patterns of one file. Paths are relative to the folder that holds it."""

    def __init__(self, content: bytes) -> None:
        lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        found = [pattern for line in lines if (pattern := _pattern(line)) is not None]
        self._patterns = found[::-1]  # the last that matches decides

    def verdict(self, path: str, folder: bool) -> bool | None:
        """True: ignored; False: expressly not; None: nothing is said of it."""
        raw = os.fsencode(path)
        name = raw[raw.rfind(b"/") + 1 :]
        for pattern in self._patterns:
            if (folder or not pattern.folders_only) and pattern.expression.matches(name if pattern.name_only else raw):
                return pattern.ignores
        return None


def _pattern(line: bytes) -> _Pattern | None:
    line = _trim(line.removesuffix(b"\r"))
    if line.startswith(b"#"):
        return None
    ignores = not line.startswith(b"!")
    if not ignores:
        line = line[1:]
    folders_only = line.endswith(b"/")
    if folders_only:
        line = line[:-1]
    name_only = b"/" not in line
    if not name_only:
        line = line.removeprefix(b"/")
    if not line:
        return None
    expression = _expression(line)
    return _Pattern(expression, ignores, folders_only, name_only) if expression else None


def _trim(line: bytes) -> bytes:
    """Without the spaces at its end, but for one that a backslash protects."""
    end = len(line)
    while end and line[end - 1 : end] == b" ":
        end -= 1
    backslashes = end - len(line[:end].rstrip(b"\\"))
    return line[: end + 1] if backslashes % 2 and end < len(line) else line[:end]


def _expression(glob: bytes) -> Glob | None:
    """None for a glob that can match nothing."""
    out: list[bytes] = []
    at = 0
    while at < len(glob):
        char = glob[at : at + 1]
        if char == b"*":
            text, at = _stars(glob, at)
        elif char == b"?":
            text, at = b"[^/]", at + 1
        elif char == b"[":
            found = _bracket(glob, at + 1)
            if found is None:
                return None
            text, at = found
        elif char == b"\\":
            if at + 1 == len(glob):
                return None
            text, at = re.escape(glob[at + 1 : at + 2]), at + 2
        else:
            text, at = re.escape(char), at + 1
        out.append(text)
    return Glob(out)


_SPECIAL = re.compile(rb"[*?\[\\]")


def _stars(glob: bytes, at: int) -> tuple[bytes, int]:
    end = at
    while glob[end : end + 1] == b"*":
        end += 1
    # Git compares what comes before the first wildcard by itself, so that here "a**/b" has a whole part "**" too.
    starts_part = at == 0 or glob[at - 1 : at] == b"/" or not _SPECIAL.search(glob, 0, at)
    if end - at < 2 or not starts_part:
        return NAME_PART, end
    if end == len(glob):
        return ANYTHING, end  # "**" at the end: everything below
    if glob[end : end + 1] == b"/":
        return FOLDERS, end + 1  # "**/": any folders, or none
    return NAME_PART, end


_CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": b" \\t",
    b"cntrl": b"\\x00-\\x1f\\x7f",
    b"digit": b"0-9",
    b"graph": b"!-~",
    b"lower": b"a-z",
    b"print": b" -~",
    b"punct": b"!-/:-@\\[-`{-~",
    b"space": b"\\t-\\r ",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}


def _bracket(glob: bytes, at: int) -> tuple[bytes, int] | None:
    """From after ``[`` to after ``]``; None if it is never closed or names an unknown class."""
    negated = glob[at : at + 1] in (b"!", b"^")
    at += negated
    items: list[bytes] = []
    first = True
    while first or glob[at : at + 1] != b"]":
        first = False
        if glob[at : at + 2] == b"[:" and (end := glob.find(b"]", at + 2)) > 0 and glob[end - 1 : end] == b":":
            named = _CLASSES.get(glob[at + 2 : end - 1])
            if named is None:
                return None
            items.append(named)
            at = end + 1
            continue
        low, at = _bracket_char(glob, at)
        if not low:
            return None
        high = low
        if glob[at : at + 1] == b"-" and glob[at + 1 : at + 2] not in (b"]", b""):
            high, at = _bracket_char(glob, at + 1)
            if not high:
                return None
        items.append(re.escape(low))  # also of a range that is the wrong way round
        if low <= high:
            items.append(re.escape(low) + b"-" + re.escape(high))
    inside = b"".join(items)
    if negated:
        return b"[^/" + inside + b"]", at + 1
    return (b"(?!/)[" + inside + b"]" if inside else b"(?!)"), at + 1


def _bracket_char(glob: bytes, at: int) -> tuple[bytes, int]:
    if glob[at : at + 1] == b"\\":
        at += 1
    char = glob[at : at + 1]
    return char, at + 1
