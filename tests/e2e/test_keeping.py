"""What holds data is never destroyed on a guess, and what costs money ends even when its launch went wrong."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli_process import Cli, wait_for
from skyx_core import Session
from skyx_core.errors import NoCapacityError, SkyxError
from skyx_core.models import Autostop
from skyx_core.task import Task, loads
from skyx_core.testing import FakeCloud, FakeVmDriver, shared_clock

pytestmark = pytest.mark.e2e


def task(infra: str, run: str = "true", more: str = "") -> Task:
    return loads(f"resources: {{infra: {infra}{more}}}\nrun: {json.dumps(run)}\n").tasks[0]


@pytest.fixture(scope="module")
def vm(tmp_path_factory) -> Iterator[FakeCloud]:
    with FakeCloud("vm", tmp_path_factory.mktemp("cloud")) as cloud:
        yield cloud


@pytest.fixture
def session(cli: Cli, vm: FakeCloud) -> Iterator[Session]:
    cli.extra["SKYX_FAKEVM_URL"] = vm.url
    with cli.session(plugins=[("cloud", "fakevm", FakeVmDriver)]) as made:
        yield made
        vm.reset()
        made.down(all=True)


def exist(cloud: FakeCloud) -> list[str]:
    return [node.id for node in cloud.ledger().values() if node.exists]


def test_a_restart_that_was_cut_off_and_finds_no_room_terminates_nothing(vm, session, monkeypatch):
    session.launch(task("fakevm/east"), cluster="c")
    session.stop(["c"])
    monkeypatch.setenv("SKYX_FAILPOINT", "start.after_nodes=raise")
    with pytest.raises((SkyxError, RuntimeError)):
        session.launch(task("fakevm/east"), cluster="c")
    monkeypatch.delenv("SKYX_FAILPOINT")
    session.stop(["c"])
    vm.control("capacity", nodes=0)
    with pytest.raises(NoCapacityError):
        session.launch(task("fakevm/east"), cluster="c")
    assert vm.calls("TerminateNodes") == []
    [row] = session.status(refresh=True).clusters
    assert row.status == "STOPPED"
    vm.control("capacity")
    assert session.launch(task("fakevm/east"), cluster="c").attempts == 0
    assert len(exist(vm)) == 1


@pytest.mark.parametrize("kind", ["partial", "error_before", "timeout_before", "garbage"])
def test_a_list_that_can_not_be_trusted_changes_nothing(vm, session, cli, kind):
    cli.settings("clouds: {fakevm: {call_timeout_s: 0.5}}\n")
    with cli.session(plugins=[("cloud", "fakevm", FakeVmDriver)]) as impatient:
        impatient.launch(task("fakevm/east"), cluster="c")
        vm.fault("DescribeNodes", kind, count=50)
        [row] = impatient.status(refresh=True).clusters
        assert row.status == "UP"
        assert row.reason
        assert impatient.status().clusters[0].status == "UP"
        assert len(exist(vm)) == 1


class Lagging(FakeVmDriver):
    """Of a cloud whose lists lag, and which says so."""

    list_lag_s = 1.2


def test_a_new_node_that_lists_do_not_show_yet_is_not_taken_for_gone(vm, session, cli):
    with cli.session(plugins=[("cloud", "fakevm", Lagging)]) as lagging:
        vm.control("timing", list_lag_s=1.0)
        lagging.launch(task("fakevm/east"), cluster="c")
        assert lagging.status(refresh=True).clusters[0].name == "c"
        assert len(exist(vm)) == 1


def test_a_node_of_a_lost_answer_that_lists_do_not_show_yet_is_not_forgotten(vm, session, cli):
    with cli.session(plugins=[("cloud", "fakevm", Lagging)]) as lagging:
        vm.control("timing", list_lag_s=1.0)
        vm.fault("RunNodes", "error_after", code="SomethingNew", status=400, message="half-done", count=9)
        with pytest.raises(NoCapacityError):
            lagging.launch(task("fakevm/north"), cluster="c")
        assert vm.ledger()
        assert exist(vm) == []


def test_a_zone_query_that_keeps_failing_ends_and_says_so(vm, session):
    vm.fault("DescribeZones", "error_before", count=10_000, code="InternalError", status=500)
    with pytest.raises(NoCapacityError) as caught:
        session.launch(task("fakevm"), cluster="c")
    assert caught.value.attempts
    assert all("InternalError" in row[2] for row in caught.value.attempts)
    assert len(vm.calls("DescribeZones")) <= 30
    assert vm.calls("RunNodes") == []
    assert session.status().clusters == []


def test_taking_down_what_was_removed_behind_our_back_is_success(vm, session):
    session.launch(task("fakevm/east"), cluster="c")
    vm.control("end", id=exist(vm)[0], how="terminate")
    [ended] = session.down(["c"])
    assert (ended.error, ended.remaining) == ("", [])
    assert vm.calls("TerminateNodes") == []  # nothing is asked for by an empty list
    assert session.down(["c"])[0].exit_code == 3


def test_what_can_not_be_removed_stays_recorded_until_purged(vm, session):
    session.launch(task("fakevm/east"), cluster="c")
    vm.fault("TerminateNodes", "error_before", count=1000, code="Unauthorized", status=401, message="expired")
    [ended] = session.down(["c"])
    assert ended.exit_code == 7
    assert "Unauthorized" in ended.error or "expired" in ended.error
    assert session.status().clusters[0].status == "TERMINATING"
    [purged] = session.down(["c"], purge=True)
    assert purged.remaining
    assert session.status().clusters == []


@pytest.mark.parametrize("fault", ["setup", "sync"])
def test_a_cluster_whose_launch_went_wrong_still_goes_down_when_idle(new_user, tmp_path: Path, monkeypatch, fault):
    with shared_clock(tmp_path) as (clock, variables):
        user: Cli = new_user(**variables)
        user.write("x", "x")
        broken = loads("resources: {infra: local}\nsetup: exit 1\nfile_mounts: {~/x: x}\nrun: x\n").tasks[0]
        try:
            with user.session() as session:
                if fault == "sync":
                    monkeypatch.setenv("SKYX_FAILPOINT", "sync.before_copy=raise")
                try:
                    session.launch(broken, cluster="c", autostop=Autostop(idle_minutes=1, down=True), detach=False)
                except RuntimeError:
                    assert fault == "sync"
                monkeypatch.delenv("SKYX_FAILPOINT", raising=False)
                assert session.status().clusters[0].status == "UP"
                clock.advance(58)
                time.sleep(0.3)
                assert user.nodes()
                clock.advance(60)
                wait_for(lambda: not user.left(), what="the end of the cluster")
                assert session.status().clusters == []
        finally:
            user.clear()


def test_small_jobs_pass_a_big_one_that_waits_and_the_queue_says_why(cli: Cli):
    cli.settings("clouds: {local: {gpus: {name: H100, count: 8}}}\n")

    def gpus(count: int, run: str) -> Task:
        return loads(f"resources: {{infra: local, accelerators: H100:{count}}}\nrun: {json.dumps(run)}\n").tasks[0]

    with cli.session() as session:
        hold = "until test -e ~/go; do sleep 0.02; done; echo $CUDA_VISIBLE_DEVICES"
        session.launch(gpus(8, "true"), cluster="c")
        session.wait("c", 1, 20)
        first = session.exec("c", gpus(4, hold)).job_id
        big = session.exec("c", gpus(8, "true")).job_id
        small = [session.exec("c", gpus(1, "echo $CUDA_VISIBLE_DEVICES")).job_id for _ in range(4)]
        for job in small:
            assert session.wait("c", job, 20).status == "SUCCEEDED"
        waiting = {job.id: job for job in session.queue("c")}[big]
        assert (waiting.status, bool(waiting.reason)) == ("PENDING", True)
        assert "8" in waiting.reason
        session.exec("c", task("local", "touch ~/go"))
        assert session.wait("c", first, 20).status == "SUCCEEDED"
        assert session.wait("c", big, 20).status == "SUCCEEDED"
        devices = b"".join(chunk.data for chunk in session.logs("c", first)).decode().strip().split(",")
        assert len(set(devices)) == 4
        for job in small:
            assert b"".join(chunk.data for chunk in session.logs("c", job)).decode().strip() not in devices
