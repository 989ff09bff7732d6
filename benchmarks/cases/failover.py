"""N candidates of which all but the last fail, on a cloud that answers at once, through the whole launch."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.market import Market
from benchmarks.pairs import Series, interleave
from benchmarks.rows import Goal, Row, Run
from benchmarks.searches import Found, counted_commits, floor, imported, memory_folder, search

ROWS = 69_000
COMMIT_MS = 0.2  # a durable commit of the machine that the goal means
LIMIT_MS, FLAT = 1.0, 1.2
PEER_LIMIT_S = 900.0
SHIPPED, MENDED = "sky", "sky, its cache mended"
FLOOR_IS = "an ordered heap, a set of what is blocked, one durable commit of SQLite per attempt"


@dataclass(frozen=True)
class Beside:
    """One size that peers are asked for too. ``shipped_rounds``: of the peer as it is, which is slow."""

    market: Market
    shipped_rounds: int
    shipped_goal: float | None = None
    mended_goal: float | None = None


@dataclass(frozen=True)
class Way:
    """One way to run the peer."""

    name: str
    flags: Sequence[str]
    rounds: int
    goal: float | None


def run(run: Run) -> Iterator[Row]:
    """Beside the peer at a few sizes of a large catalogue; then alone at sizes that it can't reach."""
    yield from _beside(run, Beside(_market(1), run.rounds, 80))
    if not run.quick:
        yield from _beside(run, Beside(_market(3), 1))
    yield from _beside(run, Beside(_market(7), 1, 1000, 200))
    for zones in (99, 300) if run.quick else (99, 999):
        yield from _alone(run, Market(zones // 3, 3, 0))
    yield from _without_disk(run)
    yield from _cleaned(run, Market(33 if run.quick else 333, 3, 0))


def _market(regions: int) -> Market:
    """Three zones a region, as many other types as make 69,000 rows."""
    return Market(regions, 3, ROWS // (regions * 3) - 1)


def _beside(run: Run, beside: Beside) -> Iterator[Row]:
    market = beside.market
    file = market.write(run.scratch.root / f"catalogue-{market.candidates}.csv")
    catalogue = imported(run.scratch, f"catalogue-{market.candidates}", file)
    found, searches = _pairs(run, market, catalogue)
    ways = (
        Way(SHIPPED, [], beside.shipped_rounds, beside.shipped_goal),
        Way(MENDED, ["--cachefix"], min(run.rounds, 2 if run.quick else 5), beside.mended_goal),
    )
    for way in ways:
        peer = _beside_peer(run, market, file, catalogue, way)
        rounds = len(peer.values["peer"]) if peer else 0
        yield Row(
            "failover", f"{market.candidates} zones{'' if way.name == SHIPPED else ', to the peer mended'}", "ms",
            found.median("ours"), floor=found.median("floor"), floor_is=FLOOR_IS, ratio=found.ratio("ours", "floor"),
            peer=peer.median("peer") if peer else None, peer_is=way.name, peer_goal=way.goal,
            times_faster=peer.ratio("peer", "ours") if peer else None, size=market.candidates,
            note=f"per failed attempt; {market.rows} rows; {rounds} rounds of the peer; {_cpu(searches)}",
        )  # fmt: skip


def _beside_peer(run: Run, market: Market, file: Path, catalogue: Path, way: Way) -> Series | None:
    """Milliseconds per failed attempt of the peer, and ours right before and after each round; None without it."""
    values: dict[str, list[float]] = {"peer": [], "ours": []}
    for number in range(way.rounds):
        before = _once(run, market, catalogue).each_ms
        home = run.scratch.folder(f"peer-{market.candidates}-{number}-{len(way.flags)}")
        told = run.peers.ask("skypilot", "sky_failover.py", [str(file), *way.flags], home, PEER_LIMIT_S)
        if told is None:
            return None
        assert isinstance(told, dict)
        asked = [float(moment) for moment in told["asked"]]
        assert len(asked) == market.candidates, f"the peer asked {len(asked)} of {market.candidates} zones"
        values["peer"].append((asked[-1] - asked[0]) / (len(asked) - 1))
        values["ours"].append((before + _once(run, market, catalogue).each_ms) / 2)
    return Series(values)


def _pairs(run: Run, market: Market, catalogue: Path | None = None) -> tuple[Series, list[Found]]:
    """Milliseconds per failed attempt, and the searches behind them, warm ones first."""
    searches: list[Found] = []

    def ours() -> float:
        searches.append(_once(run, market, catalogue))
        return searches[-1].each_ms

    return interleave({"ours": ours, "floor": partial(floor, run.scratch.root, market)}, run.rounds), searches


def _once(run: Run, market: Market, catalogue: Path | None = None, parent: Path | None = None) -> Found:
    with _home(run, parent) as home:
        return search(run.scratch, home, market, catalogue=catalogue)


@contextmanager
def _home(run: Run, parent: Path | None = None) -> Iterator[Path]:
    """New each time, so that no block of an earlier search is known."""
    folder = Path(tempfile.mkdtemp(dir=parent or run.scratch.folder("homes"), prefix="skyx-bench-"))
    try:
        yield folder / "home"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _cpu(searches: list[Found]) -> str:
    each = median(found.cpu_s / len(found.moments) for found in searches) * 1e3
    return f"processor time {each:.2f} ms"


def _alone(run: Run, market: Market) -> Iterator[Row]:
    zones = market.candidates
    found, searches = _pairs(run, market)
    with counted_commits() as commits, _home(run) as home:
        search(run.scratch, home, market)
    yield Row(
        "failover", f"{zones} zones", "ms", found.median("ours"), floor=found.median("floor"),
        ratio=found.ratio("ours", "floor"), size=zones,
        note=f"per failed attempt; {sum(commits) / zones:.1f} durable commits and {commits.count(False) / zones:.1f} "
        f"others each; {_cpu(searches)}",
    )  # fmt: skip
    yield _quarters(f"{zones} zones", searches[1:])


def _quarters(what: str, searches: list[Found]) -> Row:
    pairs = [found.quarters() for found in searches]
    series = Series({"first": [first for first, _ in pairs], "last": [last for _, last in pairs]})
    return Row(
        "failover", f"{what}, last quarter to the first", "ms", series.median("last"), floor=series.median("first"),
        ratio=series.ratio("last", "first"), goal=Goal("ratio", FLAT),
    )  # fmt: skip


def _without_disk(run: Run) -> Iterator[Row]:
    """What is left where commits are free, and what that makes with commits of 0.2 ms."""
    memory = memory_folder()
    if memory is None:
        return
    small, large = Market(33, 3, 0), Market(333 if run.quick else 3334, 3, 0)
    with counted_commits() as commits, _home(run, memory) as home:
        search(run.scratch, home, small)
    durable = sum(commits) / small.candidates
    times = [_once(run, small, parent=memory).each_ms for _ in range(run.rounds)]
    yield Row(
        "failover", f"{small.candidates} zones, where a durable commit takes {COMMIT_MS} ms", "ms",
        median(times) + durable * COMMIT_MS, goal=Goal("ours", LIMIT_MS, "ms"),
        note=f"{median(times):.2f} ms each with the record in memory, and {durable:.1f} durable commits of 0.2 ms",
    )  # fmt: skip
    found = _once(run, large, parent=memory)
    zones = large.candidates
    yield Row(
        "failover", f"{zones} zones, record in memory, the whole search", "s", found.total_s,
        goal=None if run.quick else Goal("ours", 10, "s"),
        note=f"one round; {found.each_ms:.2f} ms per failed attempt, {found.cpu_s / zones * 1e3:.2f} of processor time",
    )  # fmt: skip
    yield _quarters(f"{zones} zones, record in memory", [found])


def _cleaned(run: Run, market: Market) -> Iterator[Row]:
    """Where the cloud leaves open whether it made something, each attempt is cleaned up after."""
    memory = memory_folder()
    searches = []
    for _ in range(run.rounds if run.quick else 3):
        with _home(run, memory) as home:
            searches.append(search(run.scratch, home, market, may_exist=True))
    each = median(found.each_ms for found in searches)
    what = f"{market.candidates} zones, each cleaned up after"
    yield Row("failover", what, "ms", each, note=f"per failed attempt, record in memory; {_cpu(searches)}")
    yield _quarters(what, searches)
