"""Flags over a task."""

from __future__ import annotations

import pytest

from skyx_core.errors import TaskFileError
from skyx_core.models import Amount, Request
from skyx_core.task import Overrides, Task, loads
from skyx_core.task.overrides import apply

TEXT = """
name: t
num_nodes: 2
workdir: $W
envs: {W: here, I: img}
resources:
  infra: one/r1/z1
  accelerators: A100:8
  image_id: docker:$I
  any_of:
  - {infra: two/r2, cpus: 4}
  - {use_spot: true}
run: x
"""


def over(**flags: object) -> tuple[Task, tuple[Request, ...]]:
    task = loads(TEXT, overrides=Overrides.parse(**flags)).tasks[0]
    assert loads(task.to_yaml()).tasks[0].requests() == task.requests()
    return task, task.requests()


def places(**flags: object) -> list[tuple[str | None, str | None, str | None]]:
    return [(r.cloud, r.region, r.zone) for r in over(**flags)[1]]


def test_nothing_given_changes_nothing() -> None:
    assert over(cpus=None)[0] == loads(TEXT).tasks[0]


def test_flags_win_over_the_file_and_its_alternatives() -> None:
    task, requests = over(gpus="h100:4", cpus="8+", num_nodes=3, name="n", workdir="/w", image_id="docker:x")
    assert (task.name, task.num_nodes, task.workdir) == ("n", 3, "/w")
    assert all(r.accelerators == {"H100": 4} and r.cpus == Amount(value=8, plus=True) for r in requests)
    assert {r.image_id for r in requests} == {"docker:x"}
    assert {r.num_nodes for r in requests} == {3}


def test_infra_replaces_every_place() -> None:
    assert set(places(infra="k8s/ctx")) == {("kubernetes", "ctx", None)}


def test_narrower_place_flags_keep_the_wider_place() -> None:
    assert places(region="r9") == [("two", "r9", None), ("one", "r9", None)]
    assert places(zone="z9") == [("two", "r2", "z9"), ("one", "r1", "z9")]
    assert set(places(cloud="three")) == {("three", None, None)}


def test_spot_and_ports() -> None:
    _, requests = over(use_spot=False, ports=["8080", "9000-9001"], disk_size="1TB", memory="16+")
    assert {r.use_spot for r in requests} == {False}
    assert {r.ports for r in requests} == {("8080", "9000-9001")}
    assert {r.disk_size_gb for r in requests} == {1024}


@pytest.mark.parametrize(
    ("flags", "path", "message"),
    [
        ({"cpus": "-1"}, "--cpus", "such as 4"),
        ({"num_nodes": 0}, "--num-nodes", "at least 1"),
        ({"gpus": "H100:x"}, "--gpus", "above 0"),
        ({"infra": "a/b", "cloud": "c"}, "--cloud", "conflicts"),
        ({"ports": "70000"}, "--ports", "65535"),
        ({"disk_tier": "hihg"}, "--disk-tier", "must be one of"),
    ],
)
def test_wrong_flags_are_named(flags: dict[str, object], path: str, message: str) -> None:
    with pytest.raises(TaskFileError) as caught:
        Overrides.parse(**flags)
    (problem,) = caught.value.problems
    assert problem.path == path
    assert message in problem.message


def test_the_task_itself_is_not_changed() -> None:
    task = loads(TEXT).tasks[0]
    before = task.to_yaml()
    changed = loads(TEXT, overrides=Overrides(cpus="8")).tasks[0]
    assert apply(task, Overrides(workdir="/w")).workdir == "/w"
    assert task.to_yaml() == before
    assert "workdir: $W" in before
    assert "workdir: $W" in changed.to_yaml()


def test_the_most_that_it_may_cost_wins_over_the_file_and_its_alternatives() -> None:
    given = loads(
        "resources: {max_hourly_cost: 9, any_of: [{infra: a, max_hourly_cost: 5}, {infra: b}]}\nrun: x\n"
    ).tasks[0]
    wanted = apply(given, Overrides.parse(max_hourly_cost="2.5")).requests()
    assert [request.max_hourly_cost for request in wanted] == [2.5, 2.5]


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "1e13", "$4", ""])
def test_what_is_no_price_is_refused(text: str) -> None:
    with pytest.raises(TaskFileError) as caught:
        Overrides.parse(max_hourly_cost=text)
    assert [problem.path for problem in caught.value.problems] == ["--max-hourly-cost"]
    assert "US dollars per hour" in caught.value.problems[0].message
