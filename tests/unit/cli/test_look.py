"""``plan``, ``validate``, ``check``, ``plugins``, the catalogue, settings, and files to start from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli_fakes import FakeSession, skyx
from skyx_core.results import Excluded, TaskPlan


def test_plan_json_holds_the_contract(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("run: x\n")
    (found,) = skyx("plan", "t.yaml", "-o", "json", cwd=tmp_path).json["tasks"]
    assert {"name", "num_nodes", "candidates", "excluded"} <= set(found)
    keys = {"cloud", "region", "zone", "instance_type", "accelerators", "cpus", "memory_gb", "use_spot", "hourly_usd"}
    assert keys <= set(found["candidates"][0])
    assert {"cloud", "reason"} <= set(found["excluded"][0])


def test_plan_of_several_tasks_goes_task_by_task(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("name: p\n---\nrun: a\n---\nrun: b\n")
    assert len(skyx("plan", "t.yaml", "-o", "json", cwd=tmp_path).json["tasks"]) == 2


def test_plan_text_marks_the_choice_and_says_why_not() -> None:
    result = skyx("plan", "--gpus", "H100")
    assert "*  local/here" in result.out
    assert "left out: moon: not enabled (fix: log in)" in result.out


def test_plan_without_candidates_ends_with_5() -> None:
    session = FakeSession(the_plan=TaskPlan(None, 1, [], [Excluded("moon", "no such GPU")]))
    result = skyx("plan", "true", session=session)
    assert result.code == 5
    assert "no such GPU" in result.out


def test_validate_takes_many_files_and_ends_with_2_if_one_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text("run: x\n")
    (tmp_path / "bad.yaml").write_text("run: x\nresorces: {}\nnum_nodes: 0\n")
    result = skyx("validate", "good.yaml", "bad.yaml", "none.yaml", "-o", "json", cwd=tmp_path)
    good, bad, none = result.json
    assert result.code == 2
    assert (good["ok"], good["tasks"], good["errors"]) == (True, 1, [])
    assert [(e["line"], e["path"]) for e in bad["errors"]] == [(2, "resorces"), (3, "num_nodes")]
    assert set(bad["errors"][0]) == {"line", "column", "path", "message", "suggestion"}
    assert bad["errors"][0]["suggestion"] == "resources"
    assert none["ok"] is False


def test_what_lies_outside_the_file_is_only_a_warning(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(
        "run: x\nworkdir: nowhere\nenvs: {TOKEN: null}\nresources: {infra: pluto}\nfile_mounts: {~/d: ./gone}\n"
    )
    result = skyx("validate", "t.yaml", "-o", "json", cwd=tmp_path)
    (found,) = result.json
    text = " ".join(f"{w['path']} {w['message']}" for w in found["warnings"])
    assert (result.code, found["ok"]) == (0, True)
    for part in ("workdir", "TOKEN", "pluto", "gone"):
        assert part in text


def test_validate_text_names_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("run: x\nresorces: {}\n")
    assert "bad.yaml:2:1: resorces" in skyx("validate", "bad.yaml", cwd=tmp_path).out


def test_validate_without_files_is_a_usage_error() -> None:
    assert skyx("validate").code == 2


def test_check_ends_with_4_only_for_what_was_asked() -> None:
    assert skyx("check").code == 0
    result = skyx("check", "mars", "-o", "json")
    assert result.code == 4
    assert set(result.json[0]) == {"cloud", "ok", "checks"}
    assert "fix: mars login" in skyx("check").out


def test_plugins_list_check_and_info() -> None:
    (row,) = skyx("plugins", "-o", "json").json
    assert {"name", "kind", "distribution", "version", "status", "error"} <= set(row)
    assert row["status"] == "installed"
    session = FakeSession()
    (checked,) = skyx("plugins", "--check", "-o", "json", session=session).json
    assert {"api_version", "load_ms"} <= set(checked)
    assert session.called("plugins")["check"] is True
    assert "skyx-local 0.1.0" in skyx("plugins", "info", "local").out
    assert skyx("plugins", "info", "nothing").code == 3


def test_config_show_names_origins() -> None:
    assert skyx("config", "show", "--origin", "-o", "json").json[1] == {
        "key": "color",
        "value": "never",
        "origin": "env SKYX_COLOR",
    }
    assert "env SKYX_COLOR" in skyx("config", "show", "--origin").out
    assert "env SKYX_COLOR" not in skyx("config", "show").out


def test_explain_is_ndjson() -> None:
    (event,) = skyx("explain", "a", "-o", "json").lines
    assert event["kind"] == "attempt_failed"
    assert "no capacity" in skyx("explain", "a").out


def test_schema_is_json() -> None:
    assert json.loads(skyx("schema").out)["title"]


@pytest.mark.parametrize("template", ["basic", "gang", "gpu"])
def test_init_writes_a_valid_file_and_never_over_another(template: str, tmp_path: Path) -> None:
    assert skyx("init", template, cwd=tmp_path).code == 0
    text = (tmp_path / "task.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=")
    assert skyx("validate", "task.yaml", cwd=tmp_path).code == 0
    again = skyx("init", template, cwd=tmp_path)
    assert again.code == 2
    assert "--force" in again.err
    assert skyx("init", template, "--force", cwd=tmp_path).code == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str) -> None:
    assert "_SKYX_COMPLETE" in skyx("completion", shell).out
