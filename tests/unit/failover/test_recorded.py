import json

import pytest

from skyx_core.failover.recorded import BadRecord, answer, parse, pattern
from skyx_core.failover.rules import Rulebook
from skyx_core.models import BlockKey, Category, ErrorRule, Retry, RuleTable, Scope


def line(**changes):
    return json.dumps({"id": "x-1", "cloud": "c", "api": "run", "error": {"code": "Cap", "message": "m"}, **changes})


def test_a_whole_line():
    context = {
        "region": "r1",
        "zone": "r1-a",
        "instance_type": "t1",
        "accelerators": {"T4": 2},
        "use_spot": True,
        "more": [1],
    }
    one = parse(line(context=context, expect={"any": "thing"}))
    assert (one.id, one.cloud, one.error.operation, one.error.code) == ("x-1", "c", "run", "Cap")
    assert one.place.zones == ("r1-a",)
    assert (one.candidate.instance_type, one.candidate.use_spot) == ("t1", True)
    assert one.candidate.accelerators == {"T4": 2.0}


def test_only_the_cloud_and_the_error_must_be_there():
    one = parse('{"cloud": "c", "error": "boom"}')
    assert (one.id, one.place.region, one.place.zones, one.error.message) == ("", "unknown", (), "boom")


@pytest.mark.parametrize(
    ("given", "read"),
    [("A100:8", {"A100": 8.0}), ("A100", {"A100": 1.0}), ({}, {}), (None, {}), ([1], {}), ({"T4": "2"}, {"T4": 2.0})],
)
def test_accelerators_come_in_several_shapes(given, read):
    assert parse(line(context={"accelerators": given})).candidate.accelerators == read


def test_an_error_may_be_what_a_tool_printed():
    one = parse(line(error={"stdout": "starting", "stderr": "no quota", "exit": 1}))
    assert one.error.message == "starting\nno quota"
    assert one.error.data == {"exit": "1"}


def test_lists_and_objects_within_an_error_become_its_body():
    one = parse(line(error={"http_status": 409, "errors": [{"code": "Inner"}]}))
    assert one.error.status == 409
    assert json.loads(one.error.body) == {"errors": [{"code": "Inner"}]}


def test_a_body_that_is_a_text_is_the_raw_answer():
    raw = json.dumps({"error": {"code": "Inner", "message": "full"}})
    assert parse(line(error={"http_status": 200, "body": raw})).error.body == raw
    assert parse(line(error={"body": "<html>busy</html>"})).error.body == "<html>busy</html>"
    assert parse(line(error={"body": {"code": "Inner"}})).error.body == '{"body": {"code": "Inner"}}'


@pytest.mark.parametrize(
    ("raw", "whole"),
    [
        ('{"code": "Inner"}', {"errors": [{"code": "Other"}], "body": {"code": "Inner"}}),
        ("busy", {"errors": [{"code": "Other"}], "body": {"message": "busy"}}),
    ],
)
def test_a_raw_answer_beside_other_errors_loses_none_of_them(raw, whole):
    assert json.loads(parse(line(error={"errors": [{"code": "Other"}], "body": raw})).error.body) == whole


def test_what_was_printed_counts_beside_a_message_of_its_own():
    one = parse(line(error={"code": "1", "message": "the command failed", "stderr": "no quota"})).error
    assert (one.code, one.message, [each.message for each in one.details]) == ("1", "the command failed", ["no quota"])
    one = parse(line(error={"code": "1", "stdout": "a", "stderr": "no quota"})).error
    assert (one.code, one.message, one.details) == ("1", "a\nno quota", ())


def test_a_list_is_several_errors_and_none_is_lost():
    nested = {"code": "Outer", "errors": [{"code": "Inner"}]}
    one = parse(line(error=[{"code": "Cap", "message": "m", "http_status": 409}, "said", nested])).error
    assert (one.code, one.message, one.status) == ("Cap", "m", 409)
    assert [(each.code, each.message) for each in one.details] == [("", "said"), ("Outer", "")]
    assert json.loads(one.body) == {"errors": [{"code": "Inner"}]}
    assert parse(line(error=["said"])).error.message == "said"
    two = parse(line(error=[nested, {"body": "busy"}])).error
    assert json.loads(two.body) == [{"errors": [{"code": "Inner"}]}, {"message": "busy"}]


def test_of_a_list_the_error_that_a_rule_knows_decides():
    for error in (["who knows", {"code": "Cap"}], [{"code": "Other"}, {"errors": [{"code": "Cap"}]}]):
        one = parse(line(error=error))
        verdict = book().classify(one.error, place=one.place, candidate=one.candidate, now=0)
        assert (verdict.rule, verdict.category) == ("r", Category.CAPACITY)


@pytest.mark.parametrize("value", [7, 0, -1.5, True, None, "", "x", 10**400])
def test_an_id_is_answered_as_it_was_given(value):
    one = parse(line(id=value))
    row = answer(one, book().classify(one.error, place=one.place, candidate=one.candidate, now=0))
    assert row["id"] == value
    assert type(row["id"]) is type(value)


def test_the_mark_that_some_editors_put_first_is_passed_over():
    assert parse(f"\ufeff{line()}").id == "x-1"


def test_what_is_no_unicode_is_an_escape_in_the_answer():
    odd = "z\ud800"
    context = {"region": odd, "zone": odd, "instance_type": odd, "accelerators": {odd: 1}}
    one = parse(line(id=odd, context=context, error={"code": "Cap", "message": odd}))
    for scope in (Scope.ZONE, Scope.INSTANCE_TYPE_IN_REGION, Scope.ACCELERATOR):
        rulebook = book(block=scope, message="(?P<what>.*)", hint="{what} {zone}")
        row = answer(one, rulebook.classify(one.error, place=one.place, candidate=one.candidate, now=0))
        assert json.dumps(row, ensure_ascii=False).encode().count(rb"\ud800") >= 3
        assert row["id"] == r"z\ud800"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "nested too deep"),
        ("[]", "not a JSON object"),
        ("null", "not a JSON object"),
        ("{}", "'cloud' is missing"),
        ('{"cloud": 5, "error": "x"}', "'cloud' is missing"),
        ('{"cloud": "", "error": "x"}', "'cloud' is missing"),
        ('{"cloud": "c"}', "'error' is missing"),
        ('{"cloud": "c", "error": ""}', "'error' is empty"),
        ('{"cloud": "c", "error": []}', "'error' is empty"),
        ('{"cloud": "c", "error": {}}', "'error' is empty"),
        ('{"cloud": "c", "error": null}', "'error' is null: it must be an object, a text, or a list of these"),
        ('{"cloud": "c", "error": 5.5}', "'error' is 5.5: it must be"),
        ('{"cloud": "c", "error": true}', "'error' is true: it must be"),
        ('{"cloud": "c", "error": ["x", 5]}', "an error of the list is 5: it must be"),
        ('{"cloud": "c", "error": ["x", ["y"]]}', "an error of the list is a list: it must be"),
        ('{"cloud": "c", "error": ["x", {}]}', "an error of the list is empty"),
        ('{"cloud": "c", "error": "x", "id": [1]}', "'id' is no text and no number"),
        ('{"cloud": "c", "error": "x", "id": NaN}', "'id' is no number that JSON knows"),
        ('{"cloud": "c", "error": "x", "id": -1e999}', "'id' is no number that JSON knows"),
        ('{"cloud": "c", "error": "x", "context": [1]}', "'context' is not an object"),
        ('{"cloud": "c", "error": "x", "context": {"accelerators": "A:many"}}', "'context.accelerators'"),
        ('{"cloud": "c", "error": "x", "context": {"accelerators": {"A": 1e999}}}', "'context.accelerators'"),
        ('{"cloud": "c", "error": "x", "context": {"accelerators": {"A": NaN}}}', "'context.accelerators'"),
        (
            '{"cloud": "c", "error": "x", "context": {"accelerators": {"A": 1' + "0" * 400 + "}}}",
            "'context.accelerators'",
        ),
        (
            '{"cloud": "c", "error": "x", "context": {"accelerators": {"A": 1' + "0" * 5000 + "}}}",
            "more than 4,300 digits",
        ),
    ],
)
def test_a_bad_line_says_what_is_wrong(text, why):
    with pytest.raises(BadRecord) as bad:
        parse(text)
    assert why in str(bad.value)


def book(**changes):
    fields = {"id": "r", "code": "Cap", "category": Category.CAPACITY, "block": Scope.REGION, **changes}
    return Rulebook([RuleTable(rules=(ErrorRule(**fields),))])


def answered(rulebook):
    one = parse(line(context={"region": "r1", "zone": "r1-a", "instance_type": "t1", "accelerators": "T4:1"}))
    return answer(one, rulebook.classify(one.error, place=one.place, candidate=one.candidate, now=0))


def test_the_answer_says_what_would_be_blocked_and_for_how_long():
    row = answered(book(hint="wait"))
    assert row["pattern"] == {"cloud": "c", "region": "r1"}
    assert (row["block"], row["ttl"], row["retry_same"], row["abort"]) == ("region", "minutes", False, False)
    assert (row["id"], row["rule"], row["hint"], row["category"]) == ("x-1", "r", "wait", "capacity")
    assert "pattern_after_retries" not in row
    assert "prefer" not in row


def test_the_answer_of_a_retry_says_what_is_blocked_at_its_end():
    row = answered(book(block=Scope.NONE, block_after=Scope.CLOUD, retry=Retry(max=1, wait=1)))
    assert (row["pattern"], row["block"], row["ttl"], row["retry_same"]) == (None, "none", "none", True)
    assert row["pattern_after_retries"] == {"cloud": "c"}


def test_the_answer_of_an_abort_and_of_places_with_capacity():
    row = answered(book(code=None, message="(?P<places>m)", category=Category.USER_ERROR, abort=True))
    assert (row["abort"], row["pattern"], row["prefer"]) == (True, None, ["m"])


def test_a_pattern_shows_only_what_it_fixes():
    key = BlockKey(cloud="c", accelerators=(("T4", 1.0),), use_spot=False, reservation="")
    assert pattern(key) == {"cloud": "c", "accelerators": {"T4": 1.0}, "use_spot": False}
