"""Hints of rules, with what is known put in."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAMED = re.compile(r"\{([a-z_]\w*)\}")  # anything else in braces stays as it is


def filled(hint: str, known: Mapping[str, str | None]) -> str:
    """The hint with each ``{name}`` that is known; the others stay as they are."""
    return _NAMED.sub(lambda found: known.get(found[1]) or found[0], hint)


def is_filled(hint: str) -> bool:
    """Whether no name is left in it."""
    return _NAMED.search(hint) is None
