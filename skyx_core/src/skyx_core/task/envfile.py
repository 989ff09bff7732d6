"""Files of variables for ``--env-file``."""

from __future__ import annotations

import re

from skyx_core.errors import Problem, TaskFileError
from skyx_core.task.mistakes import BadValue

_LINE = re.compile(r"[ \t]*(?:export[ \t]+)?(?P<key>[^=\s#]+)[ \t]*=[ \t]*", re.ASCII)
_SINGLE = re.compile(r"'([^']*)'")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "$": "$", "`": "`"}


def parse_env_file(text: str, *, file: str = "env file") -> dict[str, str]:
    """``KEY=value`` lines: comments, ``export``, quotes ('as is', "with \\n escapes", both over several lines).

    Nothing is substituted. Raises ``TaskFileError`` with all mistakes.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    found: dict[str, str] = {}
    problems: list[Problem] = []
    position = 0
    while position < len(text):
        line = text.count("\n", 0, position) + 1
        try:
            position = _entry(text, position, found)
        except BadValue as mistake:
            problems.append(Problem("", mistake.message, line, 1, mistake.suggestion))
            position = _line_end(text, position) + 1
    if problems:
        raise TaskFileError(file, problems)
    return found


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _entry(text: str, position: int, found: dict[str, str]) -> int:
    """Read one line (or one quoted value over several) into ``found``; where the next begins."""
    from skyx_core.task.values import env_key, scalar_text

    end = _line_end(text, position)
    line = text[position:end].strip()
    if not line or line.startswith("#"):
        return end + 1
    match = _LINE.match(text, position, end)
    if match is None:
        raise BadValue("expected KEY=value")
    key = env_key(match["key"])
    value, after = _value(text, match.end(), end)
    found[key] = scalar_text(value)
    return after


def _value(text: str, start: int, end: int) -> tuple[str, int]:
    pattern = {"'": _SINGLE, '"': _DOUBLE}.get(text[start : start + 1])
    quoted = pattern.match(text, start) if pattern else None
    rest = _REST.match(text, quoted.end()) if quoted else None
    if quoted and rest:
        value = quoted[1] if pattern is _SINGLE else _ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[0]), quoted[1])
        return value, rest.end()
    if pattern and quoted is None:
        raise BadValue("the quote is never closed")
    plain = re.split(r"(?:^|[ \t])#", text[start:end], maxsplit=1)[0]
    return plain.strip(" \t"), end + 1
