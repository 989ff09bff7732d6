"""The transition table of job states, looked at whole."""

from __future__ import annotations

import pytest

from skyx_agent import states

LEGAL = {
    ("INIT", "PENDING"), ("INIT", "FAILED_DRIVER"), ("INIT", "CANCELLED"),
    ("PENDING", "SETTING_UP"), ("PENDING", "RUNNING"), ("PENDING", "FAILED_DRIVER"), ("PENDING", "CANCELLED"),
    ("SETTING_UP", "RUNNING"), ("SETTING_UP", "SUCCEEDED"), ("SETTING_UP", "FAILED_SETUP"),
    ("SETTING_UP", "FAILED_DRIVER"), ("SETTING_UP", "CANCELLED"),
    ("RUNNING", "SUCCEEDED"), ("RUNNING", "FAILED"), ("RUNNING", "FAILED_DRIVER"), ("RUNNING", "CANCELLED"),
}  # fmt: skip


@pytest.mark.parametrize("old", states.ALL)
@pytest.mark.parametrize("new", states.ALL)
def test_exactly_the_listed_moves_are_possible(old: str, new: str) -> None:
    assert states.may_move(old, new) == ((old, new) in LEGAL)


def test_every_state_that_is_not_terminal_has_a_way_to_its_end() -> None:
    for state in states.ALL:
        reachable = {state}
        for _ in states.ALL:
            reachable |= {new for old in reachable for new in states.MOVES[old]}
        assert reachable & set(states.TERMINAL)


def test_nothing_leaves_a_terminal_state() -> None:
    assert all(not states.MOVES[state] for state in states.TERMINAL)
