"""What a launch remembers of those before it, and of itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripted_clouds import Script, said
from scripted_sessions import Connect, connecting, launch
from skyx_core.errors import (
    CredentialsError,
    InterruptedBySignal,
    NoCapacityError,
)
from skyx_core.models import EventKind
from skyx_core.task import loads

pytestmark = pytest.mark.e2e

FULL = "We currently do not have sufficient g5.xlarge capacity in the Availability Zone you requested ({zone})."


@pytest.fixture
def connect(cli, tmp_path) -> Iterator[Connect]:
    with connecting(cli, tmp_path) as made:
        yield made


def test_blocks_outlive_a_launch_and_end_when_credentials_change(connect):
    denied = said("aws", "AuthFailure", "AWS was not able to validate the provided access credentials", 401)
    aws = Script("aws", {"us-east-1": ["us-east-1a"]}, {("us-east-1", "us-east-1a"): [denied, None]})
    with pytest.raises(CredentialsError):
        launch(connect(aws))
    session = connect(aws)
    with pytest.raises(CredentialsError) as caught:
        launch(session)
    assert len(aws.tried()) == 1, "nothing has changed, so nothing is asked"
    assert "blocked" in caught.value.why
    assert "skyx blocks clear" in caught.value.hint or "skyx check" in caught.value.hint
    aws.key = "key-2"
    launch(connect(aws))
    assert len(aws.tried()) == 2


def test_a_full_zone_is_known_to_the_next_launch_until_its_block_ends_or_is_cleared(connect):
    full = said("aws", "InsufficientInstanceCapacity", FULL.format(zone="us-east-1a"), 500)
    aws = Script("aws", {"us-east-1": ["us-east-1a"]}, {("us-east-1", "us-east-1a"): [full, None]})
    with pytest.raises(NoCapacityError):
        launch(connect(aws))
    session = connect(aws)
    with pytest.raises(NoCapacityError) as caught:
        launch(session)
    assert len(aws.tried()) == 1
    assert caught.value.attempts
    assert "blocked for" in caught.value.attempts[0][2]
    assert "the first block ends in" in caught.value.hint
    assert session.clear_blocks() >= 1
    launch(session)
    assert len(aws.tried()) == 2


def test_spot_that_is_gone_says_nothing_about_on_demand(connect):
    full = said(
        "aws", "InsufficientInstanceCapacity", "There is no Spot capacity available that matches your request.", 500
    )
    aws = Script("aws", {"us-east-1": ["us-east-1a"]}, {("us-east-1", "us-east-1a"): [full, None]}, spot_price=0.2)
    session = connect(aws)
    launch(session, "resources: {any_of: [{use_spot: true}, {use_spot: false}], cpus: 2+}\n")
    assert not session.status().clusters[0].use_spot
    assert len(aws.tried()) == 2


def test_a_launch_that_never_came_up_is_retried_where_it_was_first(connect):
    """Interrupted in the dearer region, and what was made kept: the next launch looks there first."""
    odd = Script("odd", {"r1": [None], "r2": [None]}, {("r1", None): KeyError("x")})
    session = connect(odd)
    odd.answers = {("r1", None): KeyError("x"), ("r2", None): lambda: session.interrupt(keep=True)}
    with pytest.raises(InterruptedBySignal):
        launch(session)
    assert odd.tried() == [("r1", None), ("r2", None)]
    odd.answers = {}
    odd.calls.clear()
    launch(connect(odd))
    assert odd.tried()[0] == ("r2", None)


def test_a_search_that_waits_goes_on_when_credentials_are_renewed(connect):
    denied = said("aws", "AuthFailure", "AWS was not able to validate the provided access credentials", 401)
    aws = Script("aws", {"us-east-1": ["us-east-1a"]}, {("us-east-1", "us-east-1a"): [denied, None]})

    def renew(event: object) -> None:
        if getattr(event, "kind", None) == EventKind.RETRY_WAIT:
            aws.key = "key-2"

    session = connect(aws, SKYX_RETRY_PAUSE_S="0.2")
    session.on_event = renew
    launch(session, retry_until_up=True)
    assert len(aws.tried()) == 2
    assert all(row.same for row in session.replay("c"))


def test_a_search_that_waits_goes_on_when_its_blocks_are_cleared(connect):
    full = said("aws", "InsufficientInstanceCapacity", FULL.format(zone="us-east-1a"), 500)
    aws = Script("aws", {"us-east-1": ["us-east-1a"]}, {("us-east-1", "us-east-1a"): [full, None]})

    def clear(event: object) -> None:
        if getattr(event, "kind", None) == EventKind.RETRY_WAIT:
            session.clear_blocks()

    session = connect(aws, SKYX_RETRY_PAUSE_S="0.2")
    session.on_event = clear
    launch(session, retry_until_up=True)
    assert len(aws.tried()) == 2
    assert all(row.same for row in session.replay("c"))


def test_a_launch_learns_what_another_one_meets_meanwhile(connect):
    full = said("aws", "InsufficientInstanceCapacity", FULL.format(zone="a"), 500)
    zones = [f"us-east-1{letter}" for letter in "abcd"]
    aws = Script("aws", {"us-east-1": zones}, {("us-east-1", zone): full for zone in zones})
    slow = connect(aws)

    def meanwhile() -> None:
        if len(aws.tried()) == 1:
            with pytest.raises(NoCapacityError):
                connect(aws).launch(loads("resources: {cpus: 2+}\n").tasks[0], cluster="other")
        raise full

    aws.answers = {("us-east-1", zones[0]): meanwhile, **{("us-east-1", zone): full for zone in zones[1:]}}
    with pytest.raises(NoCapacityError):
        launch(slow)
    assert sorted(zone for _, zone in aws.tried()) == sorted([*zones, zones[0]]), "no zone but the first one twice"
