"""Plans know what earlier launches found blocked."""

from __future__ import annotations

from pathlib import Path

import pytest

from builders import offer
from market_clouds import market, session
from skyx_core.cluster.planned_blocks import PlannedBlocks
from skyx_core.cluster.planning import draw_plan, show_plan
from skyx_core.cluster.wiring import make_services
from skyx_core.errors import StateStoreError
from skyx_core.models import Block, BlockKey
from skyx_core.plan.planner import Plan
from skyx_core.session import Session
from skyx_core.state.blocks import BlockTable
from skyx_core.task import Task, loads

RULE = "mars.capacity"
MARS = market(
    "mars",
    [offer("mars", "r1", hourly_usd=1), offer("mars", "r2", hourly_usd=2), offer("mars", "r3", hourly_usd=3)],
    fingerprint=lambda self: "now",
)


def task(**top: str) -> Task:
    return loads("\n".join([*(f"{name}: {value}" for name, value in top.items()), "run: x"])).tasks[0]


def block(one: Session, lasts: float = 230.0, **fields: object) -> Block:
    key = BlockKey.model_validate({"cloud": "mars", **fields.pop("key", {})})  # type: ignore[dict-item]
    return Block.model_validate(
        {"key": key, "rule": RULE, "reason": "full", "until": one.clock.time() + lasts, **fields}
    )


def blocked(one: Session, wanted: Task | None = None) -> list[tuple[str, bool]]:
    return [(row.region, bool(row.blocked)) for row in one.plan(wanted or task()).candidates]


def test_a_blocked_row_says_until_when_and_why_and_the_next_one_is_first(tmp_path: Path) -> None:
    with session(tmp_path, MARS) as one:
        assert one.plan(task()).first == 0
        one.store.add_blocks([block(one, key={"region": "r1"})])
        plan = one.plan(task())
        assert [row.blocked for row in plan.candidates] == [f"4 min more: {RULE}", "", ""]
        assert plan.first == 1
        whole = one.plan_pipeline([task()])
        assert whole.total.hourly_usd == 2
        dry = one.launch(task(), dryrun=True)
        assert dry.candidate is not None


def test_when_everything_is_blocked_nothing_is_first(tmp_path: Path) -> None:
    with session(tmp_path, MARS) as one:
        one.store.add_blocks([block(one)])
        plan = one.plan_pipeline([task()])
    assert plan.tasks[0].first is None
    assert plan.total.hourly_usd == 1


def test_what_is_planned_twice_is_shown_once(tmp_path: Path) -> None:
    with session(tmp_path, MARS) as one:
        services, wanted = make_services(one), task().requests()
        first = list(draw_plan(services, wanted, ordered=False).choices)
        plan = Plan(choices=iter([first[2], *first]))
        shown, again = show_plan(plan, None, 1, 10, PlannedBlocks(services, 1))
    assert [row.region for row in shown.candidates] == ["r3", "r1", "r2"]
    assert [candidate.region for candidate in shown.chosen] == ["r3", "r1", "r2"]
    assert len(list(again)) == 4


@pytest.mark.parametrize(
    ("fields", "hit"),
    [
        ({}, [True, True, True]),
        ({"lasts": -1.0}, [False] * 3),
        ({"key": {"cloud": "venus"}}, [False] * 3),
        ({"key": {"region": "r2", "zone": "r2-a"}}, [False] * 3),  # only a zone of it
        ({"key": {"use_spot": True}}, [False] * 3),
        ({"key": {"instance_type": "t1", "region": "r3"}}, [False, False, True]),
        ({"key": {"request": "0" * 16}}, [False] * 3),
        ({"fingerprint": "of other credentials"}, [False] * 3),
        ({"nodes": 2}, [False] * 3),
    ],
)
def test_only_what_holds_for_the_candidate_counts(tmp_path: Path, fields: dict, hit: list[bool]) -> None:
    with session(tmp_path, MARS) as one:
        one.store.add_blocks([block(one, **fields)])
        assert [found for _, found in blocked(one)] == hit


def test_a_block_about_what_the_request_names_itself_counts_for_equal_requests(tmp_path: Path) -> None:
    from skyx_core.plan.digest import digest

    with session(tmp_path, MARS) as one:
        one.store.add_blocks([block(one, key={"request": digest(task().requests()[0])}, nodes=2)])
        assert [found for _, found in blocked(one, task(num_nodes="2"))] == [True] * 3
        assert [found for _, found in blocked(one)] == [False] * 3


def test_a_block_of_the_credentials_in_use_counts_and_so_does_one_that_cannot_be_told(tmp_path: Path) -> None:
    silent = market("mars", [offer("mars", "r1")], fingerprint=lambda self: 1 / 0)
    for number, cloud in enumerate((MARS, silent)):
        with session(tmp_path / str(number), cloud) as one:
            now = make_services(one).clouds.get("mars").fingerprint()
            one.store.add_blocks([block(one, fingerprint=now, key={"region": "r1"})])
            assert blocked(one)[0] == ("r1", True)


def test_blocks_of_a_cloud_without_a_plugin_count(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("InstanceType,vCPUs,MemoryGiB,Price,Region\nm8,8,32,0.4,eu\n")
    with session(tmp_path, MARS) as one:
        one.import_catalog("venus", tmp_path / "x.csv")
        one.store.add_blocks([block(one, key={"cloud": "venus"}, fingerprint="x")])
        rows = one.plan(task(), catalogued=True).candidates
    assert [(row.cloud, bool(row.blocked), row.launchable) for row in rows][:2] == [
        ("venus", True, False),
        ("mars", False, True),
    ]


def test_a_plan_goes_on_without_blocks_and_says_when_they_cannot_be_read(tmp_path: Path, monkeypatch) -> None:
    def busy(*_: object, **__: object) -> list[Block]:
        raise StateStoreError("the record of clusters is in use")

    monkeypatch.setattr(BlockTable, "blocks", busy)
    with session(tmp_path, MARS) as one:
        plan = one.plan(task())
    assert plan.first == 0
    assert plan.notes == ["what earlier launches found blocked can't be read: the record of clusters is in use"]
