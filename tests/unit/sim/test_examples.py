"""Every example scenario: the simulator does what a brute-force walk does, and what the file expects."""

from __future__ import annotations

from pathlib import Path

import pytest

from skyx_sim import Scenario, load_scenario, simulate
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


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_tries_what_the_file_expects(path: Path, tables) -> None:
    scenario = load_scenario(path)
    result = simulate(scenario, tables=tables)
    expect = scenario.expect
    assert expect is not None
    assert result.status == expect.status
    assert expect.attempts is None or result.places == list(expect.attempts)
    assert expect.count in (None, len(result.attempts))
    assert expect.last in (None, result.places[-1])
    assert [row.number for row in result.attempts] == list(range(1, len(result.attempts) + 1))


@pytest.mark.parametrize("path", WALKED, ids=lambda path: path.stem)
@pytest.mark.parametrize("seed", [None, 2, 3])
def test_it_tries_what_a_walk_by_hand_tries(path: Path, seed: int | None, tables) -> None:
    scenario = alone(load_scenario(path), seed)
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


def test_credentials_that_were_renewed_lift_what_they_blocked(tables) -> None:
    scenario = load_scenario(FOLDER / "expired-credentials.yaml")
    cloud = scenario.clouds[0]
    spot = cloud.types[0].model_copy(update={"spot_price": 0.1})
    taken = cloud.model_copy(update={"types": (spot,), "preemption": {"mean": 1.0}})
    again = scenario.model_copy(update={"clouds": (taken, scenario.clouds[1])})
    blocked = [block.pattern for block in simulate(again, tables=tables).blocks]
    assert blocked == ["aws"]


def test_the_same_again(tables) -> None:
    scenario = load_scenario(FOLDER / "h100-spot-scarce.yaml")
    assert simulate(scenario, tables=tables) == simulate(scenario, tables=tables)
    assert simulate(scenario, seed=6, tables=tables) != simulate(scenario, tables=tables)


def test_the_limit_ends_it_and_says_so(tables) -> None:
    scenario = load_scenario(FOLDER / "retry-until-up.yaml")
    result = simulate(scenario, limit=1000.0, tables=tables)
    assert (result.status, result.virtual_seconds) == ("LIMIT", 1000.0)
    assert "limit" in result.reason
