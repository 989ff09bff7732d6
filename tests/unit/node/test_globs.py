"""Patterns with many stars are matched quickly, and as regular expressions would."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyx_core.node.gitignore import IgnoreFile
from skyx_core.node.globs import ANYTHING, FOLDERS, NAME_PART, Glob

_PIECES = st.lists(st.sampled_from([NAME_PART, ANYTHING, FOLDERS, b"a", b"b", b"/", b"[^/]"]), max_size=8)


@given(pieces=_PIECES, name=st.text("ab/", max_size=10))
def test_both_ways_of_matching_agree(pieces: list[bytes], name: str) -> None:
    glob, raw = Glob(pieces), name.encode()
    expected = re.fullmatch(b"".join(pieces), raw, re.DOTALL) is not None
    assert glob._walk(raw) == expected
    assert glob.matches(raw) == expected


@pytest.mark.parametrize(
    "pattern", ["*a" * 12 + "b", "*" * 60 + "b", "*?" * 30 + "b", "a*" * 60 + "b", "**/" * 60 + "b", "/" + "**/a*" * 20]
)
def test_no_pattern_takes_long(pattern: str) -> None:
    rules, start = IgnoreFile(pattern.encode()), time.process_time()
    for name in ("a" * 60, "a" * 250, "a/" * 60 + "c"):
        assert not rules.verdict(name, folder=False)
    assert time.process_time() - start < 2
