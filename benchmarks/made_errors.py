"""Errors of our own making in the shapes that clouds answer in, each with ids and numbers of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice

Json = Mapping[str, object]
Kind = tuple[str, object]  # the call, and what it answered; {n} and {x} are filled in

AWS: Sequence[Kind] = (
    ("RunInstances", {
        "code": "InsufficientInstanceCapacity", "http_status": 500,
        "message": "There is no p4d.24xlarge to be had in us-east-1{x} at this moment (request {n}).",
    }),
    ("RunInstances", {
        "code": "VcpuLimitExceeded", "http_status": 400,
        "message": "You asked for {n} vCPU more than the 64 that your account may run in this group of types.",
    }),
    ("RunInstances", {"code": "RequestLimitExceeded", "http_status": 503, "message": "Rate exceeded, id {n}."}),
    ("CreateFleet", {"Errors": [
        {"ErrorCode": "UnfulfillableCapacity", "ErrorMessage": "Try {n} could not be filled."},
        {"ErrorCode": "InsufficientInstanceCapacity", "ErrorMessage": "Nothing left in zone {x}, try {n}."},
    ]}),
    ("RunInstances", {"code": "AuthFailure", "http_status": 401, "message": "Key {n} was not accepted."}),
    ("RunInstances", "An error occurred (SomethingNew{n}) when calling the RunInstances operation: never seen before."),
)  # fmt: skip
GCP: Sequence[Kind] = (
    ("instances.insert", {"error": {"errors": [{
        "code": "ZONE_RESOURCE_POOL_EXHAUSTED", "message": "Zone us-central1-{x} can't give request {n} what it asks.",
    }]}}),
    ("instances.insert", {"code": "QUOTA_EXCEEDED", "http_status": 403,
        "message": "Quota 'NVIDIA_A100_GPUS' exceeded. Limit: {n}.0 in region us-central1.",
    }),
    ("instances.insert", {"error": {"code": 429, "message": "Too many at once ({n}).", "errors": [
        {"reason": "rateLimitExceeded", "message": "Too many at once ({n})."}]}}),
    ("instances.insert", {"code": "PERMISSION_DENIED", "http_status": 403,
        "message": "Required 'compute.instances.create' permission for 'projects/p-{n}'.",
    }),
)  # fmt: skip
AZURE: Sequence[Kind] = (
    ("deployments.begin_create_or_update", {"code": "DeploymentFailed", "message": "At least one step failed ({n}).",
        "details": [{"code": "Conflict", "message": json.dumps({"error": {
            "code": "SkuNotAvailable", "message": "Size Standard_ND96 is not to be had in eastus now."}})}],
    }),
    ("virtual_machines.begin_create", {"code": "AllocationFailed", "message": "No room for request {n} in zone {x}."}),
    ("virtual_machines.begin_create", {"code": "OperationNotAllowed",
        "message": "Operation would exceed approved Total Regional Cores quota. Limit: {n}.",
    }),
)  # fmt: skip
KUBERNETES: Sequence[Kind] = (
    ("pod_status", {"code": "Unschedulable",
        "message": "0/{n} nodes are available: {n} Insufficient nvidia.com/gpu. preemption: no victims found.",
    }),
    ("create_namespaced_pod", {"code": "Forbidden", "http_status": 403,
        "message": "pods \"p-{n}\" is forbidden: exceeded quota: team, requested: requests.nvidia.com/gpu=8",
    }),
    ("create_namespaced_pod", {"message": "dial tcp 10.0.0.{n}:6443: connect: connection refused"}),
)  # fmt: skip
KINDS: Mapping[str, Sequence[Kind]] = {"aws": AWS, "gcp": GCP, "azure": AZURE, "kubernetes": KUBERNETES}
_CONTEXT = {"instance_type": "gpu.8xa100", "accelerators": {"A100": 8}}


def records(cloud: str, count: int) -> Iterator[str]:
    """Lines as ``skyx classify`` reads them, the kinds by turns."""
    for number, (api, error) in enumerate(islice(cycle(KINDS[cloud]), count)):
        letter = "abc"[number % 3]
        context = {**_CONTEXT, "region": "somewhere", "zone": f"somewhere-{letter}", "use_spot": number % 2 == 0}
        filled = _filled(error, str(number), letter)
        yield json.dumps({"id": f"{cloud}-{number}", "cloud": cloud, "api": api, "error": filled, "context": context})


def _filled(value: object, number: str, letter: str) -> object:
    match value:
        case str():
            return value.replace("{n}", number).replace("{x}", letter)
        case dict():
            return {key: _filled(item, number, letter) for key, item in value.items()}
        case list():
            return [_filled(item, number, letter) for item in value]
    return value
