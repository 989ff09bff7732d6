"""Taking answers apart."""

import json
import time

import pytest

from skyx_core.errors import CloudError, CloudErrorDetail
from skyx_core.failover.leaves import Unwrapper
from skyx_core.models import RuleTable


def leaves(message="", *, code="", body="", details=(), status=0, **table):
    error = CloudError("c", "run", code=code, message=message, body=body, details=tuple(details), status=status)
    return Unwrapper(RuleTable(**table)).leaves(error)


def found(*args, **more):
    return [(leaf.code, leaf.message) for leaf in leaves(*args, **more)]


def test_a_plain_error_is_itself():
    (leaf,) = leaves("no more", code="Cap", status=500)
    assert (leaf.code, leaf.message, leaf.status) == ("Cap", "no more", 500)


def test_json_within_a_message_is_an_error_of_its_own():
    message = 'request failed: {"error": {"code": "Cap", "message": "none left"}} (after 3 s)'
    assert found(message, code="Failed") == [("Failed", message), ("Cap", "none left")]


def test_json_within_a_string_within_json():
    inner = json.dumps({"error": {"code": "Deep", "message": "at last"}})
    assert ("Deep", "at last") in found(body=json.dumps({"message": inner, "code": "Outer"}))


def test_details_in_lists_each_count_once():
    body = json.dumps({"errors": [{"code": "A", "message": "1"}, {"code": "A", "message": "1"}, {"code": "B"}]})
    assert [leaf.code for leaf in leaves(body=body) if leaf.code] == ["A", "B"]


def test_an_answer_that_is_no_json_is_one_text():
    assert ("", "stdout: 2 nodes failed") in found(body="stdout: 2 nodes failed")


def test_errors_that_only_announce_others_are_left_out_unless_they_are_alone():
    details = (CloudErrorDetail(code="Cap", message="none"),)
    assert found("see below", code="MultipleErrors", details=details, summaries=("multiple.*",)) == [("Cap", "none")]
    assert found("see below", code="MultipleErrors", summaries=("multiple.*",)) == [("MultipleErrors", "see below")]
    assert found("x", code="MultipleErrorsHere", details=details, summaries=("multipleerrors",))[0][0] != "Cap"


def test_a_table_names_keys_of_its_own():
    body = json.dumps([{"faultName": "Cap", "faultText": "none"}])
    assert ("Cap", "none") not in found(body=body)
    assert ("Cap", "none") in found(body=body, code_keys=("faultName",), message_keys=("faultText",))


def test_what_an_error_is_about_is_known_from_around_and_below_it():
    item = {
        "ErrorCode": "Cap",
        "LaunchTemplateAndOverrides": {"Overrides": {"InstanceType": "p5", "AvailabilityZone": "r1-b"}},
    }
    (leaf,) = [each for each in leaves(body=json.dumps({"Fleet": "f", "Errors": [item]})) if each.code == "Cap"]
    assert leaf.data["InstanceType"] == "p5"
    assert leaf.data["AvailabilityZone"] == "r1-b"
    assert leaf.data["Fleet"] == "f"


def test_siblings_say_nothing_of_each_other():
    body = json.dumps({"Errors": [{"code": "A", "InstanceType": "t1"}, {"code": "B"}]})
    kinds = {leaf.code: leaf.data.get("InstanceType") for leaf in leaves(body=body)}
    assert (kinds["A"], kinds["B"]) == ("t1", None)


def test_the_status_of_an_inner_error_is_read_if_it_is_a_number():
    body = json.dumps([{"code": "A", "status": 403}, {"code": "B", "status": "FAILED"}, {"code": "C", "status": True}])
    assert {leaf.code: leaf.status for leaf in leaves(body=body) if leaf.code} == {"A": 403, "B": 0, "C": 0}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[",
        "[" * 100_000,
        '{"a":' * 50_000,
        '{"code": ',
        "{]}",
        '{"code": 5}',
        "\x00{\x00",
        "{'code': 'A'}",
        "\ud800{",
    ],
)
def test_garbage_is_the_text_that_it_is(text):
    assert leaves(text, code="X")[0].message
    assert leaves(body=text)


def nested(depth, leaf):
    for _ in range(depth):
        leaf = {"inner": leaf}
    return json.dumps(leaf)


def test_errors_are_looked_for_to_a_limit_of_depth():
    leaf = {"code": "Deep", "message": "m"}
    assert ("Deep", "m") in found(body=nested(8, leaf))
    assert ("Deep", "m") not in found(body=nested(30, leaf))


def test_strings_within_strings_end_at_the_limit_of_depth():
    text = json.dumps({"code": "Bottom"})
    for _ in range(16):
        text = json.dumps({"message": text})
        if len(text) > 200_000:
            break
    assert leaves(body=text)


def test_at_most_so_many_errors_of_one_answer():
    body = json.dumps([{"code": f"C{n}"} for n in range(5000)])
    assert len(leaves(body=body)) <= 200


@pytest.mark.parametrize(
    "value",
    [
        {"code": "X", **{f"k{n}": {f"a{n}": n} for n in range(30_000)}},
        {"code": "X", **{f"k{n}": n for n in range(5_000)}, "items": {f"i{n}": {"b": {}} for n in range(5_000)}},
        {"code": "X", "items": [[{"x": n} for n in range(150)] for _ in range(150)]},
        {"items": ["{" * 300] * 3000},
        [["[" * 900] * 190] * 190,
    ],
    ids=["wide", "wide above", "lists", "open braces", "open brackets"],
)
def test_a_huge_answer_is_taken_apart_in_a_moment(value):
    body = json.dumps(value)
    began = time.process_time()
    leaves(body=body)
    assert time.process_time() - began < 2
