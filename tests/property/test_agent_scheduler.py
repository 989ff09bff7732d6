"""The agent's scheduler against a model: never more than there is, never idle while something fits."""

from __future__ import annotations

from hypothesis import event, given
from hypothesis import strategies as st

from skyx_agent.scheduler import UNIT, Demand, Ledger, plan

NODES = st.lists(st.integers(0, 4), min_size=1, max_size=4)
SHARES = st.sampled_from([0, 0.1, 0.25, 1 / 3, 0.5, 1, 2, 3, 4])
JOBS = st.lists(st.tuples(st.integers(1, 4), SHARES), max_size=12)


def _ledger(nodes: list[int]) -> Ledger:
    return Ledger((rank, [str(one) for one in range(count)]) for rank, count in enumerate(nodes))


@given(NODES, JOBS, st.booleans(), st.data())
def test_a_queue_is_worked_off_within_its_means(
    nodes: list[int], jobs: list[tuple[int, float]], strict: bool, data: st.DataObject
) -> None:
    ledger = _ledger(nodes)
    demands = {number: Demand.of(*job) for number, job in enumerate(jobs, 1)}
    waiting = {number: demand for number, demand in demands.items() if ledger.possible(demand)}
    running: dict[int, list[tuple[int, list[str]]]] = {}
    started: list[int] = []
    while waiting or running:
        starts, waits = plan(ledger, list(waiting.items()), strict)
        assert {number for number, _ in starts} | set(waits) == set(waiting)
        for number, placement in starts:
            _check_placement(placement, demands[number])
            running[number] = placement
            started.append(number)
            del waiting[number]
        _check_free(ledger, running, demands)
        _check_busy(ledger, waiting, strict)
        assert all(waits.values())
        event(f"backfilled: {bool(waits) and bool(starts) and max(n for n, _ in starts) > min(waits)}")
        assert running, "something must run while jobs wait that fit the empty cluster"
        ended = data.draw(st.sampled_from(sorted(running)))
        ledger.release(demands[ended], running.pop(ended))
    assert ledger.free == ledger.total
    if strict:
        assert started == sorted(started)


def _check_placement(placement: list[tuple[int, list[str]]], demand: Demand) -> None:
    ranks = [rank for rank, _ in placement]
    assert len(ranks) == demand.num_nodes == len(set(ranks))
    assert ranks == sorted(ranks)
    for _, ids in placement:
        assert len(ids) == (demand.per_node // UNIT if demand.per_node >= UNIT else bool(demand.per_node))


def _check_free(ledger: Ledger, running: dict[int, list[tuple[int, list[str]]]], demands: dict[int, Demand]) -> None:
    used = {rank: dict.fromkeys(ids, 0) for rank, ids in ledger.total.items()}
    for number, placement in running.items():
        for rank, ids in placement:
            for one in ids:
                used[rank][one] += min(demands[number].per_node, UNIT)
    for rank, shares in used.items():
        for one, share in shares.items():
            assert share <= UNIT
            assert ledger.free[rank][one] == UNIT - share


def _check_busy(ledger: Ledger, waiting: dict[int, Demand], strict: bool) -> None:
    left = list(waiting.values())[:1] if strict else list(waiting.values())
    assert all(ledger.place(demand) is None for demand in left)
