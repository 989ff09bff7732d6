"""Whole files as people write them, the schema, and what loading costs in imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from census import shapes
from census_expected import EXPECTED
from schema_check import accepts
from skyx_core.task import Task, check_paths, json_schema, load, loads

SCHEMA = json_schema()
FILES = sorted((Path(__file__).parents[2] / "data" / "tasks").glob("*.yaml"))


def test_there_are_files() -> None:
    assert len(FILES) >= 12


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file_loads_fits_the_schema_and_survives_a_round_trip(path: Path) -> None:
    file = load(path)
    assert file.tasks
    for task in file.tasks:
        assert task.requests()
        assert loads(task.to_yaml()).tasks[0] == task
    for document in yaml.safe_load_all(path.read_text()):
        assert accepts(SCHEMA, document)


def test_a_gang_file_reads_as_it_means() -> None:
    file = load(next(path for path in FILES if path.stem == "gang_torch"), secrets={"HF_TOKEN": "t"})
    task = file.tasks[0]
    (request,) = task.requests()
    assert (request.num_nodes, request.accelerators, request.disk_tier) == (2, {"H100": 8}, "high")
    assert task.envs == {"EPOCHS": "3", "BATCH": "64", "WANDB_MODE": "offline"}
    assert task.missing_envs() == ()


def test_pipeline_files_keep_their_steps() -> None:
    by_name = {path.stem: load(path) for path in FILES}
    assert by_name["pipeline_train_eval"].name == "train-then-eval"
    assert [task.name for task in by_name["pipeline_train_eval"].tasks] == ["train", "eval"]
    assert [task.num_nodes for task in by_name["pipeline_three"].tasks] == [1, 4, 1]


def test_schema_is_json_and_knows_every_field() -> None:
    schema = json.loads(json.dumps(json_schema()))
    assert set(Task.model_fields) <= set(schema["properties"])
    assert {"gpus", "spot_recovery", "any_of"} <= set(schema["$defs"]["Resources"]["properties"])


@pytest.mark.parametrize("shape", [shape for shape in shapes() if str(shape) in EXPECTED], ids=str)
def test_schema_accepts_each_shape_and_refuses_a_misspelt_top_field(shape) -> None:
    document = shape.document(EXPECTED[str(shape)][0])
    assert accepts(SCHEMA, document)
    first = next(iter(document))
    assert not accepts(SCHEMA, {f"{first}x": document[first]})


@pytest.mark.parametrize(
    "document",
    [{"run": 5}, {"num_nodes": 0}, {"num_nodes": "2"}, {"resources": {"cpus": -1}}, {"resources": {"disk_tier": "x"}}],
)
def test_schema_refuses_wrong_types(document: dict[str, object]) -> None:
    assert not accepts(SCHEMA, document)


def test_missing_local_paths_are_found_on_request(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "file").touch()
    mounts = {"/a": "./here", "/b": "./gone", "/c": "s3://b/x", "/d": {"source": ["file", "lost"]}}
    paths = [(p.path, p.message) for p in check_paths(Task(workdir="here", file_mounts=mounts), tmp_path)]
    assert paths == [("file_mounts./b", "no such file: ./gone"), ("file_mounts./d", "no such file: lost")]
    assert [p.path for p in check_paths(Task(workdir="nowhere"), tmp_path)] == ["workdir"]
    assert [p.message for p in check_paths(Task(workdir="file"), tmp_path)] == ["not a directory: file"]


def test_the_package_costs_nothing_until_used() -> None:
    code = "import sys, skyx_core.task; print([m for m in ('pydantic', 'yaml', 'difflib') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert result.stdout.strip() == "[]"


def test_an_autostop_in_an_alternative_is_not_dropped_silently() -> None:
    (warning,) = loads("run: x\nresources:\n  any_of:\n  - {cpus: 1, autostop: 5}\n").warnings
    assert (warning.line, warning.path) == (4, "resources.any_of[0].autostop")
