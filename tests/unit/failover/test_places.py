"""Places that an answer itself names as having capacity."""

import json

import pytest

from builders import candidate
from skyx_core.errors import CloudError, CloudErrorDetail
from skyx_core.failover.places import listed, names_in
from skyx_core.failover.rules import Rulebook
from skyx_core.models import Category, ErrorRule, Place, RuleTable, Scope

KEYS = ("zonesAvailable", "freeRegions")
DEEP = {
    "error": {
        "code": "FULL",
        "errorDetails": [{"errorInfo": {"reason": "stockout", "metadatas": {"zonesAvailable": "r1-b,r1-c"}}}],
    }
}


@pytest.mark.parametrize(
    "text", ["a, b and c", "a; b; or c.", "[a, b, c]", "'a', 'b', 'c'", "a b c", "a, b, a, c", "(a,b,c)"]
)
def test_places_in_a_sentence(text):
    assert names_in(text) == ("a", "b", "c")


@pytest.mark.parametrize(
    "error",
    [
        CloudError("c", "run", body=json.dumps(DEEP)),
        CloudError("c", "run", message="failed: " + json.dumps(DEEP)),
        CloudError("c", "run", body=json.dumps({"text": json.dumps(DEEP)})),
        CloudError("c", "run", data={"zonesAvailable": "r1-b, r1-c"}),
        CloudError("c", "run", details=(CloudErrorDetail(data={"zonesAvailable": "r1-b, r1-c"}),)),
        CloudError("c", "run", body=json.dumps([{"freeRegions": ["r1-b", "r1-c", 4, None]}])),
        CloudError("c", "run", body=json.dumps({"zonesAvailable": "r1-b", "x": {"freeRegions": ["r1-c"]}})),
    ],
)
def test_places_are_found_however_deep_they_lie(error):
    assert listed(error, KEYS) == ("r1-b", "r1-c")


@pytest.mark.parametrize("body", ["", "{", "zonesAvailable", '{"zonesAvailable": 5}', '{"zonesAvailable": {"a": "b"}}'])
def test_where_there_are_none(body):
    assert listed(CloudError("c", "run", body=body), KEYS) == ()
    assert listed(CloudError("c", "run", body=json.dumps(DEEP)), ()) == ()


def test_no_answer_is_too_deep_or_too_long():
    deep = "[" * 500 + '{"zonesAvailable": "a"}' + "]" * 500
    assert listed(CloudError("c", "run", body=deep), KEYS) == ()
    many = json.dumps([{"zonesAvailable": f"z{n}"} for n in range(5000)])
    assert len(listed(CloudError("c", "run", body=many), KEYS)) == 200


def test_they_are_preferred_after_those_that_the_message_names():
    rule = ErrorRule(
        id="full", code="FULL", message="try (?P<places>.*)", category=Category.CAPACITY, block=Scope.REGION
    )
    book = Rulebook([RuleTable(rules=(rule,), place_keys=KEYS)])
    error = CloudError("c", "run", code="FULL", message="try r1-a or r1-b", body=json.dumps(DEEP))
    verdict = book.classify(error, place=Place(cloud="c", region="r1"), candidate=candidate(), now=0)
    assert verdict.prefer == ("r1-a", "r1-b", "r1-c")
