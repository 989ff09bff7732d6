"""Spans of time: one wording, in one place."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import skyx_core
from skyx_core.spans import span, took


@pytest.mark.parametrize(
    ("seconds", "near", "up"),
    [
        (0, "0 s", "0 s"), (-5, "0 s", "0 s"), (0.2, "0 s", "1 s"), (1, "1 s", "1 s"), (119, "119 s", "119 s"),
        (119.6, "2 min", "2 min"), (120, "2 min", "2 min"), (121, "2 min", "3 min"), (299.9996, "5 min", "5 min"),
        (300, "5 min", "5 min"), (300.0002, "5 min", "5 min"), (7199, "120 min", "120 min"), (7200, "2 h", "2 h"),
        (9100, "3 h", "3 h"), (9000, "2 h", "3 h"), (86400, "24 h", "24 h"), (172800, "2 d", "2 d"),
        (1e9, "11574 d", "11575 d"), (math.inf, "-", "-"), (math.nan, "-", "-"),
    ],
)  # fmt: skip
def test_a_span_is_in_the_largest_unit_of_which_there_are_two(seconds: float, near: str, up: str) -> None:
    assert (span(seconds), span(seconds, up=True)) == (near, up)


def test_what_is_rounded_up_is_never_less_than_what_it_stands_for() -> None:
    units = {"s": 1, "min": 60, "h": 3600, "d": 86400}
    for tenths in [*range(0, 80_000, 7), *range(80_000, 40_000_000, 99_991)]:
        number, unit = span(tenths / 10, up=True).split()
        assert int(number) * units[unit] >= tenths / 10
        assert int(number) * units[unit] < tenths / 10 * 1.51 + 1


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0.0 s"), (-1, "0.0 s"), (1.23, "1.2 s"), (119.9, "119.9 s"), (754.2, "13 min")]
)
def test_what_something_took_has_tenths_while_they_matter(seconds: float, text: str) -> None:
    assert took(seconds) == text


def test_no_other_module_writes_spans_of_its_own() -> None:
    home = Path(skyx_core.__file__).parent
    own = re.compile(r"/ ?(60|3600|86400)(\.0)?\b[^{}]*\} ?(min|h|d)\b|\bdef _?span\(seconds|:\.[01]f\} s\b")
    found = {
        f"{path.relative_to(home)}: {line.strip()}"
        for path in home.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if own.search(line) and path.name != "spans.py"
    }
    assert found == set()
