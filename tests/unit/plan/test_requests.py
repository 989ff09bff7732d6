"""Every way of asking ends in the right candidates, from the text of a task file on."""

import pytest

from builders import offer, source
from skyx_core.models import Capability
from skyx_core.plan.planner import make_plan
from skyx_core.task import loads

ALL = frozenset(Capability)
ABLE = {"capabilities": ALL, "abilities": frozenset({"ports", "stop", "self_end"})}
A100 = {"A100": 1.0}
AWS = source(
    "aws",
    offer("aws", "us-east-1", zone="us-east-1a", instance_type="cpu4", cpus=4, hourly_usd=1),
    offer("aws", "us-east-1", zone="us-east-1a", instance_type="cpu8", cpus=8, memory_gb=32, hourly_usd=2),
    offer("aws", "us-west-2", zone="us-west-2a", instance_type="cpu8", cpus=8, memory_gb=32, hourly_usd=2.5),
    offer("aws", "us-east-1", zone="us-east-1a", instance_type="a100", accelerators=A100, hourly_usd=10),
    offer("aws", "us-east-1", zone="us-east-1b", instance_type="a100", accelerators=A100, hourly_usd=10),
    offer("aws", "us-east-1", zone="us-east-1b", instance_type="a100", accelerators=A100, use_spot=True, hourly_usd=3),
    offer("aws", "us-east-1", zone="us-east-1a", instance_type="8h100", accelerators={"H100": 8}, hourly_usd=90),
    **ABLE,
)
GCP = source(
    "gcp",
    offer("gcp", "us-central1", zone="us-central1-a", instance_type="g8", cpus=8, memory_gb=32, hourly_usd=2.2),
    offer("gcp", "us-central1", zone="us-central1-a", instance_type="gh100", accelerators={"H100": 8}, hourly_usd=80),
    **ABLE,
)


def planned(resources: str, top: str = "") -> list[str]:
    task = loads(f"{top}\nresources: {resources}\nrun: x\n").tasks[0]
    plan = make_plan(task.requests(), [GCP, AWS], ordered=task.order)
    return [f"{c.candidate.infra()} {c.candidate.instance_type}" for c in plan.choices]


AWS_A100, SPOT_A100 = "aws/us-east-1 a100", "aws/us-east-1/us-east-1b a100"
AWS_H100, GCP_H100 = "aws/us-east-1 8h100", "gcp/us-central1 gh100"


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ("{accelerators: 'A100:1'}", [AWS_A100]),
        ("{accelerators: a100}", [AWS_A100]),
        ("{accelerators: {A100: 1}}", [AWS_A100]),
        ("{accelerators: {A100: }}", [AWS_A100]),
        ("{gpus: A100-40GB}", [AWS_A100]),
        ("{accelerators: ['H100:8', A100]}", [GCP_H100, AWS_H100, AWS_A100]),  # a list keeps its order
        ("{accelerators: {'H100:8', A100}}", [AWS_A100, GCP_H100, AWS_H100]),  # a set doesn't
        ("{accelerators: {H100: 8, A100: 1}}", [AWS_A100, GCP_H100, AWS_H100]),
        ("{accelerators: 'A100:0.5'}", [AWS_A100]),
        ("{accelerators: {H100: 8}, infra: aws}", [AWS_H100]),
        ("{accelerators: A100, use_spot: true}", [SPOT_A100]),
        ("{any_of: [{infra: aws}, {infra: gcp}], accelerators: 'H100:8'}", [GCP_H100, AWS_H100]),
        ("{ordered: [{infra: aws}, {infra: gcp}], accelerators: 'H100:8'}", [AWS_H100, GCP_H100]),
        ("{any_of: [{use_spot: true}, {use_spot: false}], accelerators: A100}", [SPOT_A100, AWS_A100]),
        ("{ordered: [{use_spot: false}, {use_spot: true}], accelerators: A100}", [AWS_A100, SPOT_A100]),
        (
            "{ordered: [{accelerators: {'H100:8', A100}}, {cpus: 4}]}",  # a choice within the first entry
            [AWS_A100, GCP_H100, AWS_H100, "aws/us-east-1 cpu4"],
        ),
    ],
)
def test_accelerators_and_alternatives(resources: str, expected: list[str]) -> None:
    found = planned(resources)
    assert found[: len(expected)] == expected
    assert len(found) == len(expected) or "cpus" in resources


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ("{cpus: 4, memory: 16, infra: aws, instance_type: cpu4}", ["aws/us-east-1 cpu4"]),
        ("{cpus: '8', memory: 32}", ["aws/us-east-1 cpu8", "gcp/us-central1 g8", "aws/us-west-2 cpu8"]),
        ("{memory: 32GB}", ["aws/us-east-1 cpu8", "gcp/us-central1 g8", "aws/us-west-2 cpu8"]),
        ("{cpus: 5+}", ["aws/us-east-1 cpu8", "gcp/us-central1 g8", "aws/us-west-2 cpu8"]),
        ("{cpus: 5+, memory: 33+}", []),
        ("{memory: 20+, max_hourly_cost: 2.2}", ["aws/us-east-1 cpu8", "gcp/us-central1 g8"]),
        ("{instance_type: cpu8}", ["aws/us-east-1 cpu8", "aws/us-west-2 cpu8"]),
        ("{instance_type: cpu8, infra: aws/us-west-2}", ["aws/us-west-2 cpu8"]),
        ("{instance_type: cpu8, infra: '*/us-west-2'}", ["aws/us-west-2 cpu8"]),
        ("{instance_type: cpu8, infra: 'aws/*/us-west-2a'}", ["aws/us-west-2/us-west-2a cpu8"]),
        ("{instance_type: cpu8, infra: '*/*/us-west-2a'}", ["aws/us-west-2/us-west-2a cpu8"]),
        ("{instance_type: g8, infra: '*'}", ["gcp/us-central1 g8"]),
        ("{instance_type: cpu8, region: us-east-1, zone: us-east-1a}", ["aws/us-east-1/us-east-1a cpu8"]),
        ("{accelerators: A100, infra: aws/us-east-1/us-east-1b}", ["aws/us-east-1/us-east-1b a100"]),
    ],
)
def test_amounts_types_places_and_prices(resources: str, expected: list[str]) -> None:
    assert planned(resources) == expected


@pytest.mark.parametrize(
    "resources",
    [
        "{ports: 8080, instance_type: g8}",
        "{ports: [8080, '9000-9010'], instance_type: g8}",
        "{labels: {team: a}, instance_type: g8}",
        "{disk_tier: best, disk_size: 1TB, instance_type: g8}",
        "{network_tier: best, instance_type: g8}",
        "{image_id: 'docker:python:3.11', instance_type: g8}",
        "{image_id: {us-central1: img-1}, instance_type: g8}",
        "{autostop: 10, instance_type: g8}",
    ],
)
def test_what_does_not_choose_the_machine_goes_along(resources: str) -> None:
    assert planned(resources) == ["gcp/us-central1 g8"]
    bare = source("gcp", offer("gcp", "us-central1", instance_type="g8"))
    task = loads(f"resources: {resources}\nrun: x\n").tasks[0]
    plan = make_plan(task.requests(), [bare], ordered=False)
    assert list(plan.choices) == []
    assert plan.excluded[0].reason.startswith("doesn't support ")


def test_regions_without_an_image_are_left_out_with_the_reason() -> None:
    task = loads("resources: {instance_type: cpu8, image_id: {us-west-2: ami-1}}\nrun: x\n").tasks[0]
    plan = make_plan(task.requests(), [AWS])
    assert [c.candidate.region for c in plan.choices] == ["us-west-2"]
    (left,) = plan.excluded
    assert (left.subject, "us-west-2" in left.reason) == ("aws/us-east-1", True)
    pinned = loads("resources: {infra: aws/us-east-1, image_id: {us-west-2: ami-1}}\nrun: x\n").tasks[0]
    plan = make_plan(pinned.requests(), [AWS])
    assert list(plan.choices) == []
    assert "image_id names no image for region us-east-1" in plan.excluded[0].reason


def test_a_choice_names_its_alternative_and_what_it_names_itself() -> None:
    text = "{instance_type: g8, any_of: [{ports: 80}, {ports: 81}, {infra: aws, instance_type: cpu4}]}"
    task = loads(f"resources: {text}\nrun: x\n").tasks[0]
    choices = list(make_plan(task.requests(), [AWS, GCP]).choices)
    assert [c.alternative for c in choices] == [2, 0, 1]  # one machine for two alternatives that differ in ports
    assert len({c.digest for c in choices}) == 3
    assert all(len(c.digest) == 16 for c in choices)


def test_prices_are_for_all_nodes() -> None:
    assert planned("{instance_type: cpu4, max_hourly_cost: 2.5}", "num_nodes: 2") == ["aws/us-east-1 cpu4"]
    assert planned("{instance_type: cpu4, max_hourly_cost: 1.5}", "num_nodes: 2") == []
