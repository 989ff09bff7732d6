"""Every bad scenario is refused with one clear error that says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from skyx_core.api import ScenarioError
from skyx_sim import load_scenario, parse_scenario

GOOD = """\
task:
  resources: {accelerators: T4:1}
clouds:
  - name: sim
    rules: aws
    regions:
      - {name: r1, zones: [z1, z2]}
    types:
      - {name: t4, cpus: 4, memory: 16, accelerators: T4:1, price: 0.5, bucket: G}
    capacity:
      - {zone: z1, nodes: 0}
    quota:
      - {bucket: G, nodes: 4}
"""

CASES = {
    "empty": ("", 1, "empty"),
    "only comments": ("# nothing\n", 1, "empty"),
    "a list": ("- 1\n", 1, "expected a mapping"),
    "no yaml": ("task: [\n", 2, "not YAML"),
    "a key twice": (GOOD + "seed: 1\nseed: 2\n", 15, "given twice"),
    "unknown key": (GOOD + "sede: 1\n", 14, "did you mean 'seed'"),
    "unknown key below": (GOOD.replace("zone: z1", "zoen: z1"), 11, "did you mean 'zone'"),
    "wrong type": (GOOD + "seed: many\n", 14, "seed"),
    "capacity at a negative time": (
        GOOD.replace("{zone: z1, nodes: 0}", "{zone: z1, steps: [{at: -5, nodes: 1}]}"),
        11,
        "can't be negative",
    ),
    "capacity out of order": (
        GOOD.replace("{zone: z1, nodes: 0}", "{zone: z1, steps: [{at: 9, nodes: 1}, {at: 3, nodes: 1}]}"),
        11,
        "order of time",
    ),
    "negative nodes": (GOOD.replace("nodes: 0", "nodes: -1"), 11, "must be at least 0"),
    "no time": (GOOD + "limit: soon\n", 14, "15m"),
    "rules of no cloud": (GOOD.replace("rules: aws", "rules: awz"), 5, "did you mean 'aws'"),
    "price missing": (GOOD.replace("price: 0.5, ", ""), 9, "price is missing"),
    "price not a number": (GOOD.replace("price: 0.5", "price: .nan"), 9, "finite"),
    "no accelerator": (GOOD.replace("accelerators: T4:1, price", "accelerators: ':', price"), 9, "accelerator"),
    "retries for ever": (GOOD + "retry_until_up: true\n", 1, "may never end"),
    "preempted for ever": (
        GOOD.replace("    quota", "    preemption: {mean: 1h}\n    quota") + "run_for: 9h\n",
        1,
        "never end",
    ),
    "ten million zones": (
        GOOD.replace("regions:\n      - {name: r1, zones: [z1, z2]}", "regions: 1000\n    zones: 10000"),
        4,
        "10,000,000 zones",
    ),
    "a billion regions": (
        GOOD.replace("regions:\n      - {name: r1, zones: [z1, z2]}", "regions: 1000000000"),
        6,
        "regions",
    ),
    "unknown zone": (GOOD.replace("zone: z1", "zone: z3"), 11, "no zone named 'z3'"),
    "unknown bucket": (GOOD.replace("{bucket: G, nodes", "{bucket: GG, nodes"), 13, "no bucket"),
    "a cloud twice": (GOOD + "".join(GOOD.splitlines(keepends=True)[3:]), 1, "given twice"),
    "a cloud that isn't there": (GOOD.replace("T4:1}", "T4:1, infra: gcp}", 1), 1, "no cloud in this scenario"),
    "no clouds": ("task: {resources: {cpus: 1}}\n", 1, "clouds"),
    "no task": (
        GOOD.split("clouds", maxsplit=1)[0].replace("task", "tusk") + "clouds" + GOOD.split("clouds")[1],
        1,
        "task is missing",
    ),
    "a task that is no file": (
        GOOD.replace("task:\n  resources: {accelerators: T4:1}", "task: nope.yaml"),
        1,
        "nope.yaml",
    ),
    "renewed before it expires": (
        GOOD.replace("    quota", "    credentials: {expire: 5m, renew: 1m}\n    quota"),
        12,
        "renew must be later",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused(name: str, tmp_path: Path) -> None:
    text, line, words = CASES[name]
    path = tmp_path / "s.yaml"
    path.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    error = caught.value
    assert error.code == "SKYX-E250"
    assert error.exit_code == 2
    assert words in error.why
    assert f"{path}:{line}:" in error.why
    assert error.hint


def test_the_good_one_is_good() -> None:
    assert parse_scenario(GOOD).clouds[0].types[0].accelerators == {"T4": 1.0}


def test_every_mistake_is_named() -> None:
    text = GOOD.replace("cpus: 4", "cpus: 0").replace("nodes: 0", "nodes: x") + "hedge: 0\n"
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    assert len(caught.value.why.splitlines()) == 3
    assert "3 mistakes" in caught.value.what


MANY = """\
task:
  resources: {acelerators: T4:1}
clouds:
  - name: sim
    rules: awz
    regions: [{name: r1, zones: [z1]}, {name: r2, price_factor: -1}, r1]
    types:
      - {name: t4, cpus: 0, memory: 16, price: 0.5, bucket: G, regions: [r2, r3]}
    capacity:
      - {zone: z9, nodes: many}
      - {region: r9, nodes: 1}
    quota:
      - {bucket: GG, nodes: 4}
    errors:
      - {type: t5, error: {code: Oops}}
      - {error: {}}
  - name: sim
    regions: 1
    types: [{name: t4, cpus: 1, memory: 1}]
retry_until_up: true
run_for: soon
"""


def test_all_mistakes_of_all_kinds_are_told_at_once_in_the_order_of_lines() -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(MANY, file="s.yaml")
    lines = caught.value.why.splitlines()
    told = [
        (1, "the cloud 'sim' is given twice; it may never end"),
        (2, "unknown field (did you mean 'accelerators'?)"),
        (4, "the region 'r1' is given twice"),
        (5, "no cloud with rules named 'awz'"),
        (6, "price_factor"),
        (8, "cpus"),
        (8, "no region named 'r3'"),
        (10, "no zone named 'z9'"),
        (10, "nodes"),
        (11, "no region named 'r9'"),
        (13, "no bucket of a type named 'GG'"),
        (15, "no type named 't5'"),
        (16, "error"),
        (19, "the price is missing"),
        (21, "15m"),
    ]
    assert len(lines) == len(told)
    for line, (number, words) in zip(lines, told, strict=True):
        assert line.startswith(f"s.yaml:{number}:")
        assert words in line


def test_mistakes_in_a_task_file_are_told_with_those_of_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text("resources: {cpu: 1}\n")
    path = tmp_path / "s.yaml"
    path.write_text(GOOD.replace("task:\n  resources: {accelerators: T4:1}", "task: task.yaml") + "seed: many\n")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    first, second = caught.value.why.splitlines()
    assert first.startswith(f"{path}:13:")
    assert second.startswith(f"{tmp_path / 'task.yaml'}:1:")


def test_a_mistake_in_the_task_has_its_own_line() -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(GOOD.replace("accelerators: T4:1}\nclouds", "acelerators: T4:1}\nclouds"), file="s.yaml")
    assert caught.value.why.startswith("s.yaml:2:15: resources.acelerators: unknown field")
    assert "did you mean 'accelerators'?" in caught.value.why


def test_a_file_that_is_not_there_names_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "scarce.yaml").write_text(GOOD)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(tmp_path / "scarse.yaml")
    assert "scarce.yaml" in caught.value.hint
    for odd in (tmp_path, Path("/dev/null/x")):
        with pytest.raises(ScenarioError):
            load_scenario(odd)


@pytest.mark.parametrize(
    "raw", [b"\xff\xfe\x00", b"a: \x00", b"a: &a [*a]\n", b"- " * 5000 + b"1", b"x: !!python/object:a.b {}"]
)
def test_what_is_no_text_or_no_plain_yaml(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(raw)
    with pytest.raises(ScenarioError):
        load_scenario(path)


def test_a_task_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text("resources: {accelerators: T4:1}\nrun: echo\n")
    path = tmp_path / "s.yaml"
    path.write_text(GOOD.replace("task:\n  resources: {accelerators: T4:1}", "task: task.yaml"))
    assert load_scenario(path).task.requests()[0].accelerators == {"T4": 1.0}
