import pytest

from builders import candidate
from skyx_core.errors import CloudError, CloudErrorDetail
from skyx_core.failover import rules
from skyx_core.failover.blocking import uncovered
from skyx_core.failover.blocklist import Blocklist
from skyx_core.failover.default_rules import DEFAULT
from skyx_core.failover.rules import Rulebook
from skyx_core.models import BlockKey, Category, ErrorRule, Place, Retry, RuleTable, Scope

PLACE = Place(cloud="c", region="r1", zones=("r1-a",))
RETRY = Retry(max=3, wait=1)


def rule(name, category=Category.CAPACITY, **more):
    return ErrorRule(**{"id": name, "category": category, "code": None if "message" in more else name, **more})


def classify(error, *table, place=PLACE, met=None, summaries=()):
    if isinstance(error, str):
        error = CloudError("c", "run", code=error)
    met = met or candidate(zone=place.zones[0] if place.zones else None)
    book = Rulebook([RuleTable(rules=table, summaries=summaries)])
    return book.classify(error, place=place, candidate=met, now=100)


def test_the_first_matching_rule_decides_and_codes_are_compared_whole():
    table = (rule("NoCap", block=Scope.ZONE, ttl=60), rule("b", code="NoCap.*", block=Scope.REGION))
    verdict = classify("NoCap", *table)
    assert (verdict.rule, verdict.block) == ("NoCap", Scope.ZONE)
    assert [b.key for b in verdict.blocks] == [BlockKey(cloud="c", region="r1", zone="r1-a")]
    assert verdict.blocks[0].until == 160
    assert classify("NoCapacity", *table).rule == "b"


def test_tables_go_in_their_order_and_the_usual_rules_last():
    mine = RuleTable(rules=(rule("mine", code="X", status=429),))
    plugin = RuleTable(rules=(rule("plugin", code="X"),))
    book = Rulebook([mine, plugin])

    def decided(error):
        return book.classify(error, place=PLACE, candidate=candidate(), now=0).rule

    assert decided(CloudError("c", "run", code="X", status=429)) == "mine"
    assert decided(CloudError("c", "run", code="X")) == "plugin"
    assert decided(CloudError("c", "run", code="Y", status=429)) == "default.throttled"
    assert book.rules[-1] in DEFAULT.rules


def test_a_retry_blocks_only_at_its_end():
    again = rule("t", Category.TRANSIENT, message="try again", block_after=Scope.REGION, retry=RETRY)
    verdict = classify(CloudError("c", "run", message="Please TRY AGAIN"), again)
    assert (verdict.block, verdict.blocks, verdict.ttl) == (Scope.NONE, (), None)
    assert verdict.retry == RETRY
    assert [b.key for b in verdict.blocks_after] == [BlockKey(cloud="c", region="r1")]


@pytest.mark.parametrize("after", [None, Scope.NONE, Scope.SPOT, Scope.ACCELERATOR])
def test_a_retry_whose_rule_says_nothing_that_fits_ends_in_the_narrowest_block(after):
    verdict = classify("T", rule("T", Category.TRANSIENT, block_after=after, retry=RETRY))
    assert any(b.key.instance_type == "t1" and b.key.zone == "r1-a" for b in verdict.blocks_after)


def test_an_abort_blocks_nothing():
    verdict = classify("Bad", rule("Bad", Category.USER_ERROR, abort=True, block=Scope.CLOUD))
    assert verdict.abort
    assert verdict.blocks == ()
    assert verdict.blocks_after == ()


@pytest.mark.parametrize(("zones", "zone"), [(("r1-a",), "r1-a"), ((), None)])
def test_an_unknown_error_blocks_the_narrowest_thing_and_keeps_its_text(zones, zone):
    place = Place(cloud="c", region="r1", zones=zones)
    verdict = classify(CloudError("c", "run", code="Brand.New", message="never seen"), place=place)
    assert (verdict.category, verdict.rule) == (Category.UNKNOWN, "core.unknown")
    assert "never seen" in verdict.reason
    (found,) = verdict.blocks
    assert found.key == BlockKey(cloud="c", region="r1", zone=zone, instance_type="t1", use_spot=False)


@pytest.mark.parametrize("spot", [True, False])
@pytest.mark.parametrize("zones", [(), ("r1-a",), ("r1-a", "r1-b")])
@pytest.mark.parametrize("category", [Category.CAPACITY, Category.QUOTA, Category.UNSUPPORTED])
@pytest.mark.parametrize("scope", list(Scope))
def test_every_scope_ends_in_blocks_of_all_that_failed(scope, category, zones, spot):
    place = Place(cloud="c", region="r1", zones=zones)
    for changes in ({}, {"accelerators": {"T4": 1.0}}, {"quota_buckets": ("a", "b")}, {"reservation": "mine"}):
        failed = candidate(use_spot=spot, **changes)
        verdict = classify("X", rule("X", category, block=scope), place=place, met=failed)
        blocks = Blocklist(verdict.blocks)
        for zone in zones or (None,):
            assert blocks.hit(failed.model_copy(update={"zone": zone}), 100)


def test_a_rule_without_a_match_never_matches_everything():
    assert classify("X", ErrorRule(id="e", category=Category.AUTH, block=Scope.CLOUD)).rule == "core.unknown"
    picky = ErrorRule(id="e", category=Category.AUTH, region="r1", use_spot=False)
    assert classify("X", picky).rule == "core.unknown"


@pytest.mark.parametrize(
    ("asked", "met", "not_met"),
    [
        ({"operation": "Run.*"}, {"operation": "RunInstances"}, {"operation": "DoRun"}),
        ({"status": 403}, {"status": 403}, {"status": 404}),
        ({"kind": "event"}, {"data": {"kind": "event"}}, {"data": {"kind": "pod"}}),
        ({"region": "us-east-1"}, {"region": "us-east-1"}, {"region": "us-east-10"}),
        ({"instance_type": "p4.*"}, {"instance_type": "p4d"}, {"instance_type": "g4d"}),
        ({"use_spot": True}, {"use_spot": True}, {"use_spot": False}),
        ({"zone": False}, {"zones": ()}, {"zones": ("r1-a",)}),
        ({"accelerators": True}, {"accelerators": {"T4": 1.0}}, {"accelerators": {}}),
    ],
)
def test_what_a_rule_may_ask_besides_code_and_message(asked, met, not_met):
    def decided(facts):
        told = {key: facts[key] for key in ("operation", "status", "data") if key in facts}
        place = Place(cloud="c", region=facts.get("region", "r1"), zones=facts.get("zones", ("r1-a",)))
        of = {key: facts[key] for key in ("instance_type", "use_spot", "accelerators") if key in facts}
        error = CloudError(**{"cloud": "c", "operation": "run", "code": "X", **told})
        return classify(error, rule("X", **asked), place=place, met=candidate(**of)).rule

    assert decided(met) == "X"
    assert decided(not_met) == "core.unknown"


def test_of_several_errors_in_an_answer_the_most_certain_decides():
    table = (rule("Cap", block=Scope.ZONE), rule("Auth", Category.AUTH, block=Scope.CLOUD))
    details = (CloudErrorDetail(code="New"), CloudErrorDetail(code="Cap"), CloudErrorDetail(code="Auth"))
    verdict = classify(CloudError("c", "run", code="Failed", details=details), *table)
    assert (verdict.rule, verdict.block) == ("Auth", Scope.CLOUD)
    assert BlockKey(cloud="c") in {b.key for b in verdict.blocks}


def overrides(*pairs):
    data = [{"AvailabilityZone": zone, "InstanceType": kind} for zone, kind in pairs]
    return tuple(CloudErrorDetail(code="Cap", message=str(n), data=each) for n, each in enumerate(data))


def test_each_override_of_a_fleet_blocks_its_own_zone_and_type():
    place = Place(cloud="c", region="r1", zones=("r1-a", "r1-b"))
    details = overrides(("r1-a", "t1"), ("r1-b", "t1"), ("r1-c", "t2"))
    error = CloudError("c", "run", code="Sum", details=details)
    table = rule("Cap", block=Scope.INSTANCE_TYPE_IN_ZONE)
    verdict = classify(error, table, place=place, summaries=("sum",))
    assert {(b.key.zone, b.key.instance_type) for b in verdict.blocks} == {
        ("r1-a", "t1"),
        ("r1-b", "t1"),
        ("r1-c", "t2"),
    }


def test_an_error_about_another_type_still_blocks_what_was_tried():
    error = CloudError("c", "run", code="Sum", details=overrides(("r1-a", "other")))
    verdict = classify(error, rule("Cap", block=Scope.INSTANCE_TYPE_IN_ZONE), summaries=("Sum",))
    assert Blocklist(verdict.blocks).hit(candidate(zone="r1-a"), 100)


def test_a_bucket_and_places_are_read_from_the_message_and_shown_in_the_hint():
    pattern = r"quota '(?P<bucket>[^']+)' .*capacity available: (?P<places>.*)"
    quota = rule(
        "q", Category.QUOTA, message=pattern, block=Scope.INSTANCE_TYPE_IN_REGION, hint="{bucket} in {region} {no}"
    )
    text = "quota 'GPUS' is used up. Regions with capacity available: us-east-10, us-west-2 and eu-1."
    met = candidate(zone="r1-a", quota_buckets=("CPUS", "gpus"))
    verdict = classify(CloudError("c", "run", message=text), quota, met=met)
    assert verdict.prefer == ("us-east-10", "us-west-2", "eu-1")
    assert verdict.hint == "GPUS in r1 {no}"
    assert BlockKey(cloud="c", region="r1", quota_bucket="gpus", use_spot=False) in {b.key for b in verdict.blocks}


@pytest.mark.parametrize("hint", ["{", "{0}", "{region.x}", "{region!z}", "{}"])
def test_a_hint_that_cannot_be_filled_is_shown_as_it_is(hint):
    assert classify("X", rule("X", hint=hint)).hint == hint


@pytest.mark.parametrize(
    ("of_rule", "of_error", "may"), [(True, True, True), (False, True, False), (True, False, False)]
)
def test_nodes_may_exist_unless_the_rule_or_the_driver_knows_better(of_rule, of_error, may):
    error = CloudError("c", "run", code="X", nodes_may_exist=of_error)
    assert classify(error, rule("X", nodes_may_exist=of_rule)).nodes_may_exist is may


def test_what_no_rule_knows_may_be_given_its_own_name_and_scope():
    verdict = rules.unknown(
        PLACE, candidate(), "boom", 5, rule="core.plugin", category=Category.PLUGIN, block=Scope.REGION
    )
    assert (verdict.rule, verdict.category, verdict.block) == ("core.plugin", Category.PLUGIN, Scope.REGION)
    assert verdict.blocks[0].until == 5 + 600


@pytest.mark.parametrize(
    ("error", "category", "retried"),
    [
        ({"status": 429}, Category.RATE_LIMIT, True),
        ({"status": 401}, Category.AUTH, False),
        ({"status": 500}, Category.TRANSIENT, True),
        ({"status": 502}, Category.TRANSIENT, True),
        ({"status": 503}, Category.TRANSIENT, True),
        ({"status": 504}, Category.TRANSIENT, True),
        ({"code": "ServiceUnavailable"}, Category.TRANSIENT, True),
        ({"code": "ConnectionResetError"}, Category.TRANSIENT, True),
        ({"code": "EndpointConnectionError"}, Category.TRANSIENT, True),
        ({"code": "ReadTimeout"}, Category.TRANSIENT, True),
        ({"status": 403}, Category.UNKNOWN, False),
        ({"status": 404}, Category.UNKNOWN, False),
        ({"message": "403 429 500 unavailable"}, Category.UNKNOWN, False),
    ],
)
def test_the_usual_rules_know_what_a_status_means_anywhere_and_no_more(error, category, retried):
    verdict = classify(CloudError("c", "run", **error))
    assert verdict.category is category
    assert (verdict.retry is not None) is retried
    assert verdict.blocks_after if retried else verdict.blocks


def test_each_usual_rule_is_bounded_and_says_where_it_is_from():
    for each in DEFAULT.rules:
        assert each.source
        assert each.retry is None or each.block_after
    assert len({each.id for each in DEFAULT.rules}) == len(DEFAULT.rules)


def test_every_zone_that_was_tried_is_covered():
    met = rules.Met(Place(cloud="c", region="r1", zones=("r1-a", "r1-b")), candidate(), 0.0)
    verdict = rules.unknown(met.place, met.candidate, "x", 0)
    assert uncovered((), met) == ("r1-a", "r1-b")
    assert uncovered(verdict.blocks[:1], met) == ("r1-b",)
    assert uncovered(verdict.blocks, met) == ()


def test_what_the_deciding_error_blocks_comes_first_whatever_the_order_in_the_answer():
    table = RuleTable(
        rules=(
            ErrorRule(id="full", code="Full", category=Category.CAPACITY, block=Scope.INSTANCE_TYPE_IN_ZONE),
            ErrorRule(id="denied", code="Denied", category=Category.AUTH, block=Scope.CLOUD),
        )
    )
    place = Place(cloud="c", region="r1", zones=("r1-a",))
    for codes in (("Full", "Denied"), ("Denied", "Full")):
        error = CloudError("c", "run", "Summary", details=tuple(CloudErrorDetail(code=code) for code in codes))
        verdict = Rulebook((table,)).classify(error, place=place, candidate=candidate(zone="r1-a"), now=0)
        assert (verdict.rule, verdict.block) == ("denied", Scope.CLOUD)
        assert verdict.blocks[0].key == BlockKey(cloud="c")
