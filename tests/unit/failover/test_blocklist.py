import pytest

from builders import candidate
from skyx_core.failover.blocklist import FORGET_S, Blocklist, matches
from skyx_core.models import Block, BlockKey
from skyx_core.models.blocks import ANY_ACCELERATOR

T4 = (("T4", 4.0),)


def block(until=None, *, grows_to=None, since=0.0, **key):
    return Block(key=BlockKey(**key), rule="t", reason="t", until=until, grows_to=grows_to, since=since)


def test_an_unset_field_matches_anything_and_a_set_one_only_itself():
    blocks = Blocklist([block(cloud="c", use_spot=True)])
    assert blocks.hit(candidate(use_spot=True), 0)
    assert blocks.hit(candidate(region="other", use_spot=True), 0)
    assert not blocks.hit(candidate(), 0)
    assert not blocks.hit(candidate(cloud="d", use_spot=True), 0)


def test_a_block_of_a_whole_cloud_covers_spot_and_on_demand():
    blocks = Blocklist([block(cloud="c")])
    assert blocks.hit(candidate(use_spot=True), 0)
    assert blocks.hit(candidate(use_spot=False), 0)
    assert not blocks.hit(candidate(cloud="d"), 0)


def test_a_covered_block_is_not_added_unless_it_lasts_longer():
    blocks = Blocklist()
    assert blocks.add(block(100, cloud="c"))
    assert not blocks.add(block(50, cloud="c", region="r1"))
    assert blocks.add(block(200, cloud="c", region="r1"))
    assert blocks.hit(candidate(), 150)
    assert not blocks.hit(candidate(region="r2"), 150)


def test_a_wider_block_replaces_those_that_it_covers_and_outlasts():
    blocks = Blocklist([block(50, cloud="c", region="r1"), block(500, cloud="c", region="r2"), block(9, cloud="d")])
    assert blocks.add(block(100, cloud="c"))
    assert {(b.key.cloud, b.key.region) for b in blocks} == {("c", None), ("c", "r2"), ("d", None)}
    assert len(blocks) == 3
    assert blocks.hit(candidate(region="r2"), 400)


def test_blocks_end_and_a_hit_does_not_renew_them():
    blocks = Blocklist([block(10, cloud="c")])
    assert blocks.hit(candidate(), 9.9)
    assert not blocks.hit(candidate(), 10)
    assert blocks.drop_expired(10) == 1
    assert list(blocks) == []


def test_of_several_blocks_in_the_way_the_one_that_lasts_longest_is_told():
    blocks = Blocklist([block(10, cloud="c"), block(90, region="r1"), block(50, instance_type="t1")])
    assert blocks.hit(candidate(), 0).until == 90
    blocks.add(block(None, cloud="c", region="r1", zone="r1-a"))
    assert blocks.hit(candidate(), 0).until == 90
    assert blocks.hit(candidate(zone="r1-a"), 0).until is None


@pytest.mark.parametrize(
    ("key", "hits", "misses"),
    [
        ({"accelerator": "T4"}, {"accelerators": {"T4": 4.0}}, {"accelerators": {"A100": 4.0}}),
        ({"accelerator": ANY_ACCELERATOR}, {"accelerators": {"A100": 1.0}}, {"accelerators": {}}),
        ({"accelerators": T4}, {"accelerators": {"T4": 4.0}}, {"accelerators": {"T4": 1.0}}),
        ({"accelerators": ()}, {"accelerators": {}}, {"accelerators": {"T4": 1.0}}),
        ({"quota_bucket": "g"}, {"quota_buckets": ("f", "g")}, {"quota_buckets": ("f",)}),
        ({"reservation": ""}, {"reservation": None}, {"reservation": "mine"}),
        ({"reservation": "mine"}, {"reservation": "mine"}, {"reservation": None}),
        ({"zone": "r1-a"}, {"zone": "r1-a"}, {"zone": None}),
        ({"region": "us-east-1"}, {"region": "us-east-1"}, {"region": "us-east-10"}),
        (
            {"accelerator": "T4", "quota_bucket": "g"},
            {"accelerators": {"A100": 1.0, "T4": 1.0}, "quota_buckets": ("f", "g")},
            {"accelerators": {"T4": 1.0}, "quota_buckets": ("f",)},
        ),
    ],
)
def test_each_field_of_a_pattern(key, hits, misses):
    blocks = Blocklist([block(**key)])
    assert blocks.hit(candidate(**hits), 0)
    assert not blocks.hit(candidate(**misses), 0)
    assert matches(BlockKey(**key), candidate(**hits))
    assert not matches(BlockKey(**key), candidate(**misses))


def test_a_block_of_one_request_leaves_others_alone():
    blocks = Blocklist([block(cloud="c", request="abc")])
    assert blocks.hit(candidate(), 0, request="abc")
    assert not blocks.hit(candidate(), 0, request="abd")


def learn_again(blocks, now, lasts=300.0, grows_to=1800.0):
    learned = blocks.learn(block(now + lasts, grows_to=grows_to, since=now, cloud="c", region="r1"), now)
    return learned.until - now


def test_what_is_met_again_after_its_block_ended_lasts_twice_as_long_up_to_a_limit():
    blocks, now, lasted = Blocklist(), 0.0, []
    for _ in range(5):
        lasted.append(learn_again(blocks, now))
        now += lasted[-1]
    assert lasted == [300, 600, 1200, 1800, 1800]


def test_what_is_met_again_while_it_is_blocked_does_not_last_longer():
    blocks = Blocklist()
    assert learn_again(blocks, 0.0) == 300
    assert learn_again(blocks, 100.0) == 300


def test_growth_survives_that_ended_blocks_are_dropped_and_is_forgotten_after_hours():
    blocks = Blocklist()
    learn_again(blocks, 0.0)
    blocks.drop_expired(400.0)
    assert learn_again(blocks, 400.0) == 600
    blocks.drop_expired(1000.0)
    assert learn_again(blocks, 1000.0 + FORGET_S) == 300


def test_a_block_that_ended_before_this_launch_counts_once_it_is_remembered():
    blocks = Blocklist()
    blocks.remember(block(50, grows_to=1800, cloud="c", region="r1"))
    assert learn_again(blocks, 60.0) == 600


def test_what_may_not_grow_or_never_ends_is_learned_as_it_is():
    blocks = Blocklist()
    assert learn_again(blocks, 0.0, grows_to=None) == 300
    assert learn_again(blocks, 400.0, grows_to=None) == 300
    assert blocks.learn(block(None, cloud="d", grows_to=5.0), 0).until is None


def test_learning_what_is_covered_already_says_so():
    blocks = Blocklist([block(1000, cloud="c")])
    assert blocks.learn(block(500, cloud="c", region="r1"), 0) is None
    assert len(blocks) == 1
