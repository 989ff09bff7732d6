"""Variables and secrets that come from the command line."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from skyx_core.errors import Problem
from skyx_core.task.mistakes import BadValue
from skyx_core.task.values import env_key, scalar_text

Given = Mapping[str, str | None]
NOTHING: Given = MappingProxyType({})


def check_given(flag: str, values: Given) -> list[Problem]:
    """What no environment can hold, by ``flag``."""
    found = []
    for key, value in values.items():
        try:
            env_key(key)
            scalar_text("" if value is None else value)
        except BadValue as mistake:
            found.append(Problem(f"{flag} {_shown(key)}", mistake.message, suggestion=mistake.suggestion))
    return found


def _shown(key: str) -> str:
    from skyx_core.task.document import dotted

    return dotted((key,))
