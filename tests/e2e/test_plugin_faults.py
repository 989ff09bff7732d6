"""What drivers should not do costs an attempt or a cloud, never the launch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripted_clouds import Script, said
from scripted_sessions import Connect, connecting, failures, launch
from skyx_core.errors import (
    PluginBrokenError,
)
from skyx_core.task import loads

pytestmark = pytest.mark.e2e


@pytest.fixture
def connect(cli, tmp_path) -> Iterator[Connect]:
    with connecting(cli, tmp_path) as made:
        yield made


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
