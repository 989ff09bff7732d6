"""Azure: the same code means several things, and the cause lies below."""

import json

import pytest

from rules_traps import meaning, told

OVER = "Operation could not be completed as it results in exceeding approved {} quota. Current Limit: {}, "

PAIRS = [
    ("SkuNotAvailable", "failed for Capacity Restrictions", {}, "capacity instance_type_in_region"),
    ("SkuNotAvailable", "not available in location for subscription 0", {}, "unsupported instance_type_in_region"),
    ("SkuNotAvailable", "not available for subscription 0", {"use_spot": True}, "capacity instance_type_in_region"),
    (
        "SkuNotAvailable",
        "not available in zones '1' for subscription 0",
        {"zone": "1"},
        "capacity instance_type_in_zone",
    ),
    ("AllocationFailed", "no room", {"zone": "1"}, "capacity instance_type_in_region"),
    ("ZonalAllocationFailed", "no room", {"zone": "1"}, "capacity instance_type_in_zone"),
    ("OperationNotAllowed", OVER.format("LowPriorityCores", 3), {"use_spot": True}, "quota spot"),
    ("OperationNotAllowed", OVER.format("standardDSv5Family Cores", 3), {}, "quota instance_type_in_region"),
    ("OperationNotAllowed", OVER.format("Total Regional Cores", 3), {}, "quota region"),
    ("OperationNotAllowed", "too many requests have been received", {}, "rate_limit retry"),
    ("OperationNotAllowed", "the VM is marked for deletion", {}, "transient retry"),
    ("RequestDisallowedByPolicy", "policy 'Allowed locations'", {}, "permission region"),
    ("RequestDisallowedByPolicy", "policy 'Require a tag'", {}, "permission cloud"),
    ("TooManyRequests", "", {"status": 429}, "rate_limit retry"),
    ("RetryableError", "", {"status": 429}, "transient retry"),
    ("BadRequest", "cannot boot Hypervisor Generation '2'", {"status": 400}, "user_error instance_type_in_region"),
    ("InvalidParameter", "disk size 30 GB is smaller than the size of the image", {"status": 400}, "abort"),
]


@pytest.mark.parametrize(
    ("code", "message", "facts", "wanted"), PAIRS, ids=[f"{n}-{r[0]}" for n, r in enumerate(PAIRS)]
)
def test_near_twins_get_their_own_answers(code, message, facts, wanted):
    assert meaning(told("azure", code, message, **facts)) == wanted


def test_the_cause_may_lie_four_levels_below():
    inner = {"code": "QuotaExceeded", "message": OVER.format("standardNCFamily Cores", 0)}
    text = json.dumps({"status": "Failed", "error": {"code": "ResourceDeploymentFailure", "details": [inner]}})
    body = json.dumps({"error": {"code": "DeploymentFailed", "details": [{"code": "Conflict", "message": text}]}})
    assert meaning(told("azure", "DeploymentFailed", "see details", body=body)) == "quota instance_type_in_region"


def test_a_family_s_quota_blocks_what_draws_on_it_and_0_lasts_longer():
    family = OVER.format("standardNCFamily Cores", "{}")
    none, some = (told("azure", "QuotaExceeded", family.format(n), buckets=("standardNCFamily", "all")) for n in (0, 8))
    assert some.blocks[0].key.quota_bucket == "standardNCFamily"
    assert some.blocks[0].key.instance_type is None
    assert none.blocks[0].until > some.blocks[0].until
    assert "standardNCFamily" in some.hint


def test_a_code_that_is_only_printed_counts_and_plain_words_do_not():
    assert meaning(told("azure", message="(ScopeLocked) the group is locked")) == "config cloud"
    assert told("azure", message="the Conflict between us is Forbidden to name").rule == "core.unknown"


def test_spot_that_the_subscription_lacks_leaves_on_demand_alone():
    found = told("azure", "AzureSpotFeatureNotEnabledForSubscription", use_spot=True)
    assert (found.blocks[0].key.use_spot, found.blocks[0].key.region) == (True, None)
