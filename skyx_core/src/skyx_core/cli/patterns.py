"""Patterns of candidates in the words of a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.results import Json


def pattern_text(pattern: Mapping[str, Json]) -> str:
    """Like ``aws/us-east-1/us-east-1a p4d.24xlarge A100:8 on-demand``; what is left open isn't mentioned."""
    parts = [_place(pattern), _text(pattern, "instance_type"), _accelerators(pattern)]
    spot = pattern.get("use_spot")
    parts.append("" if spot is None else "spot" if spot else "on-demand")
    for name, label in (("quota_bucket", "quota"), ("reservation", "reservation"), ("account", "account")):
        parts.append(f"{label} {pattern[name]}" if pattern.get(name) else "")
    parts.append("for the same image, disk or ports" if pattern.get("request") else "")
    return " ".join(part for part in parts if part)


def _text(pattern: Mapping[str, Json], name: str) -> str:
    return str(pattern.get(name) or "")


def _place(pattern: Mapping[str, Json]) -> str:
    cloud, region, zone = (_text(pattern, name) for name in ("cloud", "region", "zone"))
    known = [cloud or "*", region or ("*" if zone else ""), zone]
    return "/".join(part for part in known if part)


def _accelerators(pattern: Mapping[str, Json]) -> str:
    counts, name = pattern.get("accelerators"), _text(pattern, "accelerator")
    if isinstance(counts, list):  # as pairs, in events
        counts = {str(each[0]): each[1] for each in counts if isinstance(each, list) and len(each) == 2}
    if isinstance(counts, Mapping):
        return ",".join(f"{each}:{count:g}" for each, count in counts.items() if isinstance(count, int | float))
    return "any accelerator" if name == "*" else f"any number of {name}" if name else ""
