"""A command becomes the very task that a file of one line would give."""

from __future__ import annotations

import json

import pytest

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
