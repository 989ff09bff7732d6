"""Patterns whose search may not end in time, and those that only look alike."""

from __future__ import annotations

import re
import time

import pytest

from skyx_core.settings.slow_patterns import can_take_forever

FOREVER = (
    r"(a+)+b",
    r"(a*)*b",
    r"(?:\w+\s?)*$",
    r"(x|y+)*z",
    r"((ab?)+c?)+d",
    r"(a+?)+?b",
    r"(?P<n>[a-z]{2,}){5,}1",
    r"(a{1,40}){20}b",
    r"(?:(?:a+)){0,9}b",
    r"(?:(x)(?(1)a+|b))*c",
)
BRIEF = (
    r"no capacity in (?P<places>\S+)",
    r"\d{1,3}(?:\.\d{1,3}){3}",
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}",
    r"(a++)+b",
    r"(?>a+)*b",
    r"(?:(?=.*x)y)*",
    r"(?:a+){3}",
    r"(?:zone|region)+ is full",
    r"a+b+c*",
    r"(?:ab?c?)*",
)


@pytest.mark.parametrize("pattern", FOREVER)
def test_a_repeat_without_a_limit_within_a_repeat_is_found(pattern: str) -> None:
    re.compile(pattern)
    assert can_take_forever(pattern)


@pytest.mark.parametrize("pattern", BRIEF)
def test_other_patterns_are_not_held_for_such(pattern: str) -> None:
    assert not can_take_forever(pattern)


def test_looking_at_a_pattern_searches_nothing() -> None:
    start = time.process_time()
    assert can_take_forever("(" * 40 + "a+" + ")+" * 40)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("pattern", ["(", "[", "*"])
def test_what_is_no_pattern_is_refused_as_when_it_is_compiled(pattern: str) -> None:
    with pytest.raises(re.error):
        can_take_forever(pattern)
