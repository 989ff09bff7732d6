"""The nearest names and numbers, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from skyx_core.models import Amount, Request

_LONGEST = 80


def near(word: str, names: Iterable[str], most: int = 3) -> list[str]:
    """Those that were probably meant, the nearest first; case doesn't count."""
    if len(word) > _LONGEST:
        return []
    by_key = {name.lower(): name for name in sorted(names)}
    return [by_key[key] for key in get_close_matches(word.lower(), by_key, n=most, cutoff=0.6)]


def near_numbers(amount: Amount, have: Sequence[float], unit: str) -> str:
    """``the most is 768 GB``, or ``nearest are 2 and 4 vCPUs``."""
    if amount.plus:
        return f"the most is {number(max(have))}{unit}"
    below = max((size for size in have if size < amount.value), default=None)
    above = min((size for size in have if size > amount.value), default=None)
    both = [number(size) for size in (below, above) if size is not None]
    return f"nearest {'are' if len(both) > 1 else 'is'} {' and '.join(both)}{unit}"


def number(value: float) -> str:
    """``8``, ``0.5``, ``1152``."""
    return f"{value:.10g}"


def usd(amount: float) -> str:
    """A price per hour."""
    return f"${amount:.2f}/h" if amount == 0 or amount >= 0.1 else f"${amount:.4f}/h"


def places(request: Request) -> str:
    """``region X``, ``zone Y``, or both; "" = anywhere."""
    region = f"region {request.region}" if request.region else ""
    zone = f"zone {request.zone}" if request.zone else ""
    return " of ".join(part for part in (zone, region) if part)
