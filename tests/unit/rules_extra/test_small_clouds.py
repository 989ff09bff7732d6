"""The smaller clouds: the same words mean other things, and texts of any length cost little."""

import re
import time

import pytest

import error_corpus as corpus
from rules_traps import meaning, told

PAIRS = [
    ("oci", "InternalError", "Out of host capacity.", 500, "capacity instance_type_in_zone"),
    ("oci", "InternalError", "An error occurred.", 500, "transient retry"),
    ("oci", "LimitExceeded", "limits were exceeded: gpu4-count", 400, "quota instance_type_in_region"),
    ("oci", "LimitExceeded", "limits were exceeded: vcn-count", 400, "quota region"),
    ("oci", "NotAuthorizedOrNotFound", "", 404, "permission region"),
    ("oci", "NotAuthenticated", "", 401, "auth cloud"),
    ("nebius", "RESOURCE_EXHAUSTED", "no room for gpu-h100-sxm", 0, "capacity instance_type_in_region"),
    ("nebius", "RESOURCE_EXHAUSTED", "quota limit exceeded: gpu.h100", 0, "quota instance_type_in_region"),
    ("hetzner", "rate_limit_exceeded", "Limit reached", 429, "rate_limit retry"),
    ("hetzner", "resource_limit_exceeded", "server limit reached", 403, "quota cloud"),
    ("hetzner", "resource_unavailable", "error during placement", 412, "capacity instance_type_in_region"),
    ("verda", "service_unavailable", "Not enough resources", 503, "capacity instance_type_in_region"),
    ("verda", "service_unavailable", "Maintenance", 503, "transient retry"),
    ("digitalocean", "unprocessable_entity", "will exceed your droplet limit", 422, "quota cloud"),
    (
        "digitalocean",
        "unprocessable_entity",
        "Size is not available in this region.",
        422,
        "capacity instance_type_in_region",
    ),
    ("openstack", "Forbidden", "Quota exceeded for instances: 10 of 10", 403, "quota region"),
    ("openstack", "Forbidden", "Policy doesn't allow this", 403, "permission cloud"),
    (
        "runpod",
        "RUNPOD",
        "no longer any instances available with enough disk space",
        200,
        "capacity instance_type_in_region",
    ),
    ("runpod", "RUNPOD", "Your balance is too low", 200, "config cloud"),
    ("vast", "no_such_ask", "gone", 410, "capacity retry"),
    ("vast", "no_such_template", "gone", 410, "not_found instance_type_in_region"),
    ("scaleway", "quotas_exceeded", "quota exceeded", 403, "quota instance_type_in_region"),
    ("scaleway", "permissions_denied", "", 403, "permission cloud"),
    ("ibm", "not_found", "profile gx3 is not available in zone", 404, "unsupported instance_type_in_zone"),
    ("ibm", "not_found", "subnet not found", 404, "not_found region"),
    ("crusoe", "out_of_stock", "", 400, "capacity instance_type_in_region"),
    ("cudo", "RESOURCE_EXHAUSTED", "quota of gpus", 429, "quota instance_type_in_region"),
    ("lambda", "global/invalid-parameters", "Requested too many instances.", 400, "abort"),
    ("lambda", "rate_limit", "", 429, "rate_limit retry"),
    ("scp", "SCPError", "a request is ongoing", 0, "transient retry"),
    ("scp", "SCPError", "no available resource", 0, "capacity instance_type_in_region"),
]
ZONED = {"oci", "ibm", "scaleway", "openstack"}


@pytest.mark.parametrize(
    ("cloud", "code", "message", "status", "wanted"), PAIRS, ids=[f"{n}-{row[0]}" for n, row in enumerate(PAIRS)]
)
def test_near_twins_get_their_own_answers(cloud, code, message, status, wanted):
    assert meaning(told(cloud, code, message, status=status, zone="z1" if cloud in ZONED else None)) == wanted


@pytest.mark.parametrize("cloud", ["lambda", "scp"])
def test_places_that_an_error_names_are_preferred_and_the_others_not_blocked(cloud):
    found = told(cloud, message="Nothing here. Regions with capacity available: us-east-1, us-east-10")
    assert found.prefer == ("us-east-1", "us-east-10")
    assert [block.key.region for block in found.blocks] == ["here"]


def test_a_number_in_a_text_is_no_status():
    assert told("lambda", message="instance 403 of 429 is odd").rule == "core.unknown"


LONG = ("a" * 4000, " " * 4000, "a_" * 2000)
_NO_WORDS = re.compile(r"\\[a-zA-Z]|\?P<\w+>|[(]\?[:=!<]+")
_WORDS = re.compile(r"[A-Za-z][A-Za-z' /-]{2,}")


def slow(pattern):
    """The longest that a pattern takes over 4000 letters that repeat a word of its own: seconds of processor time."""
    compiled = re.compile(pattern, re.IGNORECASE | re.DOTALL)
    found = _WORDS.findall(_NO_WORDS.sub(" ", pattern))
    words = sorted({form for word in found for form in (word, word.strip())})
    took = 0.0
    for text in (*LONG, *(word * (4000 // len(word)) for word in words)):
        began = time.process_time()
        compiled.search(text)
        took = max(took, time.process_time() - began)
    return took


def test_no_pattern_is_slow_on_a_long_text_not_even_of_its_own_words():
    patterns = {rule.message for one in corpus.tables_declared() for rule in corpus.table(one.name).rules}
    assert [pattern for pattern in patterns - {None} if slow(pattern) > 0.15] == []


def test_a_slow_pattern_would_be_seen():
    assert slow(r"exceed\w*.{0,80}\bquota") > 0.15
