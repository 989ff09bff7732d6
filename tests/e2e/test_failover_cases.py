"""Failures that people met with tools of this kind, replayed against clouds that answer as those did."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from scripted_clouds import Script, said
from scripted_sessions import Connect, connecting, failures, gone, launch
from skyx_core.errors import (
    CredentialsError,
    SettingsError,
    UsageError,
)

pytestmark = pytest.mark.e2e

FULL = "We currently do not have sufficient g5.xlarge capacity in the Availability Zone you requested ({zone})."


@pytest.fixture
def connect(cli, tmp_path) -> Iterator[Connect]:
    with connecting(cli, tmp_path) as made:
        yield made


@pytest.mark.parametrize("code", ["ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", "ZONE_RESOURCE_POOL_EXHAUSTED_V3"])
def test_a_new_spelling_of_no_capacity_moves_on_to_the_next_zone(connect, code):
    full = said("gcp", code, "The zone 'projects/p/zones/us-central1-a' does not have enough resources available.")
    gcp = Script("gcp", {"us-central1": ["us-central1-a", "us-central1-b"]}, {("us-central1", "us-central1-a"): full})
    session = connect(gcp)
    assert launch(session).attempts == 2
    assert session.status().clusters[0].zone == "us-central1-b"
    (failed,) = failures(session)
    assert code in failed["error"]
    assert failed["blocks"][0]["key"]["zone"] == "us-central1-a"


EXPIRED = {
    "kubernetes": said("kubernetes", "Unauthorized", "Unauthorized", 401),
    "aws": said("aws", "ExpiredToken", "The security token included in the request is expired", 400),
}


def expired_clouds() -> tuple[Script, Script]:
    k8s = Script("kubernetes", {"ctx": [None]}, {("ctx", None): EXPIRED["kubernetes"]}, price=0.1)
    aws = Script(
        "aws",
        {"us-east-1": ["us-east-1a", "us-east-1b"], "us-east-2": ["us-east-2a"]},
        {("us-east-1", "us-east-1a"): EXPIRED["aws"]},
        price=0.5,
    )
    return k8s, aws


def test_expired_credentials_of_one_cloud_cost_one_call_there(connect):
    k8s, aws = expired_clouds()
    gcp = Script("gcp", {"us-central1": ["us-central1-a"]}, price=2)
    session = connect(k8s, aws, gcp)
    launch(session)
    assert session.status().clusters[0].cloud == "gcp"
    assert (len(k8s.tried()), len(aws.tried())) == (1, 1)
    assert all(row["hint"] for row in failures(session))


def test_when_every_credential_is_bad_it_says_so_and_leaves_no_row(connect):
    k8s, aws = expired_clouds()
    session = connect(k8s, aws)
    with pytest.raises(CredentialsError) as caught:
        launch(session)
    assert caught.value.exit_code == 4
    assert "kubernetes" in caught.value.why
    assert "aws" in caught.value.why
    assert gone(session)


def test_a_region_that_may_not_be_listed_is_left_out_with_its_reason(connect):
    denied = said("aws", "UnauthorizedOperation", "You are not authorized to perform this operation.", 403)
    aws = Script("aws", {"us-east-1": ["us-east-1a"]}, locating={"us-east-1": denied}, price=0.5)
    gcp = Script("gcp", {"us-central1": ["us-central1-a"]}, price=2)
    session = connect(aws, gcp)
    launch(session)
    assert session.status().clusters[0].cloud == "gcp"
    assert aws.tried() == []


def test_every_zone_is_tried_once_and_those_without_a_subnet_never(connect):
    region = "us-east-1"
    full = said("aws", "InsufficientInstanceCapacity", FULL.format(zone="us-east-1a"), 500)
    unsupported = said(
        "aws", "Unsupported", "Your requested instance type is not supported in your requested Availability Zone", 400
    )
    zones = ["us-east-1a", "us-east-1b", ("us-east-1c", "no subnet"), "us-east-1d", ("us-east-1e", "no subnet")]
    answers = {(region, "us-east-1a"): full, (region, "us-east-1b"): full, (region, "us-east-1d"): unsupported}
    aws = Script("aws", {region: [*zones, "us-east-1f"]}, answers)
    session = connect(aws)
    launch(session)
    assert [zone[-1] for _, zone in aws.tried()] == ["a", "b", "d", "f"]
    located = next(row for row in session.explain("c") if row["kind"] == "zones_located")
    assert [z["zone"][-1] for z in located["zones"] if z.get("skip") == "no subnet"] == ["c", "e"]

    session.down(["c"])
    launch(session)
    assert [zone[-1] for _, zone in aws.tried()] == ["a", "b", "d", "f", "f"], "the next launch starts where it worked"
    assert all(row.same for row in session.replay("c"))


def test_a_region_whose_api_never_answers_is_left_out_and_hurts_nobody_else(connect):
    hang = threading.Event()
    aws = Script(
        "aws", {"me-south-1": ["me-south-1a"], "us-east-1": ["us-east-1a"]}, locating={"me-south-1": hang.wait}
    )
    session = connect(aws, SKYX_CALL_TIMEOUT_S="0.5")
    try:
        launch(session)
    finally:
        hang.set()
    assert session.status().clusters[0].region == "us-east-1"
    located = [row for row in session.explain("c") if row["kind"] == "zones_located"]
    assert located[0]["rule"] == "core.fault.timeout"
    assert located[0]["blocks"][0]["key"] == {"cloud": "aws", "region": "me-south-1"}


def test_nodes_behind_a_not_found_are_removed_before_the_next_zone(connect):
    """The cloud says that there is no such instance, and there is one."""
    lost = said(
        "gcp", "RESOURCE_NOT_FOUND", "The resource 'projects/p/zones/us-west1-a/instances/x' was not found", 404
    )
    lost.nodes_may_exist = True
    gcp = Script(
        "gcp",
        {"us-west1": ["us-west1-a", "us-west1-b"]},
        {("us-west1", "us-west1-a"): lost},
        leaves_nodes=True,
    )
    session = connect(gcp)
    launch(session)
    places = [(what, zone) for what, _, zone in gcp.calls if what != "zones"]
    assert places[0] == ("create", "us-west1-a")
    assert places[1] == ("end", "us-west1-a")
    assert places[-1] == ("create", "us-west1-b")
    assert len(session.status().clusters) == 1


def test_places_that_an_error_names_are_tried_next_and_no_other_is_lost(connect):
    """Names are compared whole: us-east-10 isn't us-east-1."""
    full = said(
        "lambda",
        "instance-operations/launch/insufficient-capacity",
        "Not enough capacity to fulfill launch request.",
        400,
    )
    named = said("odd", "NoRoom", "no room here. Regions with capacity available: us-east-10, eu-1.", 503)
    matched = 'code: NoRoom, message: "available: (?P<places>[^.]+)"'
    rule = f"{{id: t, {matched}, category: capacity, block: instance_type_in_region}}"
    rules = f"rules: [{rule}]"
    odd = Script(
        "odd",
        {"us-west-1": [None], "us-east-1": [None], "eu-1": [None], "us-east-10": [None], "ap-1": [None]},
        {("us-west-1", None): named, ("eu-1", None): full, ("us-east-10", None): full, ("us-east-1", None): full},
    )
    session = connect(odd)
    session.dirs.config.mkdir(parents=True)
    session.dirs.rules_file.write_text(rules)
    launch(session)
    assert [region for region, _ in odd.tried()] == ["us-west-1", "eu-1", "us-east-10", "us-east-1", "ap-1"]
    assert all(row.same for row in session.replay("c"))


def test_a_mistake_of_the_user_ends_the_launch_at_once(connect):
    wrong = said("aws", "InvalidParameterValue", "Value (0) for parameter volumeSize is invalid.", 400)
    aws = Script("aws", {"us-east-1": ["us-east-1a", "us-east-1b"]}, {("us-east-1", "us-east-1a"): wrong})
    gcp = Script("gcp", {"us-central1": ["us-central1-a"]}, price=5)
    session = connect(aws, gcp)
    with pytest.raises(UsageError, match="refused"):
        launch(session)
    assert (len(aws.tried()), gcp.tried()) == (1, [])
    assert gone(session)


def test_busy_is_tried_again_here_a_bounded_number_of_times(connect):
    busy = said("odd", "Busy", "still stopping", 409)
    odd = Script("odd", {"r1": [None], "r2": [None]}, {("r1", None): busy})
    rules = "rules: [{id: busy, code: Busy, category: transient, retry: {max: 2, wait: 0.05}, block_after: region}]"
    session = connect(odd)
    session.dirs.config.mkdir(parents=True)
    session.dirs.rules_file.write_text(rules)
    launch(session)
    assert odd.tried() == [("r1", None)] * 3 + [("r2", None)]
    assert [row["next"][:10] for row in failures(session)] == ["retry here", "retry here", "next candi"]


def test_throttled_questions_for_zones_are_asked_again_here(connect):
    busy = said("odd", "Busy", "slow down", 429)
    answers = iter([busy, busy, None])

    def ask() -> None:
        answer = next(answers)
        if answer is not None:
            raise answer

    odd = Script("odd", {"r1": [None], "r2": [None]}, locating={"r1": ask})
    session = connect(odd)
    session.dirs.config.mkdir(parents=True)
    rules = "rules: [{id: busy, code: Busy, category: rate_limit, retry: {max: 3, wait: 0.05}, block_after: region}]"
    session.dirs.rules_file.write_text(rules)
    launch(session)
    assert odd.tried() == [("r1", None)]
    assert [region for what, region, _ in odd.calls if what == "zones"] == ["r1"] * 3
    assert all(row.same for row in session.replay("c"))


def test_mistakes_in_the_users_rules_end_a_launch_before_anything_is_made(connect):
    odd = Script("odd", {"r1": [None]})
    session = connect(odd)
    session.dirs.config.mkdir(parents=True)
    session.dirs.rules_file.write_text("rules: [{id: x, code: '(', category: capacity}]")
    with pytest.raises(SettingsError, match="mistake"):
        launch(session)
    assert odd.calls == []


def test_a_cloud_that_cannot_use_the_name_is_left_out_as_a_whole(connect):
    odd = Script("odd", {"r1": [None], "r2": [None]}, price=0.1, name_problem="names start with a letter there")
    other = Script("other", {"r1": [None]})
    session = connect(odd, other)
    launch(session)
    assert session.status().clusters[0].cloud == "other"
    assert odd.calls == []
