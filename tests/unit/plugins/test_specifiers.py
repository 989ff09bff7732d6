"""Version ranges, compared with the reference implementation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from skyx_core.specifiers import allows, canonical, declared_range, version_key

number = st.integers(0, 12).map(str)
release = st.lists(number, min_size=1, max_size=3).map(".".join)
suffix = st.sampled_from(["", "", "", "a1", "b2", "rc1", ".post1", ".dev3", "rc1.dev2"])
version = st.builds(str.__add__, release, suffix)
plain_clause = st.builds(str.__add__, st.sampled_from([">=", "<=", "<", ">", "==", "!="]), release)
star_clause = st.builds("{}{}.*".format, st.sampled_from(["==", "!="]), release)
compatible = st.builds("~={}.{}".format, number, number)
ranges = st.lists(plain_clause | star_clause | compatible, min_size=1, max_size=3).map(",".join)


@given(version, version)
def test_versions_sort_as_the_reference_sorts_them(one: str, two: str) -> None:
    assert (version_key(one) < version_key(two)) == (Version(one) < Version(two))  # type: ignore[operator]


@given(ranges, release | release.map(lambda text: text + "rc1"))
def test_ranges_admit_what_the_reference_admits(wanted: str, ours: str) -> None:
    if "rc" in ours and ">" in wanted.replace(">=", ""):
        return  # the reference keeps 1.0rc1 out of >0.9 in some releases only
    assert allows(wanted, ours) == SpecifierSet(wanted).contains(ours, prereleases=True)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("skyx-core>=0.1,<0.2", ">=0.1,<0.2"),
        ("skyx_core (>=0.1, <0.2)", ">=0.1,<0.2"),
        ("Skyx.Core[ssh] ~= 0.1 ; python_version > '3'", "~=0.1"),
        ("skyx-core", ""),
        ("skyx-core==1 ; extra == 'all'", ""),
        ("skyx-core-extras>=9", ""),
        ("not a requirement at all", ""),
        ("", ""),
    ],
)
def test_the_range_is_read_from_requirements(line: str, expected: str) -> None:
    assert declared_range([line], "skyx-core") == expected


def test_what_can_not_be_read_keeps_nobody_out() -> None:
    assert allows(">=banana", "0.1.0")
    assert allows(">=0.1", "unknown")
    assert allows("", "0.1.0")


def test_names_are_compared_as_indexes_do() -> None:
    assert canonical("Skyx_Core.Extra--x") == "skyx-core-extra-x"
