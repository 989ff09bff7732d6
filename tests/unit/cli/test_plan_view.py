"""What ``skyx plan`` shows beside the candidates."""

import dataclasses
from pathlib import Path

from cli_fakes import PAID, ROW, FakeSession, skyx
from skyx_core.results import Excluded, Near, TaskPlan

PLAN = TaskPlan("t", 1, [PAID, ROW], [])


def shown(plan: TaskPlan, *words: str) -> str:
    return skyx("plan", "true", *words, session=FakeSession(the_plan=plan)).out


def test_flags_reach_the_session_and_text_asks_for_twelve() -> None:
    session = FakeSession(the_plan=PLAN)
    skyx("plan", "true", "--optimize", "time", "--near", "--catalogued", session=session)
    asked = session.called("plan_pipeline")
    assert {key: asked[key] for key in ("limit", "optimize", "near", "catalogued", "parallel")} == {
        "limit": 12,
        "optimize": "time",
        "near": True,
        "catalogued": True,
        "parallel": False,
    }
    assert skyx("plan", "true", "--optimize", "speed", session=session).code == 2


def test_json_asks_for_all_unless_limited() -> None:
    for words, limit in (((), None), (("--limit", "3"), 3)):
        session = FakeSession(the_plan=PLAN)
        found = skyx("plan", "true", "-o", "json", *words, session=session).json
        assert session.called("plan_pipeline")["limit"] == limit
        assert found["total"] == {"hourly_usd": 12.5, "egress_usd": 0.0}
        assert {"near", "more", "optimize", "notes"} <= set(found["tasks"][0])


def test_more_than_is_shown_is_said_without_counting_it() -> None:
    assert "... and more, tried in this order" in shown(dataclasses.replace(PLAN, more=True))
    assert "more" not in shown(PLAN)


def test_what_fits_nearly_is_one_line_each() -> None:
    near = [Near("use_spot", "spot", "on-demand", PAID), Near("cpus", "9", "2", ROW)]
    text = shown(TaskPlan("t", 1, [], [Excluded("mars", "no")], near=near))
    assert "No candidate fits.\nFits nearly, with one demand changed:\n" in text
    assert "  use_spot: spot -> on-demand: mars/north/north-a m1.big H100:8 spot at $12.50/h\n" in text
    assert "  cpus: 9 -> 2: local/here local-2 at $0.00/h\n" in text


def test_the_target_notes_and_rows_that_cannot_be_launched_are_said() -> None:
    rows = [ROW, dataclasses.replace(PAID, launchable=False)]
    plan = dataclasses.replace(PLAN, candidates=rows, optimize="time", notes=["so much for that"])
    text = shown(plan)
    assert "prices for all of them, the fastest first" in text
    assert "note: so much for that" in text
    assert "only a catalogue is here of: mars" in text
    assert "\n-  mars/north/north-a" in text


def test_a_row_that_no_launch_would_try_is_not_the_first(tmp_path: Path) -> None:
    catalogued = dataclasses.replace(PAID, launchable=False, hourly_usd=1.0)
    held = dataclasses.replace(PAID, blocked="4 min more: mars.sold-out", hourly_usd=2.0)
    text = shown(dataclasses.replace(PLAN, candidates=[catalogued, held, PAID, ROW]))
    rows = text.splitlines()[2:6]
    assert [row[0] for row in rows] == ["-", " ", "*", " "]
    assert "$/H    BLOCKED" in text
    assert rows[1].endswith("2.00   4 min more: mars.sold-out")
    assert "Total: $12.50 per hour" in text
    assert "what is blocked is not tried before that ends; 'skyx blocks clear' tries it anyway" in text
    assert "BLOCKED" not in shown(PLAN)
    assert "blocks clear" not in shown(PLAN)


def test_where_no_row_can_be_tried_none_is_marked() -> None:
    text = shown(dataclasses.replace(PLAN, candidates=[dataclasses.replace(PAID, launchable=False)]))
    assert "*" not in text
    assert "Total: $12.50 per hour" in text


def test_what_moving_data_costs_has_a_column_only_where_it_costs(tmp_path: Path) -> None:
    assert "$ ONCE" not in shown(PLAN)
    text = shown(dataclasses.replace(PLAN, candidates=[dataclasses.replace(PAID, egress_usd=9.0), ROW]))
    assert "$ ONCE" in text
    assert "Total: $12.50 per hour and $9.00 once for moving data" in text


def test_several_tasks_end_with_what_all_of_them_cost(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("name: p\n---\nname: a\nrun: x\n---\nname: b\nrun: x\n")
    result = skyx("plan", "p.yaml", session=FakeSession(the_plan=PLAN), cwd=tmp_path)
    assert result.out.rstrip().endswith("All 2 tasks: $25.00 per hour")


def test_a_long_list_of_what_was_left_out_is_cut_in_text_only() -> None:
    plan = dataclasses.replace(PLAN, excluded=[Excluded(f"c{n}", "no") for n in range(30)])
    text = shown(plan)
    assert text.count("left out: c") == 20
    assert "and 10 more left out; -o json names them all" in text
    found = skyx("plan", "true", "-o", "json", session=FakeSession(the_plan=plan)).json
    assert len(found["tasks"][0]["excluded"]) == 30


def test_launch_passes_its_target_on() -> None:
    session = FakeSession(the_plan=PLAN)
    skyx("launch", "-y", "-d", "--optimize", "time", "true", session=session)
    assert session.called("launch")["optimize"] == "time"
