"""How searches end without a cluster, and what is left to read of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripted_clouds import Script, said
from scripted_sessions import Connect, connecting, gone, launch, replays, rows_of
from skyx_core.api import Capability
from skyx_core.errors import (
    CredentialsError,
    InterruptedBySignal,
    NoCapacityError,
    PluginBrokenError,
    UsageError,
)

pytestmark = pytest.mark.e2e

DENIED = said("aws", "AuthFailure", "AWS was not able to validate the provided access credentials", 401)
WRONG = said("aws", "InvalidParameterValue", "Value (0) for parameter volumeSize is invalid.", 400)


@pytest.fixture
def connect(cli, tmp_path) -> Iterator[Connect]:
    with connecting(cli, tmp_path) as made:
        yield made


def aws(answer: BaseException | None, **more: object) -> Script:
    return Script("aws", {"us-east-1": ["us-east-1a"]}, {("us-east-1", "us-east-1a"): answer}, **more)


def infra(error: object) -> list[str]:
    return [row[0] for row in error.attempts]


def test_one_cloud_that_refuses_the_credentials_and_one_without_quota_are_no_capacity(connect):
    poor = Script("poor", denied="GPUS: 0 of 0", price=2.0)
    with pytest.raises(NoCapacityError) as caught:
        launch(connect(aws(DENIED), poor))
    assert caught.value.exit_code == 5
    assert infra(caught.value) == ["aws/us-east-1/us-east-1a", "poor/r1"]
    assert caught.value.attempts[1][2] == "GPUS: 0 of 0"
    assert poor.tried() == []


def test_a_faulty_plugin_beside_a_region_without_the_type_is_no_fault_of_every_plugin(connect):
    bad = Script("bad", {"r1": [None]}, {("r1", None): KeyError("zone")})
    bare = Script("bare", {"r2": []}, price=2.0)
    with pytest.raises(NoCapacityError) as caught:
        launch(connect(bad, bare))
    assert caught.value.exit_code == 5
    assert infra(caught.value) == ["bad/r1", "bare/r2"]
    assert "doesn't offer" in caught.value.attempts[1][2]


def test_every_kind_of_end_carries_the_table(connect):
    bad = Script("bad", {"r1": [None]}, {("r1", None): KeyError("zone")}, price=0.5)
    with pytest.raises(UsageError) as refused:
        launch(connect(bad, aws(WRONG)))
    assert infra(refused.value) == ["bad/r1", "aws/us-east-1/us-east-1a"]
    with pytest.raises(PluginBrokenError) as broken:
        launch(connect(bad))
    assert infra(broken.value) == ["bad/r1"]
    with pytest.raises(CredentialsError) as denied:
        launch(connect(aws(DENIED)))
    assert infra(denied.value) == ["aws/us-east-1/us-east-1a"]
    assert "aws" in denied.value.why


def test_the_table_of_a_cloud_that_is_blocked_as_a_whole_names_it_once(connect):
    many = Script("aws", {f"r{n}": ["z"] for n in range(99)}, {("r0", "z"): DENIED})
    full = Script("odd", {"r1": [None]}, {("r1", None): said("odd", "Full", "no room")}, price=2.0)
    session = connect(many, full)
    with pytest.raises(NoCapacityError) as caught:
        launch(session)
    assert len(many.tried()) == 1
    assert len(caught.value.attempts) < 30, "those that the plan showed, and the rest as one"
    assert any(row[:2] == ("aws", "everything else there") for row in caught.value.attempts)
    assert replays(session)


DAMAGE = {
    "no JSON": "json = '{'",
    "no object": "json = '5'",
    "nothing": "json = ''",
    "not of a kind": 'json = \'{"kind": "odd", "time": 0}\'',
    "bytes": "json = x'ff00'",
    "no verdict": "json = json_remove(json, '$.verdict')",
    "no zones": "json = json_remove(json, '$.zones')",
    "no candidate": "json = json_remove(json, '$.candidate')",
    "odd facts": "json = json_set(json, '$.data', json_object('number', 'x,-1', 'numbers', '?', 'retry_pause', '-'))",
    "a time that is none": "json = json_set(json, '$.decided_at', 'noon')",
}


@pytest.mark.parametrize("kind", ["launch_started", "zones_located", "attempt_started", "attempt_failed", "gave_up"])
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_event_ends_neither_explain_nor_replay(recorded, kind, damage):
    session = recorded
    with session.store._db.write() as con:
        kept = con.execute("SELECT seq, json FROM events WHERE kind = ?", (kind,)).fetchall()
        con.execute(f"UPDATE events SET {damage} WHERE kind = ?", (kind,))
    try:
        told = [row["kind"] for row in session.explain("c")]
        assert set(told) >= {"launch_started", "zones_located", "attempt_failed", "gave_up"} - {kind}
        list(session.replay("c"))
    finally:
        with session.store._db.write() as con:
            con.executemany("UPDATE events SET json = ?2 WHERE seq = ?1", kept)


@pytest.fixture(scope="module")
def recorded(new_user, tmp_path_factory):
    """A search that failed in two regions."""
    no = said("odd", "Full", "no room")
    with connecting(new_user(), tmp_path_factory.mktemp("clouds")) as connect:
        session = connect(Script("odd", {"r1": [None], "r2": [None]}, {("r1", None): no, ("r2", None): no}))
        with pytest.raises(NoCapacityError):
            launch(session)
        assert replays(session)
        yield session


def test_an_alternative_whose_image_is_refused_leaves_the_others_also_after_one_that_never_came_up(connect):
    """A launch was interrupted and kept what it made; then its image is gone."""
    gone_image = said("aws", "InvalidAMIID.NotFound", "The image id '[ami-1]' does not exist", 400)
    cloud = aws(None, can=frozenset({Capability.CUSTOM_IMAGE}))
    session = connect(cloud)
    cloud.answers = {("us-east-1", "us-east-1a"): lambda: session.interrupt(keep=True)}
    task = "resources: {any_of: [{image_id: ami-1}, {image_id: ami-2}], cpus: 2+}\n"
    with pytest.raises(InterruptedBySignal):
        launch(session, task)
    assert session.status().clusters[0].status == "INIT"
    cloud.calls.clear()
    cloud.answers = {("us-east-1", "us-east-1a"): [gone_image, None]}
    session = connect(cloud)
    launched = launch(session, task)
    assert launched.attempts == 2
    assert len(cloud.tried()) == 2
    (failed,) = rows_of(session, "attempt_failed")[-1:]
    assert "ami-1" in failed["error"]
    assert not gone(session)
