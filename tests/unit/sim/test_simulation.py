"""What a simulation does as a launch would, and how it tells."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from skyx_core.api import BlockRow, Rulebook
from skyx_core.failover.recorded import answer, parse
from skyx_sim import load_scenario, parse_scenario, simulate
from skyx_sim.picture import render, sentence
from skyx_sim.rules import installed_tables
from walker import Walk

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "scenarios"
EXPIRED = """
task: {resources: {cpus: 2}}
limit: 3d
retry_until_up: true
clouds:
  - {name: only, rules: aws, regions: [r1, r2], types: [{name: small, cpus: 2, memory: 4, price: 1}],
     credentials: {expire: 0, renew: 10m}}
"""
HUGE = """
task: {resources: {cpus: 2, use_spot: true}}
clouds:
  - {name: cheap, rules: aws, regions: 100, zones: 50, types: [{name: small, cpus: 2, memory: 4, spot_price: 1}],
     credentials: {expire: 0}}
  - {name: dear, rules: gcp, regions: 2, zones: 2, types: [{name: small, cpus: 2, memory: 4, spot_price: 2}],
     capacity: [{region: r1, nodes: 0}]}
"""
RECORDED = """
task: {resources: {cpus: 2}}
clouds:
  - name: aws
    rules: aws
    regions: [{name: us-east-1, zones: [us-east-1a]}]
    types: [{name: m5.large, cpus: 2, memory: 8, price: 0.1}]
    errors: [{api: RunInstances, times: 1, error: ERROR}]
"""


@pytest.fixture(scope="module")
def tables():
    return installed_tables()


def test_a_search_that_waits_sees_that_credentials_were_renewed(tables) -> None:
    scenario = parse_scenario(EXPIRED)
    result = simulate(scenario, tables=tables)
    refused, found = result.attempts
    assert (refused.rule, found.outcome) == ("aws.auth.expired", "up")
    assert found.started_at == 602  # it waits from second 2 on, and looks every 30 s
    assert result.blocks == ()
    walk = Walk(scenario, tables)
    assert (walk.run(), walk.places, walk.now) == ("UP", result.places, result.virtual_seconds)


def test_one_that_does_not_retry_gives_up_until_they_are(tables) -> None:
    result = simulate(parse_scenario(EXPIRED.replace("retry_until_up: true", "")), tables=tables)
    assert (result.status, len(result.attempts)) == ("GAVE_UP", 1)
    [block] = result.blocks
    assert (block.pattern, block.fingerprint_ok) == ({"cloud": "only"}, True)


def test_a_block_of_other_credentials_ends_only_what_it_blocked(tables) -> None:
    room = "capacity: [{region: r1, nodes: 0}], credentials: {expire: 1, renew: 100}"
    scenario = parse_scenario(EXPIRED.replace("credentials: {expire: 0, renew: 10m}", room))
    result = simulate(scenario, tables=tables)
    assert [row.category for row in result.attempts] == ["capacity", "auth", ""]
    assert result.places == ["only/r1", "only/r2", "only/r2"]  # r1 is blocked for 5 minutes still
    assert result.attempts[-1].started_at == 124
    assert Walk(scenario, tables).run() == "UP"


def test_what_is_left_of_a_blocked_cloud_is_not_read(tables) -> None:
    scenario = parse_scenario(HUGE)
    result = simulate(scenario, tables=tables)
    assert result.places == ["cheap/r001/r001-z01", "dear/r1/r1-z1", "dear/r1/r1-z2", "dear/r2/r2-z1"]
    assert result.counts.held == 1
    assert result.counts.offers < 4_200  # of 5,004: those of one price are read together, 4,096 at most
    assert "cheap" in result.left_out
    assert "the rest of it left out" in render(result)
    walk = Walk(scenario, tables)
    assert (walk.run(), walk.places) == (result.status, result.places)


FULL = "An error occurred (InsufficientInstanceCapacity) when calling the RunInstances operation: no capacity"
RECORDS = {
    "stderr only": {"stderr": FULL},
    "stdout and stderr": {"stdout": "starting", "stderr": FULL},
    "a message, and what was printed": {"message": "the tool failed", "stderr": FULL},
    "text as the body": {"message": "bad status 400", "body": FULL},
    "JSON as the body": {"body": json.dumps({"errors": [{"code": "MaxSpotInstanceCountExceeded", "message": "no"}]})},
    "nested details": {"message": "failed", "details": [{"code": "VcpuLimitExceeded", "message": "no"}]},
    "JSON in a text": {"message": json.dumps({"error": {"code": "ExpiredToken", "message": "expired"}})},
    "plain": {"code": "RequestLimitExceeded", "message": "slow down", "http_status": 503},
    "unknown": {"code": "Oops", "message": "?", "http_status": 400},
    "text": FULL,
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_recorded_error_means_what_classify_says(name: str, tables) -> None:
    record = RECORDS[name]
    context = {"region": "us-east-1", "zone": "us-east-1a", "instance_type": "m5.large"}
    line = parse(json.dumps({"cloud": "aws", "api": "RunInstances", "error": record, "context": context}))
    verdict = Rulebook(tables("aws")).classify(line.error, place=line.place, candidate=line.candidate, now=0.0)
    result = simulate(parse_scenario(RECORDED.replace("ERROR", json.dumps(record))), tables=tables)
    first = result.attempts[0]
    told = answer(line, verdict)
    assert (first.rule, first.category, first.hint) == (told["rule"], told["category"], told["hint"])
    assert (name == "unknown") == (first.rule == "core.unknown")


def test_rows_have_the_names_that_other_commands_use(tables) -> None:
    document = json.loads(json.dumps(simulate(load_scenario(FOLDER / "three-clouds.yaml"), tables=tables).to_json()))
    first = document["attempts"][0]
    place = {
        key: first[key] for key in ("infra", "cloud", "region", "zone", "instance_type", "accelerators", "use_spot")
    }
    assert place == {
        "infra": "sim/us-east-1/us-east-1a",
        "cloud": "sim",
        "region": "us-east-1",
        "zone": "us-east-1a",
        "instance_type": "g6.xlarge",
        "accelerators": {"L4": 1.0},
        "use_spot": False,
    }
    assert document["attempts"][-1]["zone"] is None
    assert all(set(row) == {field.name for field in fields(BlockRow)} for row in document["blocks"])
    [block] = [row for row in document["blocks"] if row["pattern"].get("zone") == "us-east-1b"]
    assert block["pattern"] == {
        "cloud": "sim",
        "region": "us-east-1",
        "zone": "us-east-1b",
        "instance_type": "g6.xlarge",
        "accelerators": {"L4": 1.0},
        "use_spot": False,
    }
    assert (block["since"], block["until"]) == ("1970-01-01T00:00:04Z", "1970-01-01T00:05:04Z")


def test_a_run_that_the_limit_cuts_was_found_all_the_same(tables) -> None:
    scenario = load_scenario(FOLDER / "h100-spot-scarce.yaml")
    whole = simulate(scenario, tables=tables)
    assert whole.found_after is not None
    assert whole.reason == ""
    cut = simulate(scenario, limit=whole.found_after + 1800, tables=tables)
    assert (cut.status, cut.infra, cut.virtual_seconds) == ("UP", whole.infra, whole.found_after + 1800)
    assert sentence(cut).endswith("the limit cut its run after 30m, with 1h 30m to go.")
    assert cut.cost_usd < whole.cost_usd
