"""The normal forms of values."""

from __future__ import annotations

import pytest

from skyx_core.errors import TaskFileError
from skyx_core.models import Amount, Autostop
from skyx_core.task import Task, loads


def resource(field: str, value: str) -> object:
    return getattr(loads(f"resources:\n  {field}: {value}\n").tasks[0].resources, field)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("cpus", "4", Amount(value=4)),
        ("cpus", "0.5", Amount(value=0.5)),
        ("cpus", "4+", Amount(value=4, plus=True)),
        ("memory", "16", Amount(value=16)),
        ("memory", "16GB+", Amount(value=16, plus=True)),
        ("memory", "512MB", Amount(value=0.5)),
        ("memory", "1TiB", Amount(value=1024)),
        ("disk_size", "1TB", 1024),
        ("disk_size", "256", 256),
        ("ports", "8000-8010", ("8000-8010",)),
        ("ports", "[8080, '8000-8100', 8050-8200, 22, 22]", ("22", "8000-8200")),
        ("ports", "[]", ()),
        ("image_id", "docker:ubuntu:20.04", "docker:ubuntu:20.04"),
        ("image_id", "null", None),
        ("cloud", "K8s", "kubernetes"),
        ("labels", "{a: 1, b: yes}", {"a": "1", "b": "yes"}),
    ],
)
def test_values(field: str, value: str, expected: object) -> None:
    assert resource(field, value) == expected


@pytest.mark.parametrize(
    ("value", "choices", "ordered"),
    [
        ("H100:8", [("H100", 8)], False),
        ("v100", [("V100", 1)], False),
        ("A100-40GB:2", [("A100", 2)], False),
        ("V100:0.5", [("V100", 0.5)], False),
        ("tpu-V5p-8", [("tpu-v5p-8", 1)], False),
        ("MadeUp9:2", [("MadeUp9", 2)], False),
        ("{a10g: 4}", [("A10G", 4)], False),
        ("{A10G: null, 'L4:2': null}", [("A10G", 1), ("L4", 2)], False),
        ("[T4, 'a10g:2']", [("T4", 1), ("A10G", 2)], True),
        ("[T4]", [("T4", 1)], False),
    ],
)
def test_accelerators(value: str, choices: list[tuple[str, float]], ordered: bool) -> None:
    task = loads(f"resources:\n  accelerators: {value}\n").tasks[0]
    assert [dict(request.accelerators) for request in task.requests()] == [{name: count} for name, count in choices]
    assert task.ordered is ordered


@pytest.mark.parametrize(
    ("value", "cloud", "region", "zone"),
    [
        ("aws", "aws", None, None),
        ("AWS/us-east-1", "aws", "us-east-1", None),
        ("aws/us-east-1/us-east-1a", "aws", "us-east-1", "us-east-1a"),
        ("gcp/*/us-central1-a", "gcp", None, "us-central1-a"),
        ("'*'", None, None, None),
        ("'*/us-east-1'", None, "us-east-1", None),
        ("k8s", "kubernetes", None, None),
        ("k8s/my-context", "kubernetes", "my-context", None),
        ("kubernetes/arn:x:cluster/a/b", "kubernetes", "arn:x:cluster/a/b", None),
        ("k8s/*", "kubernetes", None, None),
    ],
)
def test_infra(value: str, cloud: str | None, region: str | None, zone: str | None) -> None:
    (request,) = loads(f"resources:\n  infra: {value}\n").tasks[0].requests()
    assert (request.cloud, request.region, request.zone) == (cloud, region, zone)


def test_cloud_beside_an_infra_that_agrees() -> None:
    (request,) = loads("resources: {infra: aws, cloud: aws, region: r, zone: z}\n").tasks[0].requests()
    assert (request.cloud, request.region, request.zone) == ("aws", "r", "z")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("10", Autostop(idle_minutes=10)),
        ("0", Autostop(idle_minutes=0)),
        ("2h", Autostop(idle_minutes=120)),
        ("30m", Autostop(idle_minutes=30)),
        ("true", Autostop(idle_minutes=5)),
        ("false", None),
        ("null", None),
        ("{idle_minutes: 3, down: true, wait_for: jobs}", Autostop(idle_minutes=3, down=True, wait_for="jobs")),
        ("{down: true}", Autostop(idle_minutes=5, down=True)),
    ],
)
def test_autostop(value: str, expected: Autostop | None) -> None:
    task = loads(f"resources:\n  autostop: {value}\n").tasks[0]
    assert task.autostop == expected
    (request,) = task.requests()
    assert (request.autostop, request.autostop_down) == (expected is not None, bool(expected and expected.down))


@pytest.mark.parametrize("section", sorted(Task.model_fields))
def test_every_section_may_be_empty(section: str) -> None:
    assert loads(f"{section}:\nrun: x\n").tasks[0] == loads("run: x\n").tasks[0] if section != "run" else True


def test_alternatives_inherit_what_is_beside_them() -> None:
    text = """
    resources:
      accelerators: {A100: 8, H100: 8}
      image_id: docker:base
      region: r1
      infra: one/r1
      use_spot: true
      any_of:
      - infra: two
      - region: r2
      - {zone: z1, accelerators: L4}
      - {image_id: null, use_spot: false}
    """
    rows = [
        (r.cloud, r.region, r.zone, next(iter(r.accelerators)), r.image_id, r.use_spot)
        for r in loads(text).tasks[0].requests()
    ]
    assert rows[0] == ("two", None, None, "A100", "docker:base", True)
    assert rows[1] == ("two", None, None, "H100", "docker:base", True)
    assert rows[2] == ("one", "r2", None, "A100", "docker:base", True)
    assert rows[4] == ("one", "r1", "z1", "L4", "docker:base", True)
    assert rows[5] == ("one", "r1", None, "A100", None, False)
    assert len(rows) == 7


def test_ordered_keeps_the_order_and_says_so() -> None:
    task = loads("resources:\n  cpus: 4+\n  ordered:\n  - accelerators: V100\n  - accelerators: a10g\n").tasks[0]
    assert task.ordered
    assert [r.accelerators for r in task.requests()] == [{"V100": 1}, {"A10G": 1}]
    assert all(r.cpus == Amount(value=4, plus=True) for r in task.requests())


def test_a_task_without_resources_asks_for_anything() -> None:
    (request,) = Task(run="x", num_nodes=3).requests()
    assert request.num_nodes == 3
    assert not request.reserves()


def test_pipelines() -> None:
    file = loads("name: pipe\n---\nname: a\nrun: x\n---\n---\nrun: y\n", env={"A": "1"})
    assert file.name == "pipe"
    assert [task.name for task in file.tasks] == ["a", None]
    assert all(task.envs == {"A": "1"} for task in file.tasks)
    assert [t.run for t in loads("run: x\n---\nrun: y\n").tasks] == ["x", "y"]
    assert loads("name: alone\n").tasks[0].name == "alone"


def test_merge_keys_and_anchors() -> None:
    text = "resources:\n  any_of:\n  - &b {cpus: 2, memory: 4}\n  - {<<: *b, cpus: 8}\n"
    entries = loads(text).tasks[0].resources.any_of
    assert (entries[1].cpus, entries[1].memory) == (Amount(value=8), Amount(value=4))


def test_what_is_not_done_yet_is_kept_and_said() -> None:
    file = loads("run: x\nservice: {replicas: 2}\nfile_mounts:\n  /d: s3://b\n  /e: ./here\nenvs: {N: null}\n")
    assert [(w.line, w.path) for w in file.warnings] == [(2, "service"), (4, "file_mounts./d"), (6, "envs.N")]
    assert file.tasks[0].service is not None


def test_a_mistake_in_a_merged_mapping_keeps_its_own_place() -> None:
    text = "resources:\n  any_of:\n  - &b {cpus: 2}\n  - cpus: 0\n    <<: *b\n"
    with pytest.raises(TaskFileError) as caught:
        loads(text)
    assert [(p.line, p.column) for p in caught.value.problems] == [(4, 11)]
