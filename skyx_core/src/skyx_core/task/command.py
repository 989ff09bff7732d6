"""A task of one command, made without reading any YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skyx_core.errors import TaskFileError
from skyx_core.task.given import NOTHING, Given, check_given
from skyx_core.task.resources import Resources
from skyx_core.task.task import Task
from skyx_core.task.taskfile import TaskFile

if TYPE_CHECKING:
    from skyx_core.task.overrides import Overrides

NAME = "(command)"
_GIVEN = ("run", "envs", "secrets")


def from_command(
    run: str, *, env: Given = NOTHING, secrets: Given = NOTHING, overrides: Overrides | None = None
) -> TaskFile:
    """As ``loads`` of a file that holds only ``run``: text that UTF-8 can hold, without NUL.

    Raises ``TaskFileError`` with all mistakes of the variables.
    """
    problems = [*check_given("--env", env), *check_given("--secret", secrets)]
    if problems:
        raise TaskFileError(NAME, problems)
    # All values are checked: validating would first build the validators of every section, at a fifth of the start-up.
    task = Task.model_construct(
        run=run, envs=dict(env), secrets=dict(secrets), resources=Resources.model_construct(), _fields_set=set(_GIVEN)
    )
    if overrides:
        from skyx_core.task.overrides import apply

        task = apply(task, overrides)
    return TaskFile(NAME, task.name, (task,))
