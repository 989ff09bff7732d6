"""Where a launch goes when a cloud refuses, and what it leaves there: nothing."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli_process import Cli, wait_for
from plugin_fixtures import SOURCES
from skyx_core import Session
from skyx_core.errors import CredentialsError, NoCapacityError
from skyx_core.models import EventKind
from skyx_core.task import Task, loads
from skyx_core.testing import FakeCloud, FakePodDriver, FakeVmDriver, shared_clock

pytestmark = pytest.mark.e2e

DRIVERS = [("cloud", "fakevm", FakeVmDriver), ("cloud", "fakepod", FakePodDriver)]


@pytest.fixture(scope="module")
def servers(tmp_path_factory) -> Iterator[dict[str, FakeCloud]]:
    """One server of each mode for the module; every test leaves it as it was."""
    folder = tmp_path_factory.mktemp("clouds")
    with FakeCloud("vm", folder / "vm") as vm, FakeCloud("pod", folder / "pod") as pod:
        yield {"vm": vm, "pod": pod}


@pytest.fixture
def vm(servers) -> Iterator[FakeCloud]:
    yield servers["vm"]
    servers["vm"].reset()


@pytest.fixture
def pod(servers) -> Iterator[FakeCloud]:
    yield servers["pod"]
    servers["pod"].reset()


@pytest.fixture
def connect(cli) -> Iterator[Callable[..., Session]]:
    made: list[Session] = []

    def session(cloud: FakeCloud, **variables: str) -> Session:
        cli.extra.update({f"SKYX_FAKE{cloud.mode.upper()}_URL": cloud.url, **variables})
        made.append(cli.session(plugins=DRIVERS))
        return made[-1]

    yield session
    for one in made:
        one.down(all=True)
        one.close()


def task(infra: str, nodes: int = 1, extra: str = "") -> Task:
    return loads(f"num_nodes: {nodes}\nresources: {{infra: {infra}, cpus: 2{extra}}}\nrun: 'true'\n").tasks[0]


def failures(session: Session, name: str = "c") -> list[dict]:
    return [dict(row) for row in session.explain(name) if row["kind"] == "attempt_failed"]


def existing(cloud: FakeCloud) -> list[str]:
    return [node.id for node in cloud.ledger().values() if node.exists]


def test_a_zone_without_room_is_left_for_the_next(vm, connect):
    vm.control("capacity", place="east-a", nodes=0)
    session = connect(vm)
    launched = session.launch(task("fakevm/east"), cluster="c")
    assert launched.attempts == 2
    assert session.status().clusters[0].zone == "east-b"
    assert [f["rule"] for f in failures(session)] == ["fakevm-capacity"]
    assert len(vm.calls("RunNodes")) == 2


def test_an_error_before_anything_was_made_is_retried_then_left(vm, connect):
    vm.fault("RunNodes", "error_before", code="QuotaExceeded", status=403, message="quota of 0 v.small in east")
    session = connect(vm)
    session.launch(task("fakevm"), cluster="c")
    assert session.status().clusters[0].region == "west"
    assert "QuotaExceeded" in str(failures(session)[0]["error"])


def test_an_error_after_the_node_was_made_leaves_none_behind(vm, connect):
    vm.fault("RunNodes", "error_after", count=9, code="InsufficientNodeCapacityNow", status=400, message="half-done")
    session = connect(vm)
    with pytest.raises(NoCapacityError):
        session.launch(task("fakevm/north"), cluster="c")
    assert len(vm.ledger()) >= 1
    assert existing(vm) == []
    assert session.status().clusters == []


def test_no_capacity_anywhere_is_told_place_by_place(vm, connect):
    vm.control("capacity", nodes=0)
    session = connect(vm)
    with pytest.raises(NoCapacityError) as caught:
        session.launch(task("fakevm", extra=", instance_type: v.small"), cluster="c")
    rows = caught.value.attempts
    zones = {f"fakevm/{z.partition('-')[0]}/{z}" for z in ("east-a", "east-b", "west-a", "west-b", "west-c", "north-a")}
    assert {row[0] for row in rows} == zones
    assert all("no room for 1 x v.small" in row[2] and "v.small" in row[1] for row in rows)
    assert "--retry-until-up" in caught.value.hint
    assert vm.ledger() == {} or not existing(vm)
    assert session.status().clusters == []
    assert len(vm.calls("RunNodes")) == len(zones)  # each place once


def test_part_of_a_gang_is_no_cluster(pod, connect):
    before = len(pod.ledger())
    pod.control("capacity", nodes=1)
    cli_settings = "clouds: {fakepod: {pending_limit_s: 0.5}}\n"
    session = connect(pod)
    session.dirs.config.mkdir(parents=True, exist_ok=True)
    session.dirs.settings_file.write_text(cli_settings)
    session = connect(pod)
    with pytest.raises(NoCapacityError) as caught:
        session.launch(task("fakepod", nodes=3), cluster="c")
    assert any("Unschedulable" in row[2] for row in caught.value.attempts)
    assert len(pod.ledger()) > before
    assert existing(pod) == []


def test_a_driver_that_returns_too_few_nodes_is_not_believed(vm, connect, cli):
    class Short(FakeVmDriver):
        def provision(self, place, request, attempt):  # type: ignore[no-untyped-def]
            whole = super().provision(place, request, attempt)
            return whole.model_copy(update={"nodes": whole.nodes[:1]})

    connect(vm)
    with cli.session(plugins=[("cloud", "fakevm", Short)]) as session:
        with pytest.raises(NoCapacityError) as caught:
            session.launch(task("fakevm/north", nodes=3), cluster="c")
        assert any("got 1 of 3" in row[2] for row in caught.value.attempts)
        assert existing(vm) == []
        assert session.status().clusters == []


def test_an_unknown_code_blocks_the_narrowest_and_is_named_as_it_came(vm, connect):
    code = "ZONE_RESOURCE_POOL_EXHAUSTED_V3"
    vm.fault("RunNodes", "error_before", code=code, status=400, message="the zone has no more of these")
    session = connect(vm)
    session.launch(task("fakevm/east"), cluster="c")
    assert session.status().clusters[0].zone == "east-b"
    [failed] = failures(session)
    assert code in failed["error"]
    [block] = failed["blocks"]
    assert (block["key"]["cloud"], block["key"]["zone"], block["key"]["instance_type"]) == (
        "fakevm",
        "east-a",
        "v.small",
    )


def test_refused_credentials_end_the_cloud_after_one_call(vm, pod, connect):
    vm.fault("*", "error_before", count=99, code="Unauthorized", status=401, message="the token has expired")
    session = connect(vm)
    with pytest.raises(CredentialsError):
        session.launch(task("fakevm"), cluster="c")
    assert vm.calls("RunNodes") == []
    assert session.status().clusters == []


def test_retry_until_up_waits_and_takes_what_becomes_free(tmp_path, connect):
    with (
        shared_clock(tmp_path) as (clock, variables),
        FakeCloud("vm", tmp_path / "vm", clock=tmp_path / "clock") as cloud,
    ):
        cloud.control("capacity", nodes=0)
        session = connect(cloud, **variables)
        waits: list[float] = []
        session.on_event = lambda e: waits.append(e.seconds or 0) if e.kind is EventKind.RETRY_WAIT else None
        results: list[object] = []

        def launch() -> None:
            try:
                results.append(session.launch(task("fakevm/north"), cluster="c", retry_until_up=True))
            except BaseException as error:
                results.append(error)

        thread = threading.Thread(target=launch, daemon=True)
        began = time.monotonic()
        thread.start()
        wait_for(lambda: waits, what="the first pause")
        calls = len(cloud.calls("RunNodes"))
        assert waits[0] >= 29
        clock.advance(waits[0] + 1)
        wait_for(lambda: len(cloud.calls("RunNodes")) > calls, what="the second round")
        cloud.control("capacity")
        wait_for(lambda: len(waits) > 1 or results, what="the second pause")
        while not results and time.monotonic() - began < 40:
            clock.advance(60)
            thread.join(0.3)
        assert getattr(results[0], "job_id", results[0]) == 1
        session.down(all=True)
        assert not existing(cloud)


def test_the_table_of_what_was_tried_at_the_command_line(vm, cli: Cli, tmp_path: Path):
    """With the fake clouds as an installed distribution."""
    vm.control("capacity", nodes=0)
    paths = os.pathsep.join([str(SOURCES / "skyx-fakecloud")])
    cli.extra.update(PYTHONPATH=paths, SKYX_FAKEVM_URL=vm.url)
    ended = cli.run("launch", "-c", "c", "-y", "--infra", "fakevm/east", "--cpus", "2", "true", code=5)
    assert "fakevm/east/east-a" in ended.err
    assert "fakevm/east/east-b" in ended.err
    assert "no room for 1 x v.small" in ended.err
    for word in ("INFRA", "RESOURCES", "REASON", "hint:", "--retry-until-up"):
        assert word in ended.err
    assert cli.run("status", "-o", "json").json == []
