"""A launch on simulated clouds, with the real program and real nodes on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli_process import Cli, node_processes, wait_for

pytestmark = pytest.mark.e2e

SCENARIOS = Path(__file__).resolve().parents[2] / "examples" / "scenarios"
THREE = SCENARIOS / "three-clouds.yaml"

SMALL = """\
task: {resources: {cpus: 2}}
clouds:
  - name: sim
    regions: [{name: east, zones: [east-a, east-b]}]
    types: [{name: small, cpus: 2, memory: 4, price: 0.1, spot_price: 0.03}]
    latency: 0
    refusal: 0
    capacity: [{zone: east-a, nodes: 0}, {nodes: 2}]
"""


@pytest.fixture
def sim(cli: Cli) -> Cli:
    cli.extra["SKYX_SIM_SCENARIO"] = str(cli.write("small.yaml", SMALL))
    return cli


def nodes(cli: Cli) -> list[Path]:
    return sorted((cli.home / "data").glob("sim*/nodes/[0-9a-f]*"))


def test_a_launch_fails_over_three_clouds_and_explains_it(cli: Cli) -> None:
    cli.extra["SKYX_SIM_SCENARIO"] = str(THREE)
    simulated = cli.ok("simulate", THREE, "-o", "json").json
    launched = cli.ok("launch", "-c", "c", "-y", "--gpus", "L4:1", "echo on $SKYX_NUM_GPUS_PER_NODE gpu")
    assert "on 1 gpu" in launched.out
    [status] = cli.ok("status", "-o", "json").json
    assert (status["cloud"], status["region"], status["status"]) == ("sim3", "home-cluster", "UP")
    events = cli.ok("explain", "c", "-o", "json").records()
    tried = ["/".join(filter(None, place(row))) for row in events if row["kind"] == "attempt_started"]
    assert tried == [row["infra"] for row in simulated["attempts"]]
    rules = [row["rule"] for row in events if row["kind"] == "attempt_failed"]
    assert rules == [row["rule"] for row in simulated["attempts"] if row["outcome"] == "failed"]
    told = cli.ok("explain", "c").out
    for word in ("sim/us-east-1/us-east-1a", "sim2/us-central1", "sim3/home-cluster", "InsufficientInstanceCapacity"):
        assert word in told
    cli.ok("down", "c", "-y")
    assert nodes(cli) == []
    assert list(node_processes(cli.root)) == []


def place(row: dict) -> tuple[str, ...]:
    return tuple(row["candidate"].get(key) for key in ("cloud", "region", "zone"))


def test_a_gang_is_stopped_started_and_ends_itself(sim: Cli) -> None:
    text = "num_nodes: 2\nresources: {infra: sim, cpus: 2}\nrun: echo rank $SKYX_NODE_RANK\n"
    launched = sim.ok("launch", "-c", "c", "-y", sim.write("t.yaml", text))
    assert "rank 0" in launched.out
    assert "rank 1" in launched.out
    [status] = sim.ok("status", "-o", "json").json
    assert status["zone"] == "east-b"
    full = sim.run("launch", "-c", "d", "-y", "--infra", "sim", "--cpus", "2", "true", code=5)
    assert "no room for 1 x small in east-b" in full.err
    sim.ok("stop", "c", "-y")
    assert list(node_processes(sim.root)) == []
    sim.ok("start", "c", "-y")
    sim.ok("exec", "c", "--", "echo again")
    sim.ok("autostop", "c", "-i", "0", "--down", "-y")
    wait_for(lambda: not nodes(sim), limit=40, what="the end of the cluster by itself")
    wait_for(lambda: not list(node_processes(sim.root)), limit=20, what="the end of its processes")


def test_without_a_scenario_it_is_in_nobodys_plan(cli: Cli) -> None:
    planned = cli.run("plan", "--infra", "sim", "--cpus", "2", code=5)
    assert "no scenario is set" in planned.out + planned.err
    assert "SKYX_SIM_SCENARIO" in planned.out + planned.err
    assert cli.ok("plan", "--cpus", "1", "-o", "json").json["tasks"][0]["candidates"][0]["cloud"] == "local"


def test_a_scenario_with_mistakes_spoils_only_its_clouds(cli: Cli) -> None:
    bad = cli.write("bad.yaml", SMALL.replace("zone: east-a", "zone: east-x"))
    cli.extra["SKYX_SIM_SCENARIO"] = str(bad)
    assert cli.ok("plan", "--cpus", "1", "-o", "json").json["tasks"][0]["candidates"][0]["cloud"] == "local"
    planned = cli.run("plan", "--infra", "sim", "--cpus", "2", "-o", "json", code=5).json["tasks"][0]
    assert any("bad.yaml:8:" in row["reason"] for row in planned["excluded"] if row["cloud"] == "sim")


def test_simulate_at_the_command_line(cli: Cli) -> None:
    text = cli.ok("simulate", THREE).out
    for word in ("WHERE", "sim3/home-cluster", "aws.", "Found after 28s, 5 attempts", "$0.01 spent searching"):
        assert word in text
    result = cli.ok("-o", "json", "simulate", SCENARIOS / "hedged-slow-region.yaml").json
    assert {"status", "virtual_seconds", "attempts", "blocks", "cost_usd"} <= set(result)
    never = cli.write("never.yaml", SMALL.replace("{nodes: 2}", "{nodes: 0}"))
    gave_up = cli.run("simulate", never, "-o", "json", code=5)
    assert json.loads(gave_up.out)["status"] == "GAVE_UP"
    again = never.read_text() + "retry_until_up: true\nlimit: 1h\n"
    limited = cli.run("simulate", cli.write("again.yaml", again), code=5)
    assert "Not found after 1h" in limited.out
    assert "limit" in limited.out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["nope.yaml"], "no such file"),
        (["small.yaml", "--limit", "soon"], "--limit"),
        ([], "SCENARIO"),
    ],
)
def test_bad_use_of_simulate(cli: Cli, args: list[str], words: str) -> None:
    cli.write("small.yaml", SMALL)
    result = cli.run("simulate", *args, code=2)
    assert words in result.err
    assert result.out == ""


def test_the_users_own_rules_go_first(cli: Cli) -> None:
    cli.home.mkdir(parents=True)
    rule = "rules:\n  - {id: my.full, cloud: sim, code: OutOfCapacity, category: user_error, abort: true}\n"
    (cli.home / "rules.yaml").write_text(rule)
    path = cli.write("small.yaml", SMALL)
    aborted = cli.run("simulate", path, "-o", "json", code=5).json
    assert (aborted["status"], aborted["attempts"][0]["rule"]) == ("ABORTED", "my.full")
    assert cli.ok("simulate", "--no-rules", path, "-o", "json").json["status"] == "UP"
