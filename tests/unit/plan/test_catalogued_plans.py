"""Plans over clouds of which only a catalogue is here."""

from pathlib import Path

import pytest

from builders import offer
from market_clouds import market, session
from skyx_core.api import WhyNot
from skyx_core.errors import NoCapacityError, PluginNotInstalledError
from skyx_core.task import Task, loads


def task(resources: str = "{}", **top: str) -> Task:
    lines = [f"{name}: {value}" for name, value in top.items()]
    return loads("\n".join([*lines, f"resources: {resources}", "run: x"])).tasks[0]


GOOD = market("good", [offer("good", "r", hourly_usd=7)])
CSV = "InstanceType,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone\nm8,8,32,0.4,0.1,eu-1,eu-1a\n"


def places(plan) -> list[tuple[str, bool]]:
    return [(row.cloud, row.launchable) for row in plan.candidates]


def test_clouds_of_which_only_a_catalogue_is_here_are_planned_when_asked_for(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(CSV)
    with session(tmp_path, GOOD) as one:
        one.import_catalog("elsewhere", tmp_path / "x.csv")
        assert places(one.plan(task())) == [("good", True)]
        assert places(one.plan(task(), catalogued=True)) == [("elsewhere", False), ("good", True)]


def test_a_cloud_of_which_only_a_catalogue_is_here_is_planned_when_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(CSV)
    shut = market("shut", [], disabled=lambda self: WhyNot(subject="shut", reason="no credentials", fix="log in"))
    with session(tmp_path, GOOD, shut) as one:
        for name in ("elsewhere", "third", "shut", "good"):
            one.import_catalog(name, tmp_path / "x.csv")
        plan = one.plan(task("{infra: elsewhere, use_spot: true}"))
        assert (places(plan), plan.excluded, plan.first) == ([("elsewhere", False)], [], None)
        both = one.plan(task("{any_of: [{infra: elsewhere}, {infra: good}]}"))
        assert places(both) == [("elsewhere", False), ("good", True)]
        plan = one.plan(task("{infra: shut}"))
        assert places(plan) == [("shut", False)]
        assert [(left.reason, left.fix) for left in plan.excluded] == [("no credentials", "log in")]
        with pytest.raises(PluginNotInstalledError):
            one.launch(task("{infra: elsewhere}"), dryrun=True)
        with pytest.raises(NoCapacityError) as caught:
            one.launch(task("{infra: shut}"), dryrun=True)
        ((_, _, reason, fix),) = caught.value.attempts
        assert (reason, fix.partition(" plans ")[0]) == ("no credentials", "log in; 'skyx plan --catalogued'")


def test_clouds_of_which_only_a_catalogue_is_here_are_planned_when_nothing_else_fits(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(CSV)
    with session(tmp_path, GOOD) as one:
        one.import_catalog("elsewhere", tmp_path / "x.csv")
        plan = one.plan(task("{cpus: 8}"))
        assert places(plan) == [("elsewhere", False)]
        assert "good" in [left.cloud for left in plan.excluded]
        nothing = one.plan(task("{cpus: 8, memory: 64}"))
        assert (places(nothing), [near.candidate.cloud for near in nothing.near]) == ([], ["elsewhere"])
        assert places(one.plan(task("{infra: good, cpus: 8}"))) == []
        with pytest.raises(NoCapacityError):
            one.launch(task("{cpus: 8}"), dryrun=True)


@pytest.mark.parametrize(("typed", "meant"), [("elsewher", "elsewhere"), ("mras", "mars"), ("god", "good")])
def test_a_name_that_nothing_knows_is_answered_with_the_nearest_that_something_does(
    tmp_path: Path, typed: str, meant: str
) -> None:
    (tmp_path / "x.csv").write_text(CSV)
    with session(tmp_path, GOOD, ("rules", "mars", ())) as one:
        one.import_catalog("elsewhere", tmp_path / "x.csv")
        (left,) = one.plan(task(f"{{infra: {typed}}}")).excluded
        assert (left.cloud, left.fix) == (typed, f"did you mean {meant!r}?")
        with pytest.raises(PluginNotInstalledError) as caught:
            one.launch(task(f"{{infra: {typed}}}"), dryrun=True)
        assert (meant == "elsewhere") != (caught.value.hint == left.fix)  # launches can't use a catalogue alone
        (left,) = one.plan(task("{infra: qqqqqq}")).excluded
        assert "catalogue" not in left.reason + left.fix


def test_what_moving_data_from_a_cloud_without_a_plugin_costs_is_not_known_and_no_error(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(CSV)
    with session(tmp_path, GOOD) as one:
        one.import_catalog("elsewhere", tmp_path / "x.csv")
        tasks = [task("{infra: elsewhere}", outputs="{x: 5}"), task(outputs="{x: 5}"), task()]
        plan = one.plan_pipeline(tasks, catalogued=True)
    assert [row.cloud for row in plan.tasks[1].candidates] == ["elsewhere", "good"]
    assert [row.egress_usd for each in plan.tasks for row in each.candidates] == [0.0] * 5
    assert plan.tasks[1].notes == ["the price of moving data from elsewhere to good isn't known, and not counted"]


def test_a_damaged_catalogue_spoils_only_its_own_cloud(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(CSV)
    with session(tmp_path, GOOD) as one:
        one.import_catalog("elsewhere", tmp_path / "x.csv")
        (found,) = one.dirs.catalogues.glob("*")
        found.write_bytes(b"garbage" * 1000)
        plan = one.plan(task(), catalogued=True)
    assert [row.cloud for row in plan.candidates] == ["good"]
    assert [item.cloud for item in plan.excluded if "elsewhere" in item.cloud] == ["elsewhere"]
