"""Every line of our corpora is answered right, however it is written: louder, with other ids, as a tool prints it."""

import pytest

import error_corpus as corpus

each_cloud = pytest.mark.parametrize("cloud", corpus.clouds())


@each_cloud
def test_a_known_error_is_answered_right_however_it_is_written(cloud):
    assert [str(one) for one in corpus.answered(cloud) if one.wrong] == []


@each_cloud
def test_what_was_tried_is_blocked_aborted_or_retried_within_limits_and_told(cloud):
    for one in corpus.answered(cloud):
        found = one.verdict
        assert sum((bool(found.blocks), found.abort, found.retry is not None)) == 1, one
        assert (found.retry is None) == (not found.blocks_after), one
        assert all(block.until and block.until > corpus.NOW for block in found.blocks or found.blocks_after), one
        assert found.hint, one
        assert "{" not in found.hint, "names in a hint are filled in"
        assert len(found.hint) < 250, one


def test_every_form_is_tried_of_many_lines():
    """That no form is tried of nothing."""
    tried = {one.form for cloud in corpus.clouds() for one in corpus.answered(cloud)}
    assert len(tried) == 4
    changed = [one for one in corpus.answered("aws") if one.form == "in capitals"]
    assert sum(corpus.changed(one.line, corpus.loud) != one.line for one in changed) > 100


def test_ids_are_unique():
    ids = [line["id"] for cloud in corpus.clouds() for line in corpus.lines(cloud)]
    assert len(ids) == len(set(ids))
