"""What one task file, or one command, comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from skyx_core.errors import Problem
    from skyx_core.task.task import Task


class TaskFile(NamedTuple):
    """What one file holds. ``name``: of the pipeline, or of the only task. ``text`` may hold secrets."""

    file: str
    name: str | None
    tasks: tuple[Task, ...]
    warnings: tuple[Problem, ...] = ()
    text: str = ""
    header: Task | None = None  # the first document of a pipeline, if it only names it

    def __repr__(self) -> str:
        return f"TaskFile(file={self.file!r}, name={self.name!r}, tasks={self.tasks!r}, warnings={self.warnings!r})"
