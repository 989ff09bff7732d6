"""What `skyx simulate` prints: the end, preemptions, tables that fit, many seeds, and that it always ends."""

from __future__ import annotations

import json
import math

import pytest
from click.testing import CliRunner

from skyx_sim import parse_scenario, simulate, simulate_seeds
from skyx_sim.command import simulate as command
from skyx_sim.grid import grid
from skyx_sim.picture import path, render, sentence, table
from skyx_sim.rules import installed_tables
from skyx_sim.simulation import Simulation

TAKEN = """\
task: {resources: {cpus: 2, use_spot: true}}
limit: 30d
run_for: 10h
seed: 4
clouds:
  - {name: a, rules: aws, regions: [{name: r1, zones: [z1]}], latency: 100,
     types: [{name: small, cpus: 2, memory: 4, spot_price: 1}], preemption: {mean: 3h}}
"""
BUSY = TAKEN.replace("3h", "1s").replace("10h", "10d").replace("latency: 100", "latency: 0")
MANY = """\
task: {resources: {cpus: 2, use_spot: true}}
limit: 1h
run_for: 2h
retry_until_up: true
clouds:
  - {name: a, rules: aws, regions: 3, latency: 100, capacity: [{scarcity: 0.9, nodes: 1}],
     types: [{name: small, cpus: 2, memory: 4, spot_price: 1}]}
"""


@pytest.fixture(scope="module")
def tables():
    return installed_tables()


def test_the_end_is_told_and_adds_up(tables) -> None:
    result = simulate(parse_scenario(TAKEN), tables=tables)
    taken, searches = result.counts.preemptions, result.counts.searches
    assert searches == taken + 1 > 2
    assert result.ran_seconds == 36000
    assert result.virtual_seconds == pytest.approx(36000 + 100 * searches)
    text = sentence(result)
    assert f": 10h of run, {100 * searches // 60}m" in text
    assert text.endswith(f" searching in {searches} searches, {taken} preemptions.")
    assert "; done after 10h" in text
    assert path(result).split()[1] == "!" * taken + "*"


def test_a_run_that_the_limit_cuts_is_not_done(tables) -> None:
    result = simulate(parse_scenario(TAKEN), limit=5 * 3600, tables=tables)
    assert result.status in ("UP", "LIMIT")
    assert result.ran_seconds == pytest.approx(5 * 3600 - 100 * result.counts.searches)
    assert "; not done, ended after 5h: " in sentence(result)


def test_without_a_run_there_is_nothing_to_be_done(tables) -> None:
    assert "done" not in sentence(simulate(parse_scenario(TAKEN.replace("10h", "0")), tables=tables))


def test_what_did_not_just_fail_is_always_in_the_table(tables) -> None:
    scenario = parse_scenario(TAKEN.replace("preemption", "capacity: [{scarcity: 0.97, nodes: 1}], preemption"))
    scenario = scenario.model_copy(update={"retry_until_up": True})
    result = simulate(scenario, tables=tables)
    assert len(result.attempts) > 60
    lines = table(result.attempts).splitlines()
    up = [row for row in result.attempts if row.outcome == "up"]
    assert sum("  up" in line for line in lines) == len(up) > 1
    assert sum("preempted at" in line for line in lines) == len(up) - 1
    hidden = sum(int(line.split()[1]) for line in lines if line.startswith("..."))
    assert hidden + sum(not line.startswith("...") for line in lines[1:]) == len(result.attempts)


def test_it_ends_however_often_it_is_preempted(tables) -> None:
    result = Simulation(parse_scenario(BUSY), tables, most_attempts=700).run()
    assert (result.status, len(result.attempts)) == ("LIMIT", 700)
    assert "then: 700 attempts were made, no more are" in sentence(result)
    assert len(table(result.attempts).splitlines()) < 700  # so many lines help nobody


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_the_table_fits_the_terminal(width: int, tables) -> None:
    result = simulate(parse_scenario(MANY), tables=tables)
    *lines, _, last = render(result, width).splitlines()
    assert max(map(len, lines)) <= width
    assert last == sentence(result)
    assert {"#", "WHERE", "OUTCOME"} <= set(lines[0].split())


def test_nothing_is_cut_where_there_is_no_terminal(tables) -> None:
    scenario = parse_scenario(MANY)
    result = simulate(scenario, tables=tables)
    assert result.attempts[0].error
    assert " ".join(result.attempts[0].error.split()) in table(result.attempts)


def test_the_last_part_of_a_place_is_kept() -> None:
    rows = [["1", "cloud/region-1/region-1-a", "ok"], ["2", "cloud/region-1/region-1-b", "ok"]]
    lines = grid(["#", "WHERE", "OUTCOME"], rows, 30)
    assert [line.split()[1][-10:] for line in lines[1:]] == ["region-1-a", "region-1-b"]
    assert max(map(len, lines)) <= 30


def test_many_seeds_are_summed_up(tables) -> None:
    scenario = parse_scenario(MANY)
    whole = simulate_seeds(scenario, 11, tables=tables)
    single = [simulate(scenario, seed=seed, tables=tables) for seed in range(11)]
    assert [run.attempts for run in whole.runs] == [len(each.attempts) for each in single]
    assert whole.found == sum(each.found_after is not None for each in single)
    ordered = sorted(math.inf if each.found_after is None else each.found_after for each in single)
    told = whole.quantiles(lambda run: run.found_after)
    expected = {name: ordered[at] for name, at in (("p10", 1), ("p50", 5), ("p90", 9))}
    assert told == {name: None if math.isinf(value) else value for name, value in expected.items()}


def test_a_seed_that_found_nothing_is_later_than_all_others(tables) -> None:
    never = parse_scenario(MANY.replace("scarcity: 0.9, nodes: 1", "nodes: 0"))
    whole = simulate_seeds(never, 3, tables=tables)
    assert whole.quantiles(lambda run: run.found_after) == {"p10": None, "p50": None, "p90": None}
    text = whole.render()
    assert text.count("not found") == 3
    assert text.endswith("Found in 0 of 3 seeds (0%): 3 LIMIT.")
    with pytest.raises(ValueError, match="at least one"):
        simulate_seeds(never, 0, tables=tables)


def test_many_seeds_at_the_command_line(tmp_path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(MANY)
    run = CliRunner().invoke(command, [str(file), "--seeds", "5", "-o", "json", "--no-rules"], standalone_mode=False)
    document = json.loads(run.output)
    assert run.return_value == 0
    assert [row["seed"] for row in document["runs"]] == [0, 1, 2, 3, 4]
    assert document["found_share"] == document["found"] / 5 > 0
    assert set(document["attempts"]) == {"p10", "p50", "p90"}
    assert {"found_after", "cost_usd", "search_cost_usd", "statuses"} <= set(document)
    text = CliRunner().invoke(command, [str(file), "--seeds", "5", "--no-rules"], standalone_mode=False).output
    assert text.splitlines()[0].split() == ["P10", "P50", "P90"]
    both = CliRunner().invoke(command, [str(file), "--seeds", "5", "--seed", "1"], standalone_mode=False)
    assert getattr(both.exception, "exit_code", None) == 2
