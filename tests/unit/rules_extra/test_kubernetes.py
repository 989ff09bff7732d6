"""Kubernetes: one context is a region; what stands beside the telling words must not mislead."""

import json

import pytest

import error_corpus as corpus
from rules_traps import meaning, told

PULL, EVENT = "ErrImagePull", "FailedScheduling"

PAIRS = [
    (EVENT, "3 Insufficient cpu, 1 node(s) were unschedulable", "capacity instance_type_in_region"),
    (EVENT, "0/4 nodes are available: 4 node(s) were unschedulable", "capacity region"),
    (
        EVENT,
        "2 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint {nvidia.com/gpu: }",
        "config instance_type_in_region",
    ),
    (
        EVENT,
        "2 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint {pool: web}",
        "capacity instance_type_in_region",
    ),
    ("NotTriggerScaleUp", "pod didn't trigger scale-up: 2 Insufficient cpu", "unsupported instance_type_in_region"),
    ("NotTriggerScaleUp", "1 Insufficient cpu, 1 max node group size reached", "quota instance_type_in_region"),
    ("NotTriggerScaleUp", "1 Insufficient cpu, 1 in backoff after failed scale-up", "capacity instance_type_in_region"),
    ("Forbidden", "pods is forbidden: User dev cannot create resource pods", "permission region"),
    (
        "Forbidden",
        "pods is forbidden: exceeded quota: team, requested: requests.cpu=4",
        "quota instance_type_in_region",
    ),
    ("Forbidden", "pods is forbidden: exceeded quota: team, requested: pods=1, used: pods=9", "quota region"),
    ("Conflict", 'Operation cannot be fulfilled on resourcequotas "team": modified', "transient retry"),
    (PULL, "docker.io/acme/x:1: toomanyrequests", "rate_limit retry"),
    (PULL, "docker.io/acme/x:1: not found", "abort"),
    (PULL, "lookup reg.acme.io: no such host", "transient retry"),
    (PULL, "unexpected status: 403 Forbidden", "abort"),
    ("Forbidden", 'serviceaccount "default" not found', "transient retry"),
    ("Forbidden", 'serviceaccount "trainer" not found', "not_found region"),
    ("InternalError", 'failed calling webhook "a.b": context deadline exceeded', "transient retry"),
    ("Forbidden", 'admission webhook "a.b" denied the request: no', "permission region"),
    ("MaxRetryError", "Max retries exceeded with url: / (Caused by NewConnectionError)", "config region"),
    ("TooManyRequests", "try again later", "rate_limit retry"),
    ("NotFound", 'pods "head" not found', "transient retry"),
    ("NotFound", 'namespaces "ml" not found', "not_found region"),
]


@pytest.mark.parametrize(("code", "message", "wanted"), PAIRS, ids=[f"{n}-{row[0]}" for n, row in enumerate(PAIRS)])
def test_near_twins_get_their_own_answers(code, message, wanted):
    assert meaning(told("kubernetes", code, message)) == wanted


def test_nothing_blocks_another_context():
    for one in corpus.answered("kubernetes"):
        blocks = (*one.verdict.blocks, *one.verdict.blocks_after)
        assert all(block.key.region == "lab-east" for block in blocks), one


def test_no_row_could_block_another_context():
    wide = {"cloud", "accelerator"}
    assert [r.id for r in corpus.table("kubernetes").rules if {str(r.block), str(r.block_after)} & wide] == []


def test_an_expired_login_without_a_code_blocks_its_context_only():
    found = told("kubernetes", status=401)
    assert (meaning(found), found.blocks[0].key.region) == ("auth region", "here")


def test_several_events_in_one_text_wait_while_a_node_is_on_its_way():
    text = (
        "Warning FailedScheduling 0/3 nodes are available: 3 Insufficient cpu.\nNormal TriggeredScaleUp pod triggered"
    )
    assert meaning(told("kubernetes", message=text)) == "transient retry"


def test_the_cause_inside_a_status_object_counts():
    text = "pods is forbidden: exceeded quota: q, requested: cpu=1"
    body = json.dumps({"kind": "Status", "reason": "Forbidden", "code": 403, "message": text})
    assert meaning(told("kubernetes", body=body)) == "quota instance_type_in_region"


def test_hints_name_what_the_message_names():
    assert "team" in told("kubernetes", "Forbidden", "pods is forbidden: exceeded quota: team, requested: cpu=1").hint
    assert "gcloud" in told("kubernetes", "ExecCredentialError", "exec: executable gcloud failed with exit code 1").hint
    assert "nvidia.com/gpu" in told("kubernetes", EVENT, "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.").hint
