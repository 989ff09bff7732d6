"""Random plans and clouds for the engine."""

from __future__ import annotations

from hypothesis import strategies as st

from builders import choice
from engine_blocks import at, in_the_way, spot
from engine_gates import WatchedGate, closed_by
from engine_world import Answer, World
from skyx_core.failover.blocklist import Blocklist
from skyx_core.failover.engine import Engine
from skyx_core.models import Block, BlockKey, Category, Retry, Scope, Verdict, ZoneOption

TOGETHER = "b"
ZONES = {"a": ["a", "b", "c"], "b": ["a", "b", "c"], "c": []}
REGIONS = ("us-east-1", "us-east-10", "eu-1")
PLACES = (*REGIONS, "us-east-1-b", "us-east-1-c")


@st.composite
def zone_options(draw, cloud, region):
    """Zones of a region, none of them, an error, or what isn't to be used."""
    what = draw(st.sampled_from(["all", "all", "all", "all", "one", "skips", "nothing", "error", "busy"]))
    names = [f"{region}-{z}" for z in ZONES[cloud]] or [None]
    if what in ("error", "busy"):
        key = BlockKey(cloud=cloud, region=region)
        block = Block(key=key, rule="l", reason="l", until=draw(st.sampled_from([50.0, 5000.0])))
        failed = Verdict(category=Category.TRANSIENT, block=Scope.REGION, rule="l", blocks=(block,))
        again = {"blocks": (), "blocks_after": (block,), "retry": Retry(max=draw(st.integers(1, 2)), wait=5)}
        return failed if what == "error" else failed.model_copy(update=again)
    if what == "skips":
        return [ZoneOption(zone=name, skip="no quota" if n % 2 == 0 else "") for n, name in enumerate(names)]
    return [ZoneOption(zone=name) for name in (names if what == "all" else names[:1] if what == "one" else [])]


KINDS = ["full", "full", "full", "full", "retry", "retry", "retry", "careless", "up", "up", "abort", "full", "full"]
answers = st.builds(
    Answer,
    kind=st.sampled_from(KINDS),
    takes=st.sampled_from([0.0, 20.0, 120.0, 400.0]),
    cleaning=st.sampled_from([0.0, 15.0]),
    wide=st.sampled_from(["spot", "spot", "spot", "zone", "type", "region", "spots", "cloud"]),
    lasts=st.sampled_from([1.0, 60.0, 300.0, 3600.0, None]),
    grows=st.booleans(),
    prefer=st.sampled_from([(), (), (), ("us-east-1",), ("us-east-10",), ("us-east-1-c", "eu-1")]),
)
keys = st.sampled_from(
    [
        BlockKey(cloud="a"),
        BlockKey(cloud="a", region="us-east-1"),
        BlockKey(cloud="b", region="us-east-10", zone="us-east-10-b"),
        BlockKey(cloud="b", use_spot=True),
        BlockKey(use_spot=True),
        BlockKey(instance_type="t1"),
        BlockKey(cloud="a", zone="us-east-1-a", instance_type="t2"),
        BlockKey(accelerator="*"),
    ]
)
first_blocks = st.lists(
    st.builds(
        lambda key, until: Block(key=key, rule="first", reason="first", until=until),
        keys,
        st.sampled_from([10.0, 100.0, 500.0, 2000.0, None]),
    ),
    max_size=3,
)
candidates = st.tuples(st.sampled_from("abc"), st.sampled_from(REGIONS), st.sampled_from(["t1", "t2"]), st.booleans())


@st.composite
def worlds(draw, most=6):
    found = draw(st.lists(candidates, unique=True, min_size=1, max_size=most))
    plan = [
        choice(c, r, instance_type=t, use_spot=s, accelerators={"T4": 1.0} if t == "t2" else {}) for c, r, t, s in found
    ]
    zones = {(c, r): draw(zone_options(c, r)) for c, r in dict.fromkeys((c, r) for c, r, _, _ in found)}
    given = draw(st.lists(answers, min_size=3, max_size=8))
    spots = [
        spot(each, option.zone)
        for each in plan
        for options in [zones[each.candidate.cloud, each.candidate.region]]
        for option in (options if isinstance(options, list) else [])
    ]
    world = World(zones, {each: given[n % len(given)] for n, each in enumerate(spots)})
    world.blocks = draw(first_blocks)
    return plan, world


def engine_of(plan, world, *, together=frozenset({TOGETHER}), keep_order=False, **more):
    """An engine that draws from the plan cloud by cloud, through a gate that the world keeps an eye on."""
    world.gate = gate = WatchedGate(plan, lambda cloud: closed_by(world.blocks, cloud, world.now))
    choices = gate.choices(plan, by_alternative=keep_order)
    blocks = Blocklist(world.blocks)
    return Engine(choices, blocks=blocks, zones_together=together, keep_order=keep_order, gate=gate, **more)


def usable(world, each):
    """The zones of a candidate that the driver would use; None = it can't be located."""
    found = world.zones[each.candidate.cloud, each.candidate.region]
    return None if isinstance(found, Verdict) else [option.zone for option in found if not option.skip]


def check_nothing_is_lost(plan, world):
    tried, known = set(world.spots), world.blocks + world.grown
    for each in plan:
        if id(each) not in world.located:
            assert in_the_way(known, each.candidate, world.now), "neither asked for its zones nor blocked"
            continue
        for zone in usable(world, each) or ():
            blocked = in_the_way(known, at(each, zone), world.now)
            assert spot(each, zone) in tried or blocked, f"{spot(each, zone)} was neither tried nor is it blocked"
