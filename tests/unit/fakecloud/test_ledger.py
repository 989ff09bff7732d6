"""The server as a process, its ledger and its clock."""

from __future__ import annotations

import subprocess
import sys

import pytest

from skyx_core.testing import FakeCloud, eventually, process_lives, shared_clock
from skyx_core.testing.fakecloud.ledger import Ledger, read_ledger


def run_node(cloud: FakeCloud, **changes: object) -> str:
    body = {"region": "east", "place": "east-a", **changes}
    return str(cloud.control("stranger", **body)["id"])


def test_ledger_outlives_kill_and_nodes_do_not(tmp_path):
    with FakeCloud("vm", tmp_path / "cloud") as cloud:
        ids = {run_node(cloud), run_node(cloud)}
        cloud.control("end", id=min(ids), how="terminate")
        eventually(lambda: not cloud.ledger()[min(ids)].exists)
        cloud.kill()
        assert set(cloud.ledger()) == ids
        assert cloud.ledger()[max(ids)].exists
        cloud.start()
        assert cloud.nodes() == []
        third = run_node(cloud)
        assert set(cloud.ledger()) == {*ids, third}
        cloud.kill()
    assert list((tmp_path / "cloud" / "nodes").glob("n-*")) == []


def test_billed_seconds_follow_the_shared_clock(tmp_path):
    with (
        shared_clock(tmp_path) as (clock, environ),
        FakeCloud("vm", tmp_path / "cloud", clock=tmp_path / "clock", sandboxes=False) as cloud,
    ):
        assert environ == {"SKYX_TEST_CLOCK": str(tmp_path / "clock")}
        cloud.control("timing", stop_s=10, terminate_s=20)
        node = run_node(cloud)
        for how, state, pause in (("stop", "stopped", 1000), ("start", "running", 50), ("terminate", "gone", 9999)):
            clock.advance(100)
            cloud.control("end", id=node, how=how)
            clock.advance(pause)
            eventually(lambda state=state: cloud.nodes()[0]["state"] == state)
        assert cloud.ledger(clock.time())[node].billed_s == pytest.approx(100 + 10 + 50 + 100 + 20, abs=8)
        assert cloud.ledger()[node].events == ["made", "stopped", "started", "ended"]


def test_a_line_that_a_crash_cut_off_is_left_out(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger = Ledger(path)
    facts = {"region": "r", "zone": "z", "instance_type": "t", "hourly_usd": 1, "stranger": False, "tags": {}}
    ledger.write("made", "n-1", 5.0, **facts)
    ledger.close()
    path.write_text(path.read_text() + '{"event": "end')
    assert read_ledger(path)["n-1"].exists


def test_the_server_ends_with_the_process_that_started_it(tmp_path):
    code = (
        "import os, sys; from pathlib import Path; from skyx_core.testing import FakeCloud\n"
        "cloud = FakeCloud('vm', Path(sys.argv[1]), sandboxes=False); cloud.start()\n"
        "print(cloud.pid, flush=True); os._exit(9)"
    )
    made = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False, stdout=subprocess.PIPE, timeout=30)
    pid = int(made.stdout)
    eventually(lambda: not process_lives(pid), what="the end of the server")


def test_addresses_differ_between_servers_and_are_used_again_by_one(tmp_path):
    first, second = (FakeCloud("vm", tmp_path / name, sandboxes=False) for name in "ab")
    with first as one, second as two:
        node = run_node(one)
        run_node(two)
        address = one.nodes()[0]["address"]
        assert two.nodes()[0]["address"] != address
        one.control("end", id=node, how="terminate")
        eventually(lambda: one.nodes()[0]["state"] == "gone")
        run_node(one)
        assert one.nodes()[1]["address"] == address
