"""Plans over any market: complete, in order, the same whatever the order of clouds, read no further than shown."""

from __future__ import annotations

from itertools import islice

from hypothesis import event, given, settings
from hypothesis import strategies as st

from builders import source
from depth import depth
from skyx_core.models import Amount, Capability, Offer, Request
from skyx_core.plan.planner import Plan, Source, make_plan
from skyx_core.plan.ranking import Choice
from skyx_core.plan.speed import tflops

CLOUDS = ("a", "b", "c")
GPUS: tuple[dict[str, float], ...] = ({}, {"A100": 1.0}, {"A100": 8.0}, {"H100": 8.0}, {"Unheard": 1.0})
PRICES = st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0, 3.5, 10.0])

offers = st.builds(
    Offer,
    cloud=st.sampled_from(CLOUDS),
    region=st.sampled_from(["r1", "r2", "r10"]),
    zone=st.sampled_from([None, "z1", "z2", "r1-z"]),
    instance_type=st.sampled_from(["t1", "t2", "t3"]),
    cpus=st.sampled_from([2.0, 4.0, 8.0]),
    memory_gb=st.sampled_from([8.0, 32.0]),
    accelerators=st.sampled_from(GPUS),
    use_spot=st.booleans(),
    hourly_usd=PRICES,
)
amounts = st.none() | st.builds(Amount, value=st.sampled_from([2.0, 4.0, 8.0]), plus=st.booleans())
requests = st.builds(
    Request,
    num_nodes=st.sampled_from([1, 1, 3]),
    cloud=st.none() | st.sampled_from(CLOUDS),
    region=st.none() | st.sampled_from(["r1", "r2"]),
    zone=st.none() | st.sampled_from(["z1", "r1-z"]),
    instance_type=st.none() | st.sampled_from(["t1", "t2"]),
    cpus=amounts,
    accelerators=st.sampled_from([*GPUS, {"A100": 0.5}]),
    use_spot=st.booleans(),
    max_hourly_cost=st.none() | st.sampled_from([0.75, 2.0, 6.0]),
)
markets = st.lists(offers, max_size=25)
open_requests = st.builds(Request, num_nodes=st.sampled_from([1, 3]), use_spot=st.booleans())
wishes = st.lists(open_requests | requests, min_size=1, max_size=3)


def tries(normal: int) -> settings:
    return settings(max_examples=depth(normal, 10_000), deadline=None)


def sources(market: list[Offer]) -> list[Source]:
    """Streams by price alone: in what order offers of one price come is the market's affair."""
    every = frozenset(Capability)
    rows = {cloud: [offer for offer in market if offer.cloud == cloud] for cloud in CLOUDS}
    return [source(cloud, *rows[cloud], capabilities=every) for cloud in CLOUDS]


def seen(choices: list[Choice]) -> list[tuple[object, ...]]:
    return [(c.alternative, c.candidate, c.digest) for c in choices]


def brute(request: Request, market: list[Offer]) -> set[tuple[object, ...]]:
    """Where and what may be tried for a request, from the rules alone."""
    found = set()
    for o in market:
        wanted = (
            (request.cloud, o.cloud),
            (request.region, o.region),
            (request.instance_type, o.instance_type),
            (request.use_spot, o.use_spot),
        )
        placed = all(want is None or want == have for want, have in wanted)
        asked = request.zone or ""
        told = o.zone == asked or (o.zone is None and (request.region is not None or asked.startswith(f"{o.region}-")))
        zoned = request.zone is None or told
        sized = request.cpus is None or request.cpus.admits(o.cpus)
        armed = all(
            o.accelerators.get(name) == count or count < 1 <= o.accelerators.get(name, 0)
            for name, count in request.accelerators.items()
        )
        paid = request.max_hourly_cost is None or o.hourly_usd * request.num_nodes <= request.max_hourly_cost
        if placed and zoned and sized and armed and paid:
            zone = request.zone or (o.zone if o.use_spot else None)
            found.add((o.cloud, o.region, zone, o.instance_type, o.use_spot))
    return found


def tried(choices: list[Choice]) -> set[tuple[object, ...]]:
    return {
        (c.candidate.cloud, c.candidate.region, c.candidate.zone, c.candidate.instance_type, c.candidate.use_spot)
        for c in choices
    }


@tries(80)
@given(markets, wishes)
def test_everything_that_fits_is_in_the_plan_and_nothing_else(market: list[Offer], asked: list[Request]) -> None:
    choices = list(make_plan(asked, sources(market)).choices)
    assert tried(choices) == set().union(*(brute(request, market) for request in asked))
    regions = [(c.digest, c.request, c.candidate) for c in choices if c.candidate.zone is None]
    keys = [(digest, repr(request), c.cloud, c.region, c.instance_type) for digest, request, c in regions]
    assert len(keys) == len(set(keys))  # zones of one region are one candidate, whatever each of them costs
    event("nothing fits" if not choices else "something fits")


@tries(80)
@given(markets, wishes, st.randoms(use_true_random=False), st.sampled_from(["cost", "time"]), st.booleans())
def test_equal_input_gives_an_equal_plan_whatever_the_order_of_clouds(
    market: list[Offer], asked: list[Request], random: object, optimize: str, ordered: bool
) -> None:
    plain = make_plan(asked, sources(market), ordered=ordered, optimize=optimize)
    shuffled = sources(market)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    again = make_plan(asked, shuffled, ordered=ordered, optimize=optimize)
    assert seen(list(plain.choices)) == seen(list(again.choices))
    event("several clouds" if len({o.cloud for o in market}) > 1 else "one cloud")


@tries(80)
@given(markets, wishes)
def test_prices_only_rise_and_names_break_ties(market: list[Offer], asked: list[Request]) -> None:
    choices = [c.candidate for c in make_plan(asked, sources(market)).choices]
    ranks = [(c.hourly_usd, c.cloud, c.region, c.zone or "", c.instance_type) for c in choices]
    assert ranks == sorted(ranks)
    event("ties" if len({rank[0] for rank in ranks}) < len(ranks) else "no ties")


@tries(80)
@given(markets, wishes)
def test_ordered_alternatives_never_mix(market: list[Offer], asked: list[Request]) -> None:
    numbers = [c.alternative for c in make_plan(asked, sources(market), ordered=True).choices]
    assert numbers == sorted(numbers)
    event(f"{len(set(numbers))} alternatives in the plan")


@tries(80)
@given(markets, wishes)
def test_by_time_it_is_the_same_plan_in_another_order(market: list[Offer], asked: list[Request]) -> None:
    cost = list(make_plan(asked, sources(market)).choices)
    fast = list(make_plan(asked, sources(market), optimize="time").choices)
    assert sorted(map(repr, seen(cost))) == sorted(map(repr, seen(fast)))
    speeds = [tflops(c.candidate) for c in fast]
    assert speeds == sorted(speeds, reverse=True)
    event("several speeds" if len(set(speeds)) > 1 else "one speed")


@tries(80)
@given(markets, wishes, st.dictionaries(st.sampled_from(["r1", "r2", "r10"]), PRICES))
def test_egress_reorders_by_what_the_first_hour_costs(
    market: list[Offer], asked: list[Request], costs: dict[str, float]
) -> None:
    plain = list(make_plan(asked, sources(market)).choices)
    plan = list(make_plan(asked, sources(market), egress=lambda c: costs.get(c.region, 0.0)).choices)
    assert tried(plan) == tried(plain)
    assert len(plan) == len(plain)
    totals = [c.candidate.hourly_usd + c.candidate.egress_usd for c in plan]
    assert totals == sorted(totals)
    assert all(c.candidate.egress_usd == costs.get(c.candidate.region, 0.0) for c in plan)
    event("reordered" if tried(plan[:1]) != tried(plain[:1]) else "as it was")


def rows_read(market: list[Offer], asked: list[Request], drawn: int) -> tuple[int, Plan]:
    read = [0]

    def counting(stream: Source) -> Source:
        def count(request: Request) -> object:
            for offer in stream.offers(request):
                read[0] += 1
                yield offer

        return source(stream.cloud, capabilities=stream.capabilities, offers=count)

    plan = make_plan(asked, [counting(each) for each in sources(market)], explain=False)
    list(islice(plan.choices, drawn))
    return read[0], plan


@tries(80)
@given(markets, requests, st.integers(0, 5))
def test_drawing_less_reads_no_more(market: list[Offer], asked: Request, drawn: int) -> None:
    some, _ = rows_read(market, [asked], drawn)
    everything, _ = rows_read(market, [asked], 1000)
    assert some <= everything
    assert drawn > 0 or some == 0
    event("read less" if some < everything else "read all")
