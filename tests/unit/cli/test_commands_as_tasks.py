"""A command becomes the very task that a file of one line would give."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from skyx_core.cli.main import main
from skyx_core.errors import TaskFileError
from skyx_core.task import Overrides, from_command, loads

GIVEN = [
    {},
    {"env": {"A": "$B ${A}", "B": ""}},
    {"secrets": {"KEY": "x"}, "env": {"A": "1"}},
    {"overrides": Overrides.parse(gpus="A100:2", num_nodes=3, workdir="$HOME")},
    {"overrides": Overrides.parse(infra="aws/us-east-1", use_spot=True, cpus="4+", name="n")},
]


@pytest.mark.parametrize("given", GIVEN)
def test_a_command_is_the_task_of_a_file_with_only_run(given: dict[str, object]) -> None:
    made = from_command("echo $A", **given)  # type: ignore[arg-type]
    read = loads(f"run: {json.dumps('echo $A')}\n", file="(command)", **given)  # type: ignore[arg-type]
    assert made.tasks == read.tasks
    assert (made.name, made.warnings) == (read.name, read.warnings)
    assert made.tasks[0].requests() == read.tasks[0].requests()
    assert made.tasks[0].to_yaml() == read.tasks[0].to_yaml()
    assert made.tasks[0].reserves_nothing == (not any(r.accelerators for r in read.tasks[0].requests()))


def test_variables_that_no_environment_can_hold_are_named_by_flag() -> None:
    with pytest.raises(TaskFileError) as caught:
        from_command("true", env={"A": "x\0"}, secrets={"1B": "x"})
    assert [problem.path for problem in caught.value.problems] == ["--env A", "--secret 1B"]


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        (
            "from skyx_core.task import from_command; from_command('true').tasks[0].reserves_nothing",
            ("yaml", "skyx_core.task.document", "skyx_core.task.overrides", "skyx_core.task.expand"),
        ),
        ("import skyx_local.driver", ("skyx_local.ledger", "skyx_local.capacity", "skyx_local.gpus")),
        ("import skyx_core.state.store", ("skyx_core.state.records", "skyx_core.results.clusters", "pydantic")),
    ],
)
def test_a_small_job_on_a_cluster_that_is_up_loads_little(code: str, unwanted: tuple[str, ...]) -> None:
    program = f"{code}; import sys; print([name for name in {unwanted!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.strip() == "[]"


def test_pydantic_does_not_look_for_its_plugins_unless_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "PYDANTIC_DISABLE_PLUGINS"
    for given, then in ((None, "__all__"), ("", "")):
        monkeypatch.delenv(name, raising=False)
        if given is not None:
            monkeypatch.setenv(name, given)
        assert main(["--version"]) == 0
        assert os.environ[name] == then
