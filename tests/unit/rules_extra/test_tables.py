"""What holds for every table of rules that is declared."""

import re
import time

import pytest

import error_corpus as corpus
from skyx_core.errors import CloudError
from skyx_core.models import Candidate, Category, Place, RuleTable, Scope

DECLARED = [one.name for one in corpus.tables_declared()]
each_cloud = pytest.mark.parametrize("cloud", DECLARED)


# Rules that no line reaches, with the reason.
UNREACHED: dict[str, str] = {}


def rules(cloud):
    return corpus.table(cloud).rules


def test_every_declared_table_has_a_corpus_of_our_own():
    assert sorted(DECLARED) == corpus.clouds()


def test_every_declared_table_loads():
    assert DECLARED
    assert all(isinstance(corpus.table(cloud), RuleTable) for cloud in DECLARED)


@each_cloud
def test_ids_are_unique_and_begin_with_the_cloud(cloud):
    ids = [rule.id for rule in rules(cloud)]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(rf"{cloud}(\.[a-z0-9-]+)+", each) for each in ids)


@each_cloud
def test_patterns_compile(cloud):
    for rule in rules(cloud):
        for text in (rule.code, rule.message, rule.operation, rule.kind, rule.region, rule.instance_type):
            re.compile(text or "")
    for text in corpus.table(cloud).summaries:
        re.compile(text)


@each_cloud
def test_every_fact_has_a_dated_source(cloud):
    assert [rule.id for rule in rules(cloud) if not re.search(r"\b20\d\d-\d\d-\d\d\b", rule.source)] == []


@each_cloud
def test_every_row_blocks_aborts_or_retries_within_limits(cloud):
    for rule in rules(cloud):
        blocks = rule.block is not Scope.NONE
        assert blocks + rule.abort + (rule.retry is not None) == 1, rule.id
        assert rule.retry is None or rule.block_after not in (None, Scope.NONE), rule.id
        assert not rule.abort or rule.category is Category.USER_ERROR, rule.id
        assert rule.ttl is None or isinstance(rule.ttl, str) or rule.ttl > 0, rule.id


@each_cloud
@pytest.mark.parametrize("spot", [False, True])
def test_an_empty_error_meets_no_rule_of_a_cloud(cloud, spot):
    place = Place(cloud=cloud, region="r", zones=("r-a",))
    tried = Candidate(
        cloud=cloud, region="r", zone="r-a", instance_type="t", cpus=1, memory_gb=1, use_spot=spot, hourly_usd=0
    )
    found = corpus.book(cloud).classify(CloudError(cloud, "create"), place=place, candidate=tried, now=0)
    assert found.rule == "core.unknown"


@each_cloud
def test_every_rule_is_met_by_a_line_or_has_a_reason_not_to_be(cloud):
    met = {one.verdict.rule for one in corpus.answered(cloud)}
    never = {rule.id for rule in rules(cloud)} - met
    assert never == {name for name in UNREACHED if name.startswith(f"{cloud}.")}


@each_cloud
def test_no_rule_is_made_for_one_message(cloud):
    """A pattern that holds a whole message of a line would know that line only."""
    messages = [line["error"].get("message", "") for line in corpus.lines(cloud)]
    told = {text.casefold() for text in messages if len(text) > 60}
    for rule in rules(cloud):
        plain = (rule.message or "").replace("\\", "").casefold()
        assert not any(text in plain for text in told), rule.id


@pytest.mark.parametrize(
    ("cloud", "word"), [("aws", "sufficient a capacity "), ("gcp", "quota "), ("gcp", "machine gpu ")]
)
def test_a_very_long_text_takes_no_more_than_its_length(cloud, word):
    """A pattern that began again at each word, and looked to the end each time, took seconds here."""
    place = Place(cloud=cloud, region="r", zones=("r-a",))
    tried = Candidate(cloud=cloud, region="r", zone="r-a", instance_type="t", cpus=1, memory_gb=1, hourly_usd=0)
    error = CloudError(cloud, "create", code="UNSUPPORTED_OPERATION", message=word * (60_000 // len(word)))
    start = time.process_time()
    corpus.book(cloud).classify(error, place=place, candidate=tried, now=0)
    assert time.process_time() - start < 3
