"""Google Cloud: errors that look alike and are not; errors that are only text; lists that begin with a summary."""

import json

import pytest

import error_corpus as corpus
from skyx_core.errors import CloudError
from skyx_core.models import Candidate, Place


def classify(code="", message="", *, operation="instances.insert", status=0, spot=False, body=""):
    place = Place(cloud="gcp", region="europe-west1", zones=("europe-west1-d",))
    tried = Candidate(
        cloud="gcp",
        region="europe-west1",
        zone="europe-west1-d",
        instance_type="g2-standard-16",
        cpus=16,
        memory_gb=64,
        accelerators={"L4": 1},
        use_spot=spot,
        hourly_usd=1,
    )
    error = CloudError("gcp", operation, code=code, message=message, status=status, body=body)
    return corpus.book("gcp").classify(error, place=place, candidate=tried, now=corpus.NOW)


def short(found):
    if found.abort:
        return f"{found.category} abort"
    return f"{found.category} again" if found.retry else f"{found.category} {found.block}"


TYPE_IN_ZONE, TYPE_IN_REGION = "instance_type_in_zone", "instance_type_in_region"
TRAPS = [
    # a quota, or only too many calls
    ("quotaExceeded", "Quota 'CPUS' exceeded. Limit: 8.0 in region r.", f"quota {TYPE_IN_REGION}"),
    ("quotaExceeded", "Quota exceeded for metric 'Queries' and limit 'Queries per minute'", "rate_limit again"),
    ("QUOTA_EXCEEDED", "Quota 'CPUS' exceeded", f"quota {TYPE_IN_REGION}"),
    ("CONCURRENT_OPERATIONS_QUOTA_EXCEEDED", "Quota exceeded", "rate_limit again"),
    ("forbidden", "Quota 'SSD_TOTAL_GB' exceeded. Limit: 1.0", "quota region"),
    ("forbidden", "Not you.", "permission cloud"),
    # what shares a quota
    ("QUOTA_EXCEEDED", "Quota 'GPUS_ALL_REGIONS' exceeded. Limit: 1.0 globally.", "quota accelerator"),
    ("QUOTA_EXCEEDED", "Quota 'NVIDIA_L4_GPUS' exceeded. Limit: 1.0 in region r.", f"quota {TYPE_IN_REGION}"),
    ("QUOTA_EXCEEDED", "Quota 'CPUS_ALL_REGIONS' exceeded. Limit: 1.0 globally.", "quota cloud"),
    ("QUOTA_EXCEEDED", "Quota 'PREEMPTIBLE_CPUS' exceeded. Limit: 1.0 in region r.", "quota spot"),
    ("QUOTA_EXCEEDED", "Quota 'IN_USE_ADDRESSES' exceeded. Limit: 1.0 in region r.", "quota region"),
    # one code, several meanings
    ("UNSUPPORTED_OPERATION", "It went away while it was made", f"capacity {TYPE_IN_ZONE}"),
    ("UNSUPPORTED_OPERATION", "This machine family does not support live migration", f"unsupported {TYPE_IN_REGION}"),
    ("3", "update is not supported while in state PREEMPTED", f"capacity {TYPE_IN_ZONE}"),
    ("3", "Accelerator type v9-8 is not available in zone z", f"unsupported {TYPE_IN_ZONE}"),
    ("3", "The name is too long", "user_error abort"),
    ("8", 'There is no more capacity in the zone "z"', f"capacity {TYPE_IN_ZONE}"),
    ("8", "Quota limit 'TPUPerProjectPerRegion' has been exceeded", f"quota {TYPE_IN_REGION}"),
    ("8", "Quota limit 'TPUPerProjectPerZone' has been exceeded", f"quota {TYPE_IN_ZONE}"),
    ("notFound", "The resource 'projects/p/zones/z/instances/a' was not found", f"capacity {TYPE_IN_ZONE}"),
    ("notFound", "The resource 'projects/p/zones/z/machineTypes/a' was not found", f"unsupported {TYPE_IN_ZONE}"),
    ("notFound", "The resource 'projects/p/regions/r/subnetworks/a' was not found", "not_found region"),
    ("notFound", "The resource 'projects/p/global/images/a' was not found", "not_found cloud"),
    ("notFound", "The resource 'projects/p' was not found", "config cloud"),
    ("conditionNotMet", "Constraint constraints/gcp.resourceLocations violated", "permission region"),
    ("conditionNotMet", "Constraint constraints/compute.vmExternalIpAccess violated", "permission cloud"),
    ("conditionNotMet", "Supplied fingerprint does not match", "transient again"),
    ("invalid", "Machine type with name 'a' does not exist in zone 'z'", f"unsupported {TYPE_IN_ZONE}"),
    ("invalid", "Requested disk size cannot be smaller than the image size (9 GB)", "user_error abort"),
    ("PERMISSION_DENIED", "Cloud TPU API has not been used in project 7 before", "config cloud"),
    ("PERMISSION_DENIED", "permission to submit requests for accelerator type v9", f"unsupported {TYPE_IN_ZONE}"),
    ("PERMISSION_DENIED", "The caller does not have permission", "permission cloud"),
    ("google.auth.exceptions.RefreshError", "expired", "auth cloud"),
    ("google.auth.exceptions.TransportError", "refused", "transient again"),
    ("REGION_RESOURCE_POOL_EXHAUSTED", "", f"capacity {TYPE_IN_REGION}"),
    ("ZONE_RESOURCE_POOL_EXHAUSTED", "", f"capacity {TYPE_IN_ZONE}"),
    ("ZONE_RESOURCE_POOL_EXHAUSTED_V9", "", f"capacity {TYPE_IN_ZONE}"),
]


@pytest.mark.parametrize(("code", "message", "right"), TRAPS, ids=lambda text: text[:40])
def test_errors_that_look_alike(code, message, right):
    assert short(classify(code, message)) == right


@pytest.mark.parametrize("status", [0, 200, 403, 404, 429, 500])
def test_the_status_says_nothing_where_there_is_a_code(status):
    found = classify("ZONE_RESOURCE_POOL_EXHAUSTED", "403 is no cause here", status=status)
    assert short(found) == f"capacity {TYPE_IN_ZONE}"


def test_zones_that_an_error_names_are_tried_next():
    told = "Consider trying your request in the europe-west1-b, europe-west1-c zone(s), which has capacity."
    for code in ("ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", ""):
        found = classify(code, f"A VM is currently unavailable in the europe-west1-d zone. {told}")
        assert found.prefer == ("europe-west1-b", "europe-west1-c")


def test_the_cause_below_a_summary_decides():
    below = {"code": "QUOTA_EXCEEDED", "message": "Quota 'CPUS_ALL_REGIONS' exceeded.  Limit: 8.0 globally."}
    body = json.dumps({"errors": [{"code": "VM_MIN_COUNT_NOT_REACHED", "message": "1 of 4"}, below]})
    assert short(classify("VM_MIN_COUNT_NOT_REACHED", "1 of 4", body=body)) == "quota cloud"
    assert short(classify("VM_MIN_COUNT_NOT_REACHED", "1 of 4")) == f"capacity {TYPE_IN_ZONE}"


@pytest.mark.parametrize(
    ("reason", "right"),
    [
        ("SERVICE_DISABLED", "config cloud"),
        ("RATE_LIMIT_EXCEEDED", "rate_limit again"),
        ("ACCESS_TOKEN_EXPIRED", "auth cloud"),
        ("BILLING_DISABLED", "config cloud"),
        ("IAM_PERMISSION_DENIED", "permission cloud"),
    ],
)
def test_the_reason_within_a_refusal_decides(reason, right):
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}
    error = {"code": 403, "message": "No.", "status": "PERMISSION_DENIED", "details": [detail]}
    assert short(classify(body=json.dumps({"error": error}), status=403)) == right


def test_a_vanished_instance_may_still_be_there_and_is_cleaned_up():
    found = classify("RESOURCE_NOT_FOUND", "The resource 'projects/p/zones/z/instances/a' was not found", status=404)
    assert found.nodes_may_exist


def test_any_gpu_draws_on_the_quota_of_all_regions():
    found = classify("QUOTA_EXCEEDED", "Quota 'GPUS_ALL_REGIONS' exceeded.  Limit: 1.0 globally.")
    assert found.blocks[0].key.accelerator == "*"
    assert found.blocks[0].key.region is None


def test_the_quota_and_the_right_that_are_missing_are_named():
    assert "N2_CPUS" in classify("QUOTA_EXCEEDED", "Quota 'N2_CPUS' exceeded. Limit: 8.0 in region r.").hint
    assert "compute.disks.create" in classify("forbidden", "Required 'compute.disks.create' permission for 'x'").hint


def test_words_and_numbers_are_no_codes():
    for text in ("an invalid thing was forbidden", "8 of 9 are required", "404 in a log"):
        assert classify(message=text).rule == "core.unknown"
