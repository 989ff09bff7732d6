"""Codes that stand in a text only."""

import pytest

from builders import candidate
from skyx_core.errors import CloudError
from skyx_core.failover.codes_in_text import codes_in
from skyx_core.failover.rules import Rulebook
from skyx_core.models import Category, ErrorRule, Place, RuleTable, Scope


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("An error occurred (Unsupported) when calling the RunInstances operation: none", "Unsupported"),
        ("operation error: Run, api error InsufficientInstanceCapacity: none", "InsufficientInstanceCapacity"),
        ("Server.NoCapacity: none", "Server.NoCapacity"),
        ('Error from server (Forbidden): pods "x" is forbidden', "Forbidden"),
        ("rpc error: code = Unavailable desc = gone", "Unavailable"),
        ("Code: Conflict\nMessage: busy", "Conflict"),
        ("[{'domain': 'usageLimits', 'reason': 'quotaExceeded'}]", "quotaExceeded"),
        ("failed: QUOTA_EXCEEDED.", "QUOTA_EXCEEDED"),
        ("lib.exceptions.NoCredentialsError: none", "NoCredentialsError"),
        ("lib.exceptions.ConfigFileNotFound: none", "ConfigFileNotFound"),
        ("(instance-operations/launch/no-capacity): none", "instance-operations/launch/no-capacity"),
        ("stopped (RESOURCE:GPU)", "RESOURCE:GPU"),
        ("Forbidden: no", "Forbidden"),
    ],
)
def test_where_a_code_may_stand(text, code):
    assert code in codes_in(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("RequestLimitExceeded", "LimitExceeded"),
        ("x.LimitExceeded", "LimitExceeded"),
        ("LimitExceeded-2", "LimitExceeded"),
        ("LimitExceeded_for_now", "LimitExceeded"),
        ("a/LimitExceeded/b", "LimitExceeded"),
        ("the Conflict between us is Forbidden to name", "Conflict"),
        ("the Conflict between us is Forbidden to name", "Forbidden"),
        ("this is (forbidden) to all", "forbidden"),
        ("failed (403): no", "403"),
    ],
)
def test_where_a_word_is_no_code(text, code):
    assert code not in codes_in(text)


def test_a_text_of_any_length_gives_few():
    assert len(codes_in(" ".join(f"a_{n}" for n in range(10_000)))) <= 100
    assert codes_in("(a" * 50_000 + "_" * 50_000) == ()


def rule(name, **more):
    return ErrorRule(**{"id": name, "code": name, "category": Category.CAPACITY, "block": Scope.REGION, **more})


def met(table, message, code=""):
    error = CloudError("c", "run", code=code, message=message)
    place = Place(cloud="c", region="r1")
    return Rulebook([table]).classify(error, place=place, candidate=candidate(), now=0).rule


TABLE = RuleTable(
    rules=(
        rule("Odd_Any", code=r"\w+_Any", code_in_text=False),
        rule("No_Room", message="disk"),
        rule("plain", code=None, message="told"),
        rule("Room_Gone"),
        rule("none", code="", message="nothing"),
    ),
    code_in_text=True,
    wrappers=("HttpError|.*Exception",),
)


def test_a_code_in_a_text_is_known_where_the_table_says_so():
    assert met(TABLE, "run failed: Room_Gone") == "Room_Gone"
    assert met(TABLE.model_copy(update={"code_in_text": False}), "run failed: Room_Gone") == "core.unknown"


def test_what_else_a_rule_asks_must_fit_too():
    assert met(TABLE, "No_Room on any disk") == "No_Room"
    assert met(TABLE, "No_Room") == "core.unknown"


def test_rules_keep_their_order_whether_they_go_by_code_or_text():
    assert met(TABLE, "told: Room_Gone") == "plain"
    assert met(TABLE, "nothing: Room_Gone") == "Room_Gone"
    assert met(TABLE, "nothing else") == "none"


def test_an_error_with_a_code_of_its_own_is_not_searched_for_others():
    assert met(TABLE, "because of Room_Gone", code="New") == "core.unknown"


@pytest.mark.parametrize("code", ["HttpError", "lib.ApiException"])
def test_a_code_that_only_names_what_a_client_raised_counts_as_none(code):
    assert met(TABLE, "because of Room_Gone", code=code) == "Room_Gone"
    assert met(TABLE, "nothing", code=code) == "none"


def test_a_rule_may_stay_out_of_it_or_take_part_alone():
    assert met(TABLE, "x: Is_Any") == "core.unknown"
    assert met(TABLE, "", code="Is_Any") == "Odd_Any"
    alone = RuleTable(rules=(rule("Is_It", code_in_text=True), rule("No_It")))
    assert met(alone, "Is_It") == "Is_It"
    assert met(alone, "No_It") == "core.unknown"


def test_joined_tables_each_keep_their_own_way():
    joined = RuleTable.joined([RuleTable(rules=(rule("A_A"),)), TABLE])
    assert [each.code_in_text for each in joined.rules] == [None, False, True, True, True, True]
    assert met(joined, "A_A") == "core.unknown"
    assert met(joined, "Room_Gone") == "Room_Gone"
    assert joined.wrappers == TABLE.wrappers


def test_codes_that_can_not_stand_within_another_pattern_still_count():
    table = RuleTable(rules=(rule("r", code="(?i)is_it"), rule("s", code="No_It")), code_in_text=True)
    assert met(table, "IS_IT") == "r"
    assert met(table, "No_It") == "s"
