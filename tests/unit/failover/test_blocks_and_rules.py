import pytest

from builders import candidate
from skyx_core.errors import CloudError, CloudErrorDetail
from skyx_core.failover import rules
from skyx_core.failover.blocklist import Blocklist
from skyx_core.models import Block, BlockKey, Category, ErrorRule, Place, Retry, Scope

PLACE = Place(cloud="c", region="r1", zones=("r1-a",))


def block(until=None, **key):
    return Block(key=BlockKey(**key), rule="t", reason="t", until=until)


def test_an_unset_field_matches_anything_and_a_set_one_only_itself():
    blocks = Blocklist()
    blocks.add(block(cloud="c", use_spot=True))
    assert blocks.hit(candidate(use_spot=True), 0)
    assert blocks.hit(candidate(region="other", use_spot=True), 0)
    assert not blocks.hit(candidate(), 0)
    assert not blocks.hit(candidate(cloud="d", use_spot=True), 0)


def test_a_covered_block_is_not_added_unless_it_lasts_longer():
    blocks = Blocklist()
    assert blocks.add(block(100, cloud="c"))
    assert not blocks.add(block(50, cloud="c", region="r1"))
    assert blocks.add(block(200, cloud="c", region="r1"))
    assert blocks.hit(candidate(), 150)
    assert not blocks.hit(candidate(region="r2"), 150)


def test_blocks_end_and_a_hit_does_not_renew_them():
    blocks = Blocklist()
    blocks.add(block(10, cloud="c"))
    assert blocks.hit(candidate(), 9.9)
    assert not blocks.hit(candidate(), 10)
    assert blocks.drop_expired(10) == 1
    assert list(blocks) == []


def test_any_number_of_an_accelerator():
    blocks = Blocklist()
    blocks.add(block(cloud="c", accelerator="T4"))
    assert blocks.hit(candidate(accelerators={"T4": 4.0}), 0)
    assert not blocks.hit(candidate(accelerators={"A100": 4.0}), 0)


def test_exactly_these_accelerators():
    blocks = Blocklist()
    blocks.add(block(cloud="c", accelerators=(("T4", 4.0),)))
    assert blocks.hit(candidate(accelerators={"T4": 4.0}), 0)
    assert not blocks.hit(candidate(accelerators={"T4": 1.0}), 0)


def classify(error, *table, place=PLACE):
    return rules.classify(table, place=place, candidate=candidate(), error=error, now=100)


def test_the_first_matching_rule_decides_and_codes_are_compared_whole():
    table = (
        ErrorRule(id="a", code="NoCap", category=Category.CAPACITY, block=Scope.ZONE, ttl=60),
        ErrorRule(id="b", code="NoCap.*", category=Category.QUOTA, block=Scope.REGION),
    )
    verdict = classify(CloudError("c", "run", code="NoCap"), *table)
    assert (verdict.rule, verdict.block) == ("a", Scope.ZONE)
    assert [b.key for b in verdict.blocks] == [BlockKey(cloud="c", region="r1", zone="r1-a")]
    assert verdict.blocks[0].until == 160
    assert classify(CloudError("c", "run", code="NoCapacity"), *table).rule == "b"


def test_one_of_several_errors_in_an_answer_is_enough():
    table = (ErrorRule(id="q", code="Quota", category=Category.QUOTA, block=Scope.REGION),)
    details = (CloudErrorDetail(code="Summary"), CloudErrorDetail(code="Quota", message="over"))
    assert classify(CloudError("c", "run", code="Failed", details=details), *table).rule == "q"


def test_a_retry_blocks_only_at_its_end():
    table = (
        ErrorRule(
            id="t",
            message="try again",
            category=Category.TRANSIENT,
            block=Scope.REGION,
            retry=Retry(max=3, wait=1),
        ),
    )
    verdict = classify(CloudError("c", "run", message="Please TRY AGAIN"), *table)
    assert verdict.blocks == ()
    assert verdict.retry
    assert verdict.blocks_after[0].key == BlockKey(cloud="c", region="r1")


@pytest.mark.parametrize(("zones", "zone"), [(("r1-a",), "r1-a"), ((), None)])
def test_an_unknown_error_blocks_the_narrowest_thing_and_keeps_its_text(zones, zone):
    place = Place(cloud="c", region="r1", zones=zones)
    verdict = classify(CloudError("c", "run", code="Brand.New", message="never seen"), place=place)
    assert verdict.category is Category.UNKNOWN
    assert "never seen" in verdict.reason
    (found,) = verdict.blocks
    assert found.key == BlockKey(cloud="c", region="r1", zone=zone, instance_type="t1", use_spot=False)


@pytest.mark.parametrize("scope", list(Scope))
def test_every_scope_ends_in_a_block_that_hits_what_failed(scope):
    table = (ErrorRule(id="s", code="X", category=Category.CAPACITY, block=scope),)
    verdict = classify(CloudError("c", "run", code="X"), *table)
    blocks = Blocklist()
    for found in verdict.blocks:
        blocks.add(found)
    failed = candidate(zone="r1-a", use_spot=scope is Scope.SPOT, accelerators={"T4": 1.0})
    spot = rules.classify(table, place=PLACE, candidate=failed, error=CloudError("c", "run", code="X"), now=0)
    for found in spot.blocks:
        blocks.add(found)
    assert blocks.hit(failed, 0)


def test_a_rule_without_a_match_never_matches_everything():
    table = (ErrorRule(id="empty", category=Category.AUTH, block=Scope.CLOUD),)
    assert classify(CloudError("c", "run", code="X"), *table).rule == "core.unknown"
