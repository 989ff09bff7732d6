"""The index of blocks answers like a list of predicates, whatever is added, learned, dropped or asked."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from builders import candidate
from engine_blocks import block, covers, end, same_answer
from examples import examples
from skyx_core.failover.blocklist import FORGET_S, Blocklist, matches
from skyx_core.models import Block, BlockKey

ACCELERATORS = [{}, {"T4": 1.0}, {"T4": 4.0}, {"A1": 1.0, "T4": 1.0}]


def some(*values):
    return st.sampled_from([None, None, *values])


keys = st.builds(
    BlockKey,
    cloud=some("a", "b"),
    region=some("us-east-1", "us-east-10"),
    zone=some("z", "y"),
    instance_type=some("t1", "t2"),
    quota_bucket=some("f", "g"),
    accelerator=some("T4", "A1", "*"),
    accelerators=some((), (("T4", 1.0),), (("A1", 1.0), ("T4", 1.0))),
    use_spot=some(True, False),
    reservation=some("", "mine"),
    request=some("", "abc"),
)
wide_keys = st.builds(
    BlockKey, cloud=some("a", "b"), region=some("us-east-1", "us-east-10"), use_spot=some(True, False)
)
times = st.sampled_from([None, 1.0, 5.0, 10.0, 20.0, 50.0])
found = st.builds(
    candidate,
    st.sampled_from("ab"),
    st.sampled_from(["us-east-1", "us-east-10"]),
    st.sampled_from([None, "z", "y"]),
    instance_type=st.sampled_from(["t1", "t2"]),
    accelerators=st.sampled_from(ACCELERATORS),
    use_spot=st.booleans(),
    quota_buckets=st.sampled_from([(), ("f",), ("f", "g")]),
    reservation=st.sampled_from([None, "mine"]),
)


def test_it_answers_like_a_list_of_predicates_at_every_time():
    met: Counter[str] = Counter()
    many = st.lists(st.builds(block, keys | wide_keys, times), max_size=12)

    @given(many, st.lists(found, min_size=1, max_size=4), st.sampled_from(["", "abc"]))
    @examples(200, 10_000)
    def check(blocks, asked, request):
        index, kept = Blocklist(), []
        for each in blocks:
            met["covered"] += not index.add(each)
            kept.append(each)
        met["replaced"] += len(index) < len(kept)
        assert all(each in kept for each in index)
        for now in (0.0, 1.0, 7.0, 20.0, 49.0, 50.0):
            for one in asked:
                met["hits"] += same_answer(index, kept, one, now, request) is not None
        before = len(index)
        assert index.drop_expired(10.0) == before - len(index)
        assert all(end(each) > 10.0 for each in index)
        for one in asked:
            met["after dropping"] += same_answer(index, kept, one, 10.0, request) is not None

    check()
    print(dict(met))
    assert min(met["covered"], met["replaced"], met["hits"], met["after dropping"]) > 0


@given(keys, found, st.sampled_from(["", "abc"]))
@examples(200, 10_000)
def test_a_pattern_matches_field_by_field(key, asked, request):
    assert matches(key, asked, request=request) == covers(key, asked, request)


def test_what_is_met_again_lasts_longer_until_it_is_forgotten():
    met: Counter[str] = Counter()
    waits = st.lists(st.sampled_from([0.0, 10.0, 100.0, 400.0, 2000.0, FORGET_S, FORGET_S + 5000.0]), max_size=10)

    @given(waits, st.sampled_from([50.0, 300.0]), st.sampled_from([None, 10.0, 1800.0]), st.booleans())
    @examples(100, 10_000)
    def check(waits, lasts, limit, dropping):
        index, now, last = Blocklist(), 1000.0, None
        for wait in waits:
            now += wait
            if dropping:
                index.drop_expired(now)
            given = Block(key=BlockKey(cloud="a"), rule="r", reason="r", until=now + lasts, grows_to=limit)
            ended, times = last or (-1e9, 0)
            index.learn(given, now)
            until = index.hit(candidate("a"), now).until
            if ended > now:  # still blocked: it is no repetition, and the later end counts
                met["still blocked"] += 1
            elif ended > now - FORGET_S and limit:
                times += 1
                met["grown"] += 1
            else:
                times = 0
                met["forgotten"] += last is not None
            grown = min(lasts * 2**times, max(limit, lasts)) if limit else lasts
            assert until in (max(ended, now + grown), max(ended, now + lasts) if ended > now else until)
            last = (until, 0 if ended < until == now + lasts else times)

    check()
    print(dict(met))
    assert min(met["still blocked"], met["grown"], met["forgotten"]) > 0
