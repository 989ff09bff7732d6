"""A pattern is searched only where a text that it needs is there; that must never leave out a match."""

import random
import re
import warnings

import pytest

import error_corpus as corpus
from skyx_core.failover.needles import ANY, folded, needles

TABLES = [one.name for one in corpus.tables_declared()]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("Quota exceeded", ("quota exceeded",)),
        ("quota|limit reached", ("quota", "limit reached")),
        ("(?:no|lacks) (?:quota|capacity)", ("quota", "capacity")),
        (r"^(?=.*(?:disk|volume))(?=.*quota)", ("quota",)),
        (r"quota '(?P<bucket>[^']+)' in", ("quota '",)),
        ("quotas?", ("quota",)),
        ("limi(?:ts?)? of it", (" of it",)),
        ("ab{2,}cde", ("cde",)),
        ("abc{2}d", ("abc",)),
        ("abcd{0,3}e", ("abc",)),
        (r"a\.b\(c", ("a.b(c",)),
        (r"x{y}z", ("x{y}z",)),
        (r"(?!quota)limit(?<!it)", ("limit",)),
        ("[abc]def[^]x]", ("def",)),
        ("(?i:QUOTA)", ("quota",)),
    ],
)
def test_what_a_pattern_needs(pattern, found):
    assert needles(pattern) == found


@pytest.mark.parametrize("pattern", ["", ".*", "(?:quota)?", "quota|.*", "[quota]+", "a*"])
def test_a_pattern_that_may_match_without_any_of_its_letters_needs_nothing(pattern):
    assert needles(pattern) == ANY


@pytest.mark.parametrize("pattern", [r"(?x)a b c", r"\x41bc", r"(?P<a>quota)(?P=a)", r"(a)?(?(1)quota|limit)", r"é"])
def test_what_is_not_read_is_given_up_on(pattern):
    assert all(re.compile(pattern, re.IGNORECASE) and each == "" for each in needles(pattern))


@pytest.mark.parametrize("letter", [chr(n) for n in range(0x80, 0x2FFF) if re.match("[a-z]", chr(n), re.IGNORECASE)])
def test_letters_that_count_as_ascii_where_case_is_ignored_are_found_too(letter):
    plain = next(each for each in "abcdefghijklmnopqrstuvwxyz" if re.match(each, letter, re.IGNORECASE))
    assert plain in folded(f"Qu{letter}ota")


def test_no_text_of_a_corpus_is_left_out_that_a_pattern_of_any_table_matches():
    texts = [str(line["error"]) for cloud in TABLES for line in corpus.lines(cloud)[::6]]
    texts = [(text, folded(text)) for text in texts]
    met = 0
    for cloud in TABLES:
        for rule in corpus.table(cloud).rules:
            wanted = needles(rule.message or "")
            pattern = re.compile(rule.message or "(?!)", re.IGNORECASE | re.DOTALL)
            for text, low in [each for each in texts if not any(needle in each[1] for needle in wanted)][:40]:
                assert not pattern.search(text), (rule.id, text)
                met += bool(low)
    assert met > 500, "nothing was left out"


def made(pattern):
    """A text that a pattern matches."""
    from hypothesis import strategies as st
    from hypothesis.errors import NonInteractiveExampleWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NonInteractiveExampleWarning)
        return st.from_regex(pattern).example()


def test_no_text_that_is_made_from_a_pattern_is_left_out():
    rules = [rule for cloud in TABLES for rule in corpus.table(cloud).rules if rule.message]
    for rule in random.Random(5).sample(rules, 12):
        pattern = re.compile(rule.message, re.IGNORECASE | re.DOTALL)
        text = made(pattern)
        assert any(needle in folded(text) for needle in needles(rule.message)), (rule.id, text)
