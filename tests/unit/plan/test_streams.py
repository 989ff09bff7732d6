"""Plans draw no more than they show, and no source can spoil more than itself."""

import math
import random
from collections.abc import Iterator

import pytest

from builders import offer, source
from skyx_core.errors import CatalogError, CloudError
from skyx_core.models import Offer, Request, WhyNot
from skyx_core.plan.planner import make_plan
from skyx_core.plan.ranking import LONGEST_RUN, rank

OFFERS = 40_000


class Counted:
    """A stream by price that knows how much of it was read."""

    def __init__(self, cloud: str, same_price: int = 1) -> None:
        self.cloud, self.same, self.read = cloud, same_price, 0

    def __call__(self, _request: Request) -> Iterator[Offer]:
        kind = offer(self.cloud)
        for number in range(OFFERS):
            self.read += 1
            price = 1.0 + number // self.same
            yield kind.model_copy(update={"region": f"r{number:05}", "hourly_usd": price})


def test_five_long_streams_are_read_as_far_as_is_shown() -> None:
    streams = [Counted(cloud) for cloud in "abcde"]
    plan = make_plan([Request()], [source(each.cloud, offers=each) for each in streams])
    drawn = [next(plan.choices) for _ in range(20)]
    assert [c.candidate.cloud for c in drawn] == list("abcde") * 4
    assert all(each.read <= 7 for each in streams)  # four drawn, one that competes, and one that shows the price ended


def ties(count: int) -> list[Offer]:
    """Offers of one price, shuffled; of each region several types in several zones."""
    rows = [offer("a", f"r{n // 6:04}", zone=f"z{n % 2}", instance_type=f"t{n % 3}") for n in range(count)]
    random.Random(count).shuffle(rows)
    return rows


@pytest.mark.parametrize("count", [40, LONGEST_RUN])
@pytest.mark.parametrize("spot", [True, False])
def test_all_offers_of_one_price_are_in_order_of_names(count: int, spot: bool) -> None:
    rows = [row.model_copy(update={"use_spot": spot}) for row in ties(count)]
    dear = offer("a", "a", use_spot=spot, hourly_usd=2)
    plan = make_plan([Request(use_spot=spot)], [source("a", *rows, dear, **_spot())])
    ranks = [rank(choice) for choice in plan.choices]
    assert len(ranks) == (count if spot else len({(row.region, row.instance_type) for row in rows})) + 1
    assert ranks == sorted(ranks)
    assert plan.notes == []


def test_of_too_many_offers_of_one_price_the_plan_is_the_same_each_time_and_says_so() -> None:
    rows = [row.model_copy(update={"use_spot": True}) for row in ties(5000)]
    plans = [make_plan([Request(use_spot=True)], [source("a", *rows, **_spot())]) for _ in range(2)]
    first, again = ([rank(choice) for choice in plan.choices] for plan in plans)
    assert first == again
    assert len(set(first)) == 5000
    assert first[:LONGEST_RUN] == sorted(first[:LONGEST_RUN])
    assert plans[0].notes == ["a has over 4,096 offers at one price: not all of them are in order of names"]


def test_the_note_is_there_before_the_first_of_too_many_is() -> None:
    stream = Counted("a", same_price=OFFERS)
    plan = make_plan([Request()], [source("a", offers=stream)])
    assert next(plan.choices).candidate.region == "r00000"
    assert len(plan.notes) == 1
    assert stream.read <= LONGEST_RUN + 1


def test_offers_of_one_price_come_in_order_of_their_names() -> None:
    rows = [offer("a", region, zone=zone) for region, zone in (("r2", "z1"), ("r1", "z2"), ("r1", "z1"))]
    spot = [row.model_copy(update={"use_spot": True}) for row in rows]
    able = make_plan([Request(use_spot=True)], [source("a", offers=lambda _: iter(spot), **_spot())])
    assert [c.candidate.infra() for c in able.choices] == ["a/r1/z1", "a/r1/z2", "a/r2/z1"]


@pytest.mark.parametrize(
    ("asked", "planned"),
    [
        ({"zone": "us-1a"}, ["a/us-1/us-1a"]),
        ({"zone": "us-1-a"}, ["a/us-1/us-1-a"]),
        ({"zone": "us-10a"}, ["a/us-10/us-10a"]),
        ({"region": "eu-1", "zone": "us-1a"}, ["a/eu-1/us-1a"]),  # its zones may be called anything
        ({"region": "eu-1", "zone": "3"}, ["a/eu-1/3"]),
        ({"zone": "told"}, ["a/eu-1/told"]),
        ({"zone": "3"}, []),
    ],
)
def test_a_zone_is_looked_for_only_in_regions_that_may_have_it(asked: dict[str, str], planned: list[str]) -> None:
    rows = [offer("a", region, hourly_usd=n) for n, region in enumerate(("eu-1", "us-1", "us-10"))]
    rows.append(offer("a", "eu-1", zone="told"))
    plan = make_plan([Request(**asked)], [source("a", *rows)])
    assert [c.candidate.infra() for c in plan.choices] == planned


def test_a_zone_of_which_no_region_is_known_is_told_as_such() -> None:
    plan = make_plan([Request(zone="3")], [source("a", offer("a", "eu-1"), offer("a", "us-1"))])
    assert not list(plan.choices)
    (left,) = plan.excluded
    assert (left.reason, left.fix) == ("in which of its regions zone 3 is, isn't known", "--infra a/REGION/3")


def _spot() -> dict[str, object]:
    from skyx_core.models import Capability

    return {"capabilities": frozenset({Capability.SPOT})}


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (offer("a", "r2", hourly_usd=0.5), "gave $0.5 after $1 (t1 in r2)"),
        (Offer.model_construct(**{**offer("a", "r2").model_dump(), "hourly_usd": math.nan}), "gave the price $nan"),
        (Offer.model_construct(**{**offer("a", "r2").model_dump(), "hourly_usd": math.inf}), "gave the price $inf"),
        (Offer.model_construct(**{**offer("a", "r2").model_dump(), "hourly_usd": -1.0}), "gave the price $-1"),
        (offer("b", "r2"), "offered something of cloud 'b'"),
    ],
)
def test_an_offer_that_breaks_the_contract_ends_its_cloud_and_names_the_plugin(second: Offer, said: str) -> None:
    bad = source("a", offers=lambda _: iter([offer("a", "r1"), second, offer("a", "r3")]))
    plan = make_plan([Request()], [bad, source("c", offer("c", hourly_usd=5))])
    assert [c.candidate.infra() for c in plan.choices] == ["a/r1", "c/r1"]
    (left,) = plan.excluded
    assert left.subject == "a"
    assert "plugin 'a'" in left.reason
    assert said in left.reason
    assert left.fix


@pytest.mark.parametrize(
    "error",
    [
        CatalogError("the catalogue is damaged", where="x.db", hint="import it again"),
        CloudError("a", "offers", code="X"),
    ],
)
@pytest.mark.parametrize("before", [0, 2])
def test_a_stream_that_fails_leaves_what_came_before_and_the_other_clouds(error: Exception, before: int) -> None:
    def failing(_request: Request) -> Iterator[Offer]:
        for number in range(before):
            yield offer("a", f"r{number}")
        raise error

    told = source("a", offers=failing, why_nothing=lambda _: [WhyNot(subject="a", reason="never asked")])
    plan = make_plan([Request()], [told, source("b", offer("b"))])
    assert [c.candidate.cloud for c in plan.choices] == ["a"] * before + ["b"]
    assert [why.reason for why in plan.excluded] == [str(error)]


def test_why_nothing_that_fails_is_a_reason_too() -> None:
    def failing(_request: Request) -> list[WhyNot]:
        raise CatalogError("the catalogue is damaged")

    plan = make_plan([Request()], [source("a", why_nothing=failing)])
    assert list(plan.choices) == []
    assert "damaged" in plan.excluded[0].reason


def test_offers_over_the_ceiling_are_not_read() -> None:
    stream = Counted("a")
    plan = make_plan([Request(max_hourly_cost=3)], [source("a", offers=stream)])
    assert [c.candidate.hourly_usd for c in plan.choices] == [1, 2, 3]
    assert stream.read <= 6
    assert plan.excluded[0].reason == "offers from $4.00/h on (t1 in r00003 and dearer) are over max_hourly_cost $3.00"
    plan = make_plan([Request(max_hourly_cost=0.4)], [source("a", offers=Counted("a"))])
    assert list(plan.choices) == []
    why = plan.excluded[0]
    assert why.reason == "the cheapest that fits, t1 in r00000 at $1.00/h, is $0.60 over max_hourly_cost $0.40"
    assert why.fix == "raise max_hourly_cost to 1 or more"


def test_one_reason_for_many_is_a_few_examples_and_a_count() -> None:
    rows = [offer("a", f"r{number}", hourly_usd=1 + number) for number in range(40)]

    def lacks(candidate, _request):
        return [WhyNot(subject=candidate.infra(), reason="not today", fix="tomorrow")]

    plan = make_plan([Request(), Request(ports=())], [source("a", *rows, lacks=lacks)])
    assert list(plan.choices) == []
    assert [why.subject for why in plan.excluded] == ["a/r0", "a/r1", "a/r2", "a"]
    assert plan.excluded[-1] == WhyNot(subject="a", reason="and 37 more: not today", fix="tomorrow")


def test_a_plugin_with_a_new_reason_each_time_fills_no_memory() -> None:
    rows = [offer("a", f"r{number}", hourly_usd=1 + number) for number in range(500)]

    def lacks(candidate, _request):
        return [WhyNot(subject=candidate.infra(), reason=f"number {candidate.hourly_usd}")]

    plan = make_plan([Request()], [source("a", *rows, lacks=lacks)])
    assert list(plan.choices) == []
    assert len(plan.excluded) < 60
    assert plan.excluded[-1].reason == "and 450 more, for other reasons"
