"""Every line of our corpora is answered right, however it is written: louder, with other ids, other numbers."""

import pytest

import error_corpus as corpus

LINES = [line for cloud in corpus.clouds() for line in corpus.lines(cloud)]
by_id = pytest.mark.parametrize("line", LINES, ids=lambda line: line["id"])


@by_id
def test_a_known_error_is_answered_right_however_it_is_written(line):
    assert not corpus.wrong(line)
    assert not corpus.wrong(corpus.changed(line, corpus.loud)), "in capitals"
    assert not corpus.wrong(corpus.changed(line, corpus.renumbered)), "with other ids and numbers"


@by_id
def test_what_was_tried_is_blocked_aborted_or_retried_within_limits_and_told(line):
    found = corpus.verdict(line)
    assert sum((bool(found.blocks), found.abort, found.retry is not None)) == 1
    assert (found.retry is None) == (not found.blocks_after)
    assert all(block.until and block.until > corpus.NOW for block in found.blocks or found.blocks_after)
    assert found.hint
    assert "{" not in found.hint, "names in a hint are filled in"
    assert len(found.hint) < 250


def test_ids_are_unique():
    ids = [line["id"] for line in LINES]
    assert len(ids) == len(set(ids))
