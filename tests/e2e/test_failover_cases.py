"""Failures that people met with tools of this kind, replayed against clouds that answer as those did."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from scripted_clouds import Script, said
from skyx_core import Session
from skyx_core.errors import (
    CredentialsError,
    InterruptedBySignal,
    NoCapacityError,
    PluginBrokenError,
    SettingsError,
    UsageError,
)
from skyx_core.models import EventKind
from skyx_core.task import loads

pytestmark = pytest.mark.e2e

FULL = "We currently do not have sufficient g5.xlarge capacity in the Availability Zone you requested ({zone})."


@pytest.fixture
def connect(cli, tmp_path) -> Iterator[Callable[..., Session]]:
    made: list[Session] = []

    def session(*scripts: Script, **variables: str) -> Session:
        cli.extra.update(variables)
        made.append(cli.session(plugins=[script.plugin(tmp_path) for script in scripts], scan_plugins=False))
        return made[-1]

    yield session
    for one in made:
        one.down(all=True)
        one.close()


def launch(session: Session, yaml: str = "resources: {cpus: 2+}\n", **options):
    return session.launch(loads(yaml).tasks[0], cluster="c", **options)


def failures(session: Session) -> list[dict]:
    return [dict(row) for row in session.explain("c") if row["kind"] == "attempt_failed"]


def gone(session: Session) -> bool:
    return not session.status().clusters


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


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text for you")


@pytest.mark.parametrize("fault", [KeyError("zone"), SystemExit(3), ConnectionError("reset"), Unprintable()])
def test_what_a_driver_should_not_raise_is_a_failed_attempt_named_as_the_plugins_fault(connect, fault):
    bad = Script("bad", {"r1": [None], "r2": [None]}, {("r1", None): fault})
    session = connect(bad)
    assert launch(session).attempts == 2
    assert bad.tried() == [("r1", None), ("r2", None)]
    (failed,) = failures(session)
    assert (failed["rule"], failed["verdict"]["category"]) == ("core.fault.plugin", "plugin")
    assert "bad" in failed["error"]


def test_when_every_plugin_fails_that_is_the_error(connect):
    bad = Script("bad", {"r1": [None]}, {("r1", None): KeyError("zone")})
    with pytest.raises(PluginBrokenError):
        launch(connect(bad))
    session = connect(bad)
    with pytest.raises(PluginBrokenError):
        launch(session)
    assert bad.tried() == [("r1", None)] * 2, "a plugin that was mended is tried again at once"


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


def odd_error(**fields):
    error = said("bad", "Code", "message")
    for name, value in fields.items():
        setattr(error, name, value)
    return error


@pytest.mark.parametrize(
    "fields",
    [
        {"body": b"{}"},
        {"body": {"a": 1}},
        {"code": b"C"},
        {"details": ("x",)},
        {"details": (5, None)},
        {"message": 5j},
    ],
    ids=ascii,
)
def test_an_error_whose_fields_are_of_the_wrong_kind_is_the_plugins_fault_and_no_end(connect, fields):
    bad = Script("bad", {"r1": [None]}, {("r1", None): odd_error(**fields)}, price=0.1)
    good = Script("good", {"r1": [None]})
    session = connect(bad, good)
    launch(session)
    assert session.status().clusters[0].cloud == "good"
    (failed,) = failures(session)
    assert (failed["rule"], failed["verdict"]["category"]) == ("core.fault.plugin", "plugin")


@pytest.mark.parametrize(
    "update",
    [
        {"hourly_usd": None},
        {"hourly_usd": "1"},
        {"region": None},
        {"accelerators": None},
        {"cpus": "4"},
        {"instance_type": "\ud800"},
    ],
    ids=ascii,
)
def test_offers_with_fields_of_the_wrong_kind_leave_only_their_cloud_out(connect, update):
    bad = Script("bad", {"r1": [None]}, price=0.1, offer_update=update)
    good = Script("good", {"r1": [None]})
    session = connect(bad, good)
    plan = session.plan(loads("resources: {cpus: 2+}\n").tasks[0])
    assert [row.cloud for row in plan.candidates] == ["good"]
    assert any("bad" in row.cloud and "wrong kind" in row.reason for row in plan.excluded)


@pytest.mark.parametrize("fault", [SystemExit(0), Unprintable(), KeyError("x")], ids=["exit", "unprintable", "key"])
def test_a_fault_in_lacks_leaves_only_that_cloud_out(connect, fault):
    bad = Script("bad", {"r1": [None]}, price=0.1, lacking=fault)
    good = Script("good", {"r1": [None]})
    plan = connect(bad, good).plan(loads("resources: {cpus: 2+}\n").tasks[0])
    assert [row.cloud for row in plan.candidates] == ["good"]
    assert any(row.cloud == "bad" for row in plan.excluded)


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
