"""Spans of time in the words of a person; one wording wherever skyx writes one."""

from __future__ import annotations

import math

UNTIL_FIXED = "until fixed (24 h at most)"
_UNTIL_FIXED_S = 86_400.0
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))
_TENTHS_BELOW_S = 120.0


def span(seconds: float, *, up: bool = False) -> str:
    """``45 s``, ``12 min``, ``3 h`` or ``5 d``: in the largest unit of which there are two, to the nearest.

    ``up``: rounded up, for what must be waited out. Less than nothing is ``0 s``; what is no number of seconds, ``-``.
    """
    if not math.isfinite(seconds):
        return "-"
    whole = max(0, math.ceil(seconds - 0.001) if up else round(seconds))
    for size, unit in _UNITS:
        if whole >= 2 * size:
            return f"{-(-whole // size) if up else round(whole / size)} {unit}"
    return f"{whole} s"


def took(seconds: float) -> str:
    """How long something took: ``1.2 s``, and from two minutes on as ``span``."""
    return f"{max(0.0, seconds):.1f} s" if seconds < _TENTHS_BELOW_S else span(seconds)


def until_fixed(since: float, until: float | None, fingerprint: str = "") -> bool:
    """Whether a block from ``since`` to ``until`` (seconds since the epoch; ``since`` 0 = unknown) ends only once
    something is fixed, but for the longest time that any lasts.
    """
    return bool(fingerprint) or (until is not None and since > 0 and until - since >= _UNTIL_FIXED_S)
