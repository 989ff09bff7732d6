"""Spans of time as people write them: ``90``, ``90s``, ``15m``, ``1h 30m``, ``2d``."""

from __future__ import annotations

import math
import re
from typing import Annotated

from pydantic import BeforeValidator, Field  # noqa: TID253 - reached only with a scenario at hand

MOST_S = 366 * 86400.0
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd])")
_WHOLE = re.compile(r"(?:\d+(?:\.\d+)?\s*[smhd]\s*)+")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(value: object) -> object:
    """Seconds of a number or a text; raises ``ValueError`` for what is no span of time."""
    if isinstance(value, str):
        text = value.strip()
        if text.isdecimal() and len(text) < 12:
            return float(text)
        if not _WHOLE.fullmatch(text) or len(text) > 40:
            raise ValueError("expected seconds, or a text such as 90s, 15m or 1h 30m")
        return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("expected seconds, or a text such as 90s, 15m or 1h 30m")
    if value < 0:
        raise ValueError("a time can't be negative")
    if not math.isfinite(value):
        raise ValueError("expected a finite number of seconds")
    return float(value)


Duration = Annotated[float, BeforeValidator(seconds), Field(ge=0, le=MOST_S)]


def shown(value: float) -> str:
    """``12m 30s``; two units at most."""
    whole = round(value)
    if whole < 60:
        return f"{value:.3g}s" if 0 < value < 10 and value != whole else f"{whole}s"
    for size, big, small, unit in ((86400, "d", "h", 3600), (3600, "h", "m", 60), (60, "m", "s", 1)):
        if whole >= size:
            rest = whole % size // unit
            return f"{whole // size}{big}" + (f" {rest}{small}" if rest else "")
    raise AssertionError
