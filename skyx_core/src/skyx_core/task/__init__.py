"""Task files: YAML text to typed tasks, with every mistake named by line and column.

Nothing here reads anything but the file it is given. Names load lazily, so that importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.task.command import from_command as from_command
    from skyx_core.task.envfile import parse_env_file as parse_env_file
    from skyx_core.task.loader import load as load
    from skyx_core.task.loader import loads as loads
    from skyx_core.task.overrides import Overrides as Overrides
    from skyx_core.task.paths import check_paths as check_paths
    from skyx_core.task.resources import Resources as Resources
    from skyx_core.task.schema import json_schema as json_schema
    from skyx_core.task.sections import GitWorkdir as GitWorkdir
    from skyx_core.task.sections import Storage as Storage
    from skyx_core.task.task import Task as Task
    from skyx_core.task.taskfile import TaskFile as TaskFile

_HOME = {
    "GitWorkdir": "sections",
    "Overrides": "overrides",
    "Resources": "resources",
    "Storage": "sections",
    "Task": "task",
    "TaskFile": "taskfile",
    "check_paths": "paths",
    "from_command": "command",
    "json_schema": "schema",
    "load": "loader",
    "loads": "loader",
    "parse_env_file": "envfile",
}
__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
