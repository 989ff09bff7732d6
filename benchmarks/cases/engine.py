"""The engine by itself: what one failed attempt costs, whatever is blocked already and however many are to come."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.pairs import Series, interleave
from benchmarks.rows import Goal, Row, Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skyx_core.failover.blocklist import Blocklist
    from skyx_core.models import Block, BlockKey, Candidate, Verdict
    from skyx_core.plan.planner import Choice

LIMIT_US = 100.0
ATTEMPTS = 1000
FLAT = 1.2
TTL_S = 300.0


def run(run: Run) -> Iterator[Row]:
    """Growth with blocks that are there before; then with attempts, beside planning again at each failure."""
    yield from _with_blocks(run, (10, 1000, 10_000) if run.quick else (10, 100, 1000, 10_000, 100_000))
    sizes, alone = ((10, 30, 100), 3000) if run.quick else ((10, 30, 100, 300, 1000), 10_000)
    yield from _with_attempts(run, sizes, alone)


def _with_blocks(run: Run, sizes: Sequence[int]) -> Iterator[Row]:
    tried = candidates(ATTEMPTS)
    known = {size: [block_of(each) for each in candidates(size, cloud="other")] for size in sizes}
    found = interleave({str(size): partial(_searched, tried, known[size]) for size in sizes}, run.rounds)
    for size in sizes:
        yield Row(
            "engine", f"{size} blocks there before", "us", found.median(str(size)), goal=Goal("ours", LIMIT_US, "us"),
            size=size, note="processor time of next, located, outcome and cleaned; verdicts are made beforehand",
        )  # fmt: skip
    few, many = map(str, (sizes[0], sizes[-1]))
    yield Row(
        "engine", f"{many} blocks, to {few}", "us", found.median(many), floor=found.median(few),
        floor_is=f"{few} blocks", ratio=found.ratio(many, few), goal=Goal("ratio", FLAT),
    )  # fmt: skip


def _with_attempts(run: Run, sizes: Sequence[int], alone: int) -> Iterator[Row]:
    for size in sizes:
        tried = candidates(size)
        found = interleave(
            {"ours": partial(_searched, tried, []), "again": partial(_planned_again, tried)}, run.rounds, warm=0
        )
        yield Row(
            "engine", f"{size} attempts", "us", found.median("ours"), peer=found.median("again"),
            peer_is="plan again and scan all blocks", times_faster=found.ratio("again", "ours"), size=size,
            note="plan again and scan: our own few lines of that algorithm, on the same candidates and blocks",
        )  # fmt: skip
    tried = candidates(alone)
    quarters = [_quarters(tried) for _ in range(run.rounds)]
    series = Series({"first": [first for first, _ in quarters], "last": [last for _, last in quarters]})
    yield Row(
        "engine", f"{alone} attempts, last quarter to the first", "us", series.median("last"),
        floor=series.median("first"), floor_is="first quarter", ratio=series.ratio("last", "first"),
        goal=Goal("ratio", FLAT),
    )  # fmt: skip


def candidates(count: int, cloud: str = "bench") -> list[Candidate]:
    """Of one type, three zones a region, cheapest first."""
    from skyx_core.models import Candidate

    return [
        Candidate(
            cloud=cloud, region=f"r{number // 3}", zone=f"r{number // 3}{'abc'[number % 3]}",
            instance_type="gpu.8xa100", cpus=96, memory_gb=1152, accelerators={"A100": 8}, use_spot=True,
            hourly_usd=10 + number * 1e-4,
        )
        for number in range(count)
    ]  # fmt: skip


def block_of(candidate: Candidate) -> Block:
    """What lack of capacity blocks."""
    from skyx_core.models import Block, BlockKey

    key = BlockKey(
        cloud=candidate.cloud, region=candidate.region, zone=candidate.zone, instance_type=candidate.instance_type,
        accelerators=tuple(candidate.accelerators.items()), use_spot=True, reservation="",
    )  # fmt: skip
    return Block(key=key, rule="bench.capacity", reason="no capacity", until=TTL_S, grows_to=6 * TTL_S)


def verdict_of(candidate: Candidate) -> Verdict:
    from skyx_core.models import Category, Scope, Verdict

    blocks = (block_of(candidate),)
    return Verdict(
        category=Category.CAPACITY, block=Scope.INSTANCE_TYPE_IN_ZONE, rule="bench.capacity", blocks=blocks, ttl=TTL_S
    )


def _searched(tried: Sequence[Candidate], known: Sequence[Block]) -> float:
    """Microseconds for each attempt that fails, all of them failing."""
    times = _failures(tried, known)
    return (times[-1] - times[0]) / (len(times) - 1) * 1e6


def _quarters(tried: Sequence[Candidate]) -> tuple[float, float]:
    """Medians of the first and the last quarter, in us."""
    times = _failures(tried, [])
    each = [(after - before) * 1e6 for before, after in pairwise(times)]
    part = len(each) // 4
    return median(each[:part]), median(each[-part:])


def _failures(tried: Sequence[Candidate], known: Sequence[Block]) -> list[float]:
    """When attempts were started, in s of processor time: nothing waits here."""
    from skyx_core.failover.blocklist import Blocklist
    from skyx_core.models import Request
    from skyx_core.plan.planner import Choice

    request = Request(accelerators={"A100": 8}, use_spot=True)
    choices = [Choice(request, candidate) for candidate in tried]
    return _drive(choices, Blocklist(known), {each.zone: verdict_of(each) for each in tried})


def _drive(choices: Sequence[Choice], blocks: Blocklist, verdicts: dict[str | None, Verdict]) -> list[float]:
    from skyx_core.failover.engine import CleanUp, Engine, GiveUp, Locate, Start
    from skyx_core.models import ZoneOption

    engine = Engine(iter(choices), blocks=blocks)
    zones = {zone: (ZoneOption(zone=zone),) for zone in verdicts}
    times: list[float] = []
    while True:
        for action in engine.next(1.0):
            match action:
                case Locate(choice=choice):
                    engine.located(zones[choice.candidate.zone])
                case Start():
                    times.append(time.thread_time())
                    engine.outcome(action.attempt, verdicts[action.choice.candidate.zone], 1.0)
                case CleanUp():
                    engine.cleaned(action.attempt)
                case GiveUp():
                    assert len(times) == len(choices), "not every candidate was tried"
                    return times


def _planned_again(tried: Sequence[Candidate]) -> float:
    """The same search, planned from scratch at each failure, every block compared with every candidate."""
    blocked: list[BlockKey] = []
    began = time.thread_time()
    for _ in tried:
        free = [each for each in tried if not any(covers(key, each) for key in blocked)]
        best = min(free, key=lambda each: each.hourly_usd)
        blocked.append(block_of(best).key)
    return (time.thread_time() - began) / len(tried) * 1e6


def covers(key: BlockKey, candidate: Candidate) -> bool:
    """One comparison, the field that differs most often first, so that most end at once."""
    return (
        key.zone in (None, candidate.zone)
        and key.region in (None, candidate.region)
        and key.cloud in (None, candidate.cloud)
        and key.instance_type in (None, candidate.instance_type)
        and key.use_spot in (None, candidate.use_spot)
    )
