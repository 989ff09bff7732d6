"""Names of clusters."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyx_core.errors import UsageError
from skyx_core.state.names import check_cluster_name, cloud_name, made_name


@pytest.mark.parametrize("name", ["a", "My_Job", "my-job", "my.job", "a1", "x" * 80])
def test_good_names_are_taken_as_they_are(name):
    assert check_cluster_name(name) == name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "empty"),
        ("1abc", "starts with '1'"),
        ("名前", "not allowed"),
        ("é", "not allowed"),
        ("a b", "' ' is not allowed"),
        ("-x", "starts with '-'"),
        ("x-", "ends with '-'"),
        ("x.", "ends with '.'"),
        ("a\n", "not allowed"),
        ("a/b", "'/' is not allowed"),
        ("x" * 81, "81 characters"),
        ("a*", "not allowed"),
    ],
)
def test_bad_names_are_refused_with_the_rule(name, why):
    with pytest.raises(UsageError) as caught:
        check_cluster_name(name)
    assert why in caught.value.why
    assert "starts with a letter" in caught.value.hint
    assert caught.value.exit_code == 2


@given(st.text(max_size=120), st.integers(12, 80))
def test_cloud_names_are_always_valid(name, max_len):
    made = cloud_name(name, max_len)
    assert re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?", made)
    assert len(made) <= max_len
    assert made == cloud_name(name, max_len)


def test_names_that_differ_never_meet():
    alike = ["My_Job", "my-job", "my.job", "my_job", "MY-JOB", "x" * 40 + "a", "x" * 40 + "b", "x" * 40]
    assert len({cloud_name(name) for name in alike}) == len(alike)
    assert cloud_name("my-job").startswith("my-job-")


def test_made_names_are_valid_and_follow_the_seed():
    names = [made_name(random.Random(seed)) for seed in range(200)]
    assert all(check_cluster_name(name) for name in names)
    assert len(set(names)) > 190
    assert made_name(random.Random(7)) == made_name(random.Random(7))
