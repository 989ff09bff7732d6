"""Every example scenario: the simulator does what a brute-force walk does, and what the file expects."""

from __future__ import annotations

from pathlib import Path

import pytest

from skyx_sim import Scenario, load_scenario, parse_scenario, simulate
from skyx_sim.picture import path
from skyx_sim.rules import installed_tables
from walker import Walk

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "scenarios"
FILES = sorted(FOLDER.glob("*.yaml"))
WALKED = [path for path in FILES if path.stem != "ten-thousand-zones"]  # the walk takes as long as the square of it


@pytest.fixture(scope="module")
def tables():
    return installed_tables()


def test_there_are_enough() -> None:
    assert len(FILES) >= 10
    assert all(load_scenario(path).expect is not None for path in FILES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_tries_what_the_file_expects(file: Path, tables) -> None:
    scenario = load_scenario(file)
    result = simulate(scenario, tables=tables)
    expect = scenario.expect
    assert expect is not None
    assert result.status == expect.status
    assert expect.attempts is None or result.places == list(expect.attempts)
    assert expect.count in (None, len(result.attempts))
    assert expect.last in (None, result.places[-1])
    assert [row.number for row in result.attempts] == list(range(1, len(result.attempts) + 1))


@pytest.mark.parametrize("file", WALKED, ids=lambda file: file.stem)
@pytest.mark.parametrize("seed", [None, 2, 3])
def test_it_tries_what_a_walk_by_hand_tries(file: Path, seed: int | None, tables) -> None:
    scenario = alone(load_scenario(file), seed)
    result = simulate(scenario, tables=tables)
    walk = Walk(scenario, tables)
    assert (walk.run(), walk.places) == (result.status, result.places)
    assert walk.now == pytest.approx(result.virtual_seconds)


def alone(scenario: Scenario, seed: int | None) -> Scenario:
    return scenario.model_copy(update={"hedge": 1, "seed": scenario.seed if seed is None else seed})


def test_hedging_finds_it_sooner_and_costs_what_both_attempts_cost(tables) -> None:
    scenario = load_scenario(FOLDER / "hedged-slow-region.yaml")
    alone_result = simulate(scenario, hedge=1, tables=tables)
    hedged = simulate(scenario, tables=tables)
    assert alone_result.found_after == 20 * 60
    assert hedged.found_after is not None
    assert hedged.found_after < 6 * 60
    first, refused, won = hedged.attempts
    assert (first.outcome, refused.outcome, won.outcome) == ("cancelled", "failed", "up")
    assert first.cleaned_at == won.ended_at + 5 + 45  # it returns 5 s after it is told, then its nodes are removed
    per_second = 29.39 * 0.9 / 3600
    assert first.cost_usd == pytest.approx(per_second * first.cleaned_at)
    assert hedged.search_cost_usd == pytest.approx(first.cost_usd + won.cost_usd)
    assert refused.cost_usd == 0


def test_a_preempted_cluster_is_searched_for_again_and_its_run_is_paid(tables) -> None:
    scenario = load_scenario(FOLDER / "preempted.yaml")
    result = simulate(scenario, tables=tables)
    taken = [row for row in result.attempts if row.preempted_at is not None]
    assert len(taken) == result.counts.preemptions > 0
    assert result.status == "UP"
    ran = sum(
        (row.preempted_at or result.virtual_seconds) - row.ended_at for row in result.attempts if row.outcome == "up"
    )
    assert ran == pytest.approx(scenario.run_for)
    assert result.cost_usd - result.search_cost_usd >= 1.47 * 12


RENEWED = """
task: {resources: {cpus: 2, use_spot: true}}
seed: 2
limit: 3d
run_for: 9h
clouds:
  - {name: cheap, rules: aws, regions: [r1, r2], types: [&small {name: small, cpus: 2, memory: 4, spot_price: 1}],
     credentials: {expire: 0, renew: 1h}}
  - {name: dear, rules: gcp, regions: [{name: r1, price_factor: 2}], types: [*small], preemption: {mean: 3h}}
"""


def test_credentials_that_were_renewed_lift_what_they_blocked(tables) -> None:
    result = simulate(parse_scenario(RENEWED), tables=tables)
    first, second, third = result.attempts
    assert (first.infra, first.category, second.infra) == ("cheap/r1", "auth", "dear/r1")
    assert second.preempted_at is not None
    assert second.preempted_at > 3600
    assert (third.infra, third.outcome) == ("cheap/r1", "up")
    assert result.status == "UP"


def test_the_same_again(tables) -> None:
    scenario = load_scenario(FOLDER / "h100-spot-scarce.yaml")
    assert simulate(scenario, tables=tables) == simulate(scenario, tables=tables)
    assert simulate(scenario, seed=6, tables=tables) != simulate(scenario, tables=tables)


def test_the_limit_ends_it_and_says_so(tables) -> None:
    scenario = load_scenario(FOLDER / "retry-until-up.yaml")
    result = simulate(scenario, limit=1000.0, tables=tables)
    assert (result.status, result.virtual_seconds) == ("LIMIT", 1000.0)
    assert "limit" in result.reason


def test_without_tables_of_rules_the_usual_ones_are_used() -> None:
    result = simulate(load_scenario(FOLDER / "three-clouds.yaml"), tables=lambda _: ())
    assert result.status == "UP"
    assert {row.rule.split(".")[0] for row in result.attempts if row.rule} == {"default", "core"}


def test_a_limit_during_the_clean_up_of_losers_leaves_the_winner(tables) -> None:
    scenario = load_scenario(FOLDER / "hedged-slow-region.yaml")
    whole = simulate(scenario, tables=tables)
    cut = simulate(scenario, limit=whole.found_after + 1, tables=tables)
    assert (cut.status, cut.infra, cut.found_after) == ("UP", whole.infra, whole.found_after)
    assert 0 < cut.cost_usd < whole.cost_usd


def test_places_that_a_block_kept_from_being_tried_are_in_the_picture(tables) -> None:
    result = simulate(load_scenario(FOLDER / "expired-credentials.yaml"), tables=tables)
    lines = path(result).splitlines()
    assert lines[0].startswith("aws/us-east-1")
    assert "1 tried, 1 blocked" in lines[0]
    assert "won" in lines[1]
    assert lines[2].split("  ")[0] == "aws"
    assert "1 blocked, the rest of it left out" in lines[2]
