"""The engine against random clouds: whatever happens, it ends, in order, with at most one cluster."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import event, given, settings
from hypothesis import strategies as st

from builders import choice
from depth import depth
from skyx_core.failover import rules
from skyx_core.failover.blocklist import Blocklist
from skyx_core.failover.engine import CleanUp, Done, Engine, GiveUp, Locate, Start, WaitUntil
from skyx_core.models import Category, Place, Retry, Scope, Verdict, ZoneOption

DEPTH = depth(150, 10_000)


@dataclass
class World:
    """Answers of clouds: by (cloud, region) zones, by (cloud, region, zone) what an attempt comes to."""

    zones: dict[tuple[str, str], list[str | None]]
    answers: dict[tuple[str, str, str | None], str]
    now: float = 0.0
    started: list[tuple[str, str, str | None]] = field(default_factory=list)
    live: set[int] = field(default_factory=set)
    most_live: int = 0


def verdict_for(answer: str, start: Start, now: float) -> Verdict | None:
    c = start.choice.candidate
    place = Place(cloud=c.cloud, region=c.region, zones=start.zones)
    base = rules.unknown(place, c, answer, now)
    match answer:
        case "up":
            return None
        case "retry":
            return base.model_copy(update={"retry": Retry(max=2, wait=5), "blocks": (), "blocks_after": base.blocks})
        case "abort":
            return base.model_copy(update={"abort": True, "blocks": ()})
        case "nothing":  # a careless plugin: neither block, retry nor abort
            return Verdict(category=Category.UNKNOWN, block=Scope.NONE, rule="x")
        case _:
            return base


def drive(engine: Engine, world: World, limit: int = 5000):
    for _ in range(limit):
        actions = engine.next(world.now)
        if not actions:
            raise AssertionError("the engine waits for a report although nothing runs")
        for action in actions:
            match action:
                case Locate(choice=c):
                    zones = world.zones[c.candidate.cloud, c.candidate.region]
                    engine.located([ZoneOption(zone=z) for z in zones])
                case Start():
                    c = action.choice.candidate
                    assert engine.blocks.hit(c, world.now) is None, "tried while blocked"
                    world.started.append((c.cloud, c.region, c.zone))
                    world.live.add(action.attempt)
                    world.most_live = max(world.most_live, len(world.live))
                    answer = world.answers.get((c.cloud, c.region, c.zone), "full")
                    engine.outcome(action.attempt, verdict_for(answer, action, world.now), world.now)
                case CleanUp(attempt=number):
                    world.live.discard(number)
                    engine.cleaned(number)
                case WaitUntil(time=time):
                    assert time > world.now
                    world.now = time
                case Done() | GiveUp():
                    return action
        world.now += 0.001
    raise AssertionError("the search does not end")


names = st.sampled_from(["r1", "r2", "r3"])
places = st.lists(st.tuples(st.sampled_from("ab"), names), unique=True, min_size=1, max_size=6)
answers = st.sampled_from(["up", "full", "full", "full", "retry", "nothing", "abort"])


@st.composite
def worlds(draw):
    found = draw(places)
    zones = {p: draw(st.sampled_from([[None], [f"{p[1]}-a"], [f"{p[1]}-a", f"{p[1]}-b"], []])) for p in found}
    spots = [(c, r, z) for (c, r), zs in zones.items() for z in zs]
    return found, World(zones, {spot: draw(answers) for spot in spots})


@given(worlds())
@settings(max_examples=DEPTH, deadline=None)
def test_it_ends_in_plan_order_and_tries_everything_before_giving_up(case):
    found, world = case
    engine = Engine(iter(choice(c, r) for c, r in found), blocks=Blocklist())
    end = drive(engine, world)
    order = [(c, r, z) for c, r in found for z in world.zones[c, r]]
    distinct = list(dict.fromkeys(world.started))
    assert distinct == order[: len(distinct)]
    assert world.most_live <= 1
    event(type(end).__name__)
    if isinstance(end, Done):
        assert world.answers[world.started[-1]] == "up"
        assert len(world.live) == 1
        return
    assert not world.live
    aborted = any(world.answers[s] == "abort" for s in world.started)
    assert aborted or distinct == order
    retried = [s for s in order if world.answers[s] == "retry"]
    if not aborted:
        assert all(world.started.count(s) == 3 for s in retried), "a bounded retry is used, and bounded"
    event("retried" if retried else "no retry")


@given(st.floats(1, 1000))
@settings(max_examples=50, deadline=None)
def test_retry_until_up_waits_for_the_later_of_the_pause_and_the_earliest_end_of_a_block(wait):
    world = World({("a", "r1"): [None]}, {})
    engine = Engine(iter([choice("a", "r1")]), blocks=Blocklist(), retry_until_up=True)
    waits = []
    for _ in range(40):
        for action in engine.next(world.now):
            match action:
                case Locate():
                    engine.located([ZoneOption()])
                case Start(attempt=number):
                    answer = "up" if len(waits) >= 3 else "full"
                    engine.outcome(number, verdict_for(answer, action, world.now), world.now)
                case CleanUp(attempt=number):
                    engine.cleaned(number)
                case WaitUntil(time=time):
                    waits.append(time - world.now)
                    world.now = time + wait / 1000
                case Done():
                    assert len(waits) == 3
                    assert all(w >= 30 for w in waits)
                    return
    raise AssertionError("never came up")


def test_a_stopped_search_starts_nothing_more_and_cleans_what_runs():
    engine = Engine(iter([choice("a"), choice("b")]), blocks=Blocklist())
    assert isinstance(engine.next(0)[0], Locate)
    engine.located([ZoneOption()])
    (start,) = engine.next(0)
    engine.stop("interrupted")
    (cancel,) = engine.next(0)
    assert cancel.attempt == start.attempt
    assert engine.next(0) == []
    engine.outcome(start.attempt, None, 0)  # it came up too late
    assert engine.next(0) == [CleanUp(start.attempt)]
    engine.cleaned(start.attempt)
    assert engine.next(0) == [GiveUp("interrupted")]


def test_giving_up_names_the_earliest_end_of_a_block():
    engine = Engine(iter([choice("a")]), blocks=Blocklist())
    world = World({("a", "r1"): [None]}, {})
    end = drive(engine, world)
    assert isinstance(end, GiveUp)
    assert end.earliest is not None
    assert end.earliest > world.now
