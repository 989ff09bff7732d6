"""AWS: errors that look alike and are not; errors that are only text; places that an error names."""

import pytest

import error_corpus as corpus
from skyx_core.errors import CloudError
from skyx_core.models import Candidate, Place


def classify(code="", message="", *, operation="RunInstances", region="us-west-2", status=400, spot=False, body=""):
    zone = f"{region}a"
    place = Place(cloud="aws", region=region, zones=(zone,))
    tried = Candidate(
        cloud="aws",
        region=region,
        zone=zone,
        instance_type="g6.4xlarge",
        cpus=16,
        memory_gb=64,
        accelerators={"L4": 1},
        use_spot=spot,
        hourly_usd=1,
    )
    error = CloudError("aws", operation, code=code, message=message, status=status, body=body)
    return corpus.book("aws").classify(error, place=place, candidate=tried, now=corpus.NOW)


def short(found):
    if found.abort:
        return f"{found.category} abort"
    return f"{found.category} again" if found.retry else f"{found.category} {found.block}"


TRAPS = [
    # one code, two meanings
    ("AuthFailure", "The credentials are not valid", "auth cloud"),
    ("AuthFailure", "Not authorized for images: [ami-1]", "not_found region"),
    ("Unsupported", "Not in Availability Zone us-west-2a", "unsupported instance_type_in_zone"),
    ("Unsupported", "Not with these options", "unsupported instance_type_in_region"),
    ("OptInRequired", "You are not subscribed to this service", "config region"),
    ("OptInRequired", "Accept the terms of this Marketplace product", "config cloud"),
    ("PendingVerification", "Access to this region is being checked", "config region"),
    ("PendingVerification", "Your account is being checked", "config cloud"),
    ("MissingInput", "No default subnet for availability zone 'us-west-2a'", "config zone"),
    ("MissingInput", "No subnets in the VPC", "config region"),
    ("MissingInput", "The request must contain ImageId", "user_error abort"),
    ("InvalidParameterValue", "Invalid IAM Instance Profile name", "transient again"),
    ("InvalidParameterValue", "Invalid availability zone: [us-west-2z]", "not_found zone"),
    ("InvalidParameterValue", "Invalid value 'x' for InstanceType", "unsupported instance_type_in_region"),
    ("InvalidParameterValue", "Invalid value 'x' for Tenancy", "user_error abort"),
    ("UnauthorizedOperation", "explicit deny in a service control policy", "permission region"),
    ("UnauthorizedOperation", "no identity-based policy allows it", "permission cloud"),
    ("UnauthorizedOperation", "not authorized to perform: ec2:RequestSpotInstances", "permission spot"),
    # one ending, two meanings
    ("RequestLimitExceeded", "Request limit exceeded.", "rate_limit again"),
    ("BandwidthLimitExceeded", "", "rate_limit again"),
    ("VolumeLimitExceeded", "", "quota region"),
    ("LimitExceeded", "Too many instance profiles", "quota cloud"),
    ("TagLimitExceeded", "", "user_error abort"),
    ("InvalidInstanceID.NotFound", "", "transient again"),
    ("InvalidAMIID.NotFound", "", "not_found region"),
    ("InvalidInstanceID.Malformed", "", "user_error abort"),
    ("InvalidGroup.Duplicate", "", "transient again"),
    ("InvalidGroup.NotFound", "", "not_found region"),
    ("InsufficientInstanceCapacity", "", "capacity instance_type_in_zone"),
    ("InsufficientVolumeCapacity", "", "capacity zone"),
    ("InsufficientAddressCapacity", "", "capacity region"),
    ("InsufficientFreeAddressesInSubnet", "", "config zone"),
    ("Server.InternalError", "", "transient again"),
    ("Client.InternalError", "", "permission region"),
    ("AuthFailure.ServiceLinkedRoleCreationNotPermitted", "", "permission spot"),
]


@pytest.mark.parametrize(("code", "message", "right"), TRAPS, ids=lambda text: text[:40])
def test_errors_that_look_alike(code, message, right):
    assert short(classify(code, message)) == right


def test_credentials_that_a_region_does_not_know_shut_only_a_region_that_must_be_switched_on():
    assert short(classify("AuthFailure", "not valid", region="me-south-1")) == "config region"
    assert short(classify("AuthFailure", "not valid", region="us-east-2")) == "auth cloud"


@pytest.mark.parametrize("status", [0, 400, 403, 500, 503])
def test_the_status_says_nothing_where_there_is_a_code(status):
    found = classify("InsufficientInstanceCapacity", "403 Forbidden is no cause here", status=status)
    assert short(found) == "capacity instance_type_in_zone"


def test_zones_that_an_error_names_are_tried_next():
    for code in ("InsufficientInstanceCapacity", "Unsupported"):
        found = classify(code, "Ask without an Availability Zone or choosing us-west-2b, us-west-2d.")
        assert found.prefer == ("us-west-2b", "us-west-2d")
        assert "us-west-2b, us-west-2d" in found.hint


def test_without_a_quota_at_all_a_block_stays_longer():
    none = classify("VcpuLimitExceeded", "the limit of 0 does not allow it")
    some = classify("VcpuLimitExceeded", "the limit of 10 does not allow it")
    assert none.ttl > some.ttl


def test_the_right_that_is_missing_is_named():
    found = classify("UnauthorizedOperation", "User is not authorized to perform: iam:PassRole on role/x")
    assert "iam:PassRole" in found.hint


def test_a_fleet_that_may_not_use_spot_leaves_on_demand_alone():
    body = (
        '{"Errors": [{"ErrorCode": "UnfulfillableCapacity", "ErrorMessage": "none"}, '
        '{"ErrorCode": "AuthFailure.ServiceLinkedRoleCreationNotPermitted", "ErrorMessage": "no"}]}'
    )
    found = classify(operation="CreateFleet", spot=True, status=200, body=body)
    assert short(found) == "permission spot"
    assert all(block.key.use_spot for block in found.blocks)


def test_a_new_code_blocks_the_narrowest_and_is_told():
    found = classify("SomethingNew", "Never seen")
    assert short(found) == "unknown instance_type_in_zone"
    assert "SomethingNew" in found.reason


@pytest.mark.parametrize(
    "text",
    [
        "An error occurred (InsufficientInstanceCapacity) when calling the RunInstances operation: none",
        "operation error EC2: RunInstances, StatusCode: 500, api error InsufficientInstanceCapacity: none",
        "InsufficientInstanceCapacity: none\n\tstatus code: 500, request id: 4",
        "Server.InsufficientInstanceCapacity: none",
    ],
)
def test_tools_write_codes_in_many_ways(text):
    assert short(classify(message=text, status=0)) == "capacity instance_type_in_zone"


def test_words_of_a_language_are_no_codes():
    for text in ("the pipe was blocked by a 403 in a log", "unsupported locale setting", "limit exceeded by far"):
        assert classify(message=text, status=0).rule == "core.unknown"
