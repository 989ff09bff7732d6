"""Random small scenarios: the simulator against a walk by hand, and hedging against its promises."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from depth import depth, is_full
from skyx_sim import parse_scenario, simulate
from skyx_sim.result import CANCELLED, FAILED, TOO_LATE, UP
from skyx_sim.rules import installed_tables
from skyx_sim.scenario import Scenario
from walker import Walk

TABLES = installed_tables()
ONE, MANY = depth(60, 10_000), depth(120, 10_000)
BASE = parse_scenario(
    "task: {resources: {accelerators: T4:1}}\n"
    "clouds:\n  - {name: x, regions: 1, types: [{name: t, cpus: 4, memory: 16, accelerators: T4:1, price: 1}]}\n"
)
RULES = ("aws", "gcp", "kubernetes", "azure", "sim")
ZONES = st.sampled_from([(), ("a",), ("a", "b"), ("a", "b", "c")])
PRICES = st.sampled_from([0.5, 1.0, 1.5])
FEW = st.sampled_from([0, 0, 0, 1, 4])
RENEWALS = st.sampled_from([None, 11, 45, 200, 600, 5000])
TIMES = st.sampled_from([0, 5, 30, 60, 301, 400, 700, 4000])


@st.composite
def regions(draw, *, slow=False):
    """``slow``: such latencies that two attempts often come up at nearly the same time."""
    found = []
    for name in draw(st.lists(st.sampled_from(["r1", "r10", "r2"]), min_size=1, max_size=3, unique=True)):
        region = {"name": name, "zones": tuple(f"{name}{zone}" for zone in draw(ZONES))}
        region["price_factor"] = draw(st.sampled_from([1.0, 1.1]))
        if slow:
            region["latency"] = draw(st.sampled_from([600, 588, 88, 80, {"mean": 30, "spread": 25}]))
        found.append(region)
    return found


@st.composite
def capacity(draw, zones):
    rows = []
    for zone in draw(st.lists(st.sampled_from(zones), unique=True, max_size=4)) if zones else []:
        at = sorted(draw(st.sets(TIMES, min_size=1, max_size=3)))
        rows.append({"zone": zone, "steps": [{"at": t, "nodes": draw(FEW)} for t in at]})
    if draw(st.booleans()):
        rows.append({"nodes": draw(FEW)})
    elif draw(st.booleans()):
        rows.append({"nodes": 4, "scarcity": 0.7, "every": draw(st.sampled_from([60, 600]))})
    return rows


ERRORS = (
    {"code": "Oops", "message": "an error that nobody knows"},
    {"code": "Busy", "message": "service unavailable", "http_status": 503},
    {"code": "Slow", "message": "slow down", "http_status": 429},
    {"code": "InvalidParameterValue", "message": "the task asks for what can't be", "http_status": 400},
    {"code": "OutOfCapacity", "message": "Regions with capacity available: r10, r2", "http_status": 400},
)
OWN = (
    {"id": "x.user", "code": "InvalidParameterValue", "category": "user_error", "abort": True},
    {
        "id": "x.elsewhere",
        "message": "Regions with capacity available: (?P<places>.+)",
        "category": "capacity",
        "block": "instance_type_in_region",
    },
)


@st.composite
def clouds(draw, name, *, slow=False):
    places = draw(regions(slow=slow))
    zones = [zone for region in places for zone in region["zones"]]
    kinds = [{"name": "t1", "cpus": 4, "memory": 16, "accelerators": "T4:1", "bucket": "G"}]
    kinds += [{"name": "t2", "cpus": 8, "memory": 32, "accelerators": "T4:1"}] if draw(st.booleans()) else []
    for kind in kinds:
        kind.update(price=draw(PRICES), spot_price=draw(PRICES))
    found = {
        "name": name,
        "rules": draw(st.sampled_from(RULES)),
        "own_rules": OWN,
        "regions": places,
        "types": kinds,
        "latency": draw(st.sampled_from([20, 90])),
        "cleanup": draw(st.sampled_from([0, 30])),
        "atomic": draw(st.booleans()),
        "capacity": draw(capacity(zones)),
        "errors": [
            {
                "region": draw(st.sampled_from([None, *(region["name"] for region in places)])),
                "times": draw(st.sampled_from([1, 2, None])),
                "made": draw(st.sampled_from([0, 1])),
                "after": draw(st.sampled_from([None, 40, 400])),
                "error": draw(st.sampled_from(ERRORS)),
            }
            for _ in range(draw(st.integers(0, 2)))
        ],
    }
    if draw(st.booleans()):
        found["quota"] = [{"bucket": "G", "nodes": draw(FEW), "spot": draw(st.sampled_from([None, True, False]))}]
    if draw(st.integers(0, 3)) == 0:
        found["rate_limit"] = {"calls": draw(st.integers(1, 3)), "per": 60}
    if draw(st.integers(0, 3)) == 0:
        found["credentials"] = {"expire": draw(st.sampled_from([0, 10]))}
        if not slow:
            found["credentials"]["renew"] = draw(RENEWALS)
    if not slow:
        found["preemption"] = {"mean": 600}
    return found


@st.composite
def scenarios(draw, *, hedged=False):
    request = {"accelerators": "T4:1", "use_spot": draw(st.booleans())}
    resources = draw(
        st.sampled_from(
            [
                request,
                {"any_of": [request, {"cpus": "8+", **request}]},
                {"ordered": [request, {"accelerators": "T4:1"}]},
            ]
        )
    )
    again = not hedged and draw(st.booleans())
    return Scenario.model_validate(
        {
            "task": {"num_nodes": draw(st.sampled_from([1, 1, 2])), "resources": resources},
            "clouds": [draw(clouds(name, slow=hedged)) for name in ("one", "two")[: draw(st.integers(1, 2))]],
            "seed": draw(st.integers(0, 3)),
            "limit": draw(st.sampled_from([100, 3000, 20_000, 20_000])) if again else 50_000,
            "retry_until_up": again,
            "hedge": draw(st.integers(2, 4)) if hedged else 1,
            "slow_after": draw(st.sampled_from([10, 60])),
            "run_for": 0 if hedged else draw(st.sampled_from([0, 9000])),
        }
    )


def test_the_simulator_tries_what_a_walk_by_hand_tries() -> None:
    met: Counter[str] = Counter()

    @given(scenarios())
    @settings(max_examples=ONE, deadline=None, database=None, derandomize=not is_full())
    def check(scenario) -> None:
        result = simulate(scenario, tables=TABLES)
        if not result.counts.reopened:  # what is left of a cloud that opens again comes after what was met before
            walk = Walk(scenario, TABLES)
            assert (walk.run(), walk.places) == (result.status, result.places)
            assert abs(walk.now - result.virtual_seconds) < 1e-6
        met.update(
            reopened=result.counts.reopened > 0,
            held=result.counts.held,
            preemptions=result.counts.preemptions,
            expiries=result.counts.expiries,
            retries=result.counts.retries,
            skipped=result.counts.skipped,
            partial=sum(row.nodes > 0 and row.outcome == FAILED for row in result.attempts),
            **{result.status: 1},
        )

    check()
    print(f"searches met: {dict(met)}")
    assert all(met[name] for name in ("expiries", "retries", "skipped", "partial", "held", "preemptions"))
    assert all(met[name] for name in ("UP", "GAVE_UP", "ABORTED", "LIMIT"))
    assert met["reopened"] < ONE / 5


def test_hedging_never_ends_with_two_clusters_nor_leaves_anything() -> None:
    met: Counter[str] = Counter()

    @given(scenarios(hedged=True))
    @settings(max_examples=MANY, deadline=None, database=None, derandomize=not is_full())
    def check(scenario) -> None:
        result = simulate(scenario, tables=TABLES)
        counts = result.counts
        assert counts.most_live <= scenario.hedge
        check_rows(result)
        met.update(
            overlaps=counts.overlaps,
            second_winners=counts.second_winners,
            expiries=counts.expiries,
            cancelled=sum(row.outcome == CANCELLED for row in result.attempts),
            **{result.status: 1},
        )

    check()
    print(f"hedged searches met: {dict(met)}")
    assert all(met[name] for name in ("overlaps", "second_winners", "expiries", "cancelled", "UP", "GAVE_UP"))


def check_rows(result) -> None:
    up = [row for row in result.attempts if row.outcome == UP]
    assert len(up) == (result.status == "UP")
    if result.status == "LIMIT":
        return
    for row in result.attempts:
        assert row.outcome in (UP, FAILED, CANCELLED, TOO_LATE)
        assert row.ended_at is not None
        if row.outcome != UP:
            assert row.cleaned_at is not None
            assert row.cleaned_at <= result.virtual_seconds
    assert sum(row.cost_usd for row in result.attempts) == result.cost_usd
