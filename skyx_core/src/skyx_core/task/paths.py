"""What a task wants to copy from here: is it there?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from skyx_core.errors import Problem
from skyx_core.task.sections import Storage
from skyx_core.task.task import Task


def check_paths(task: Task, cwd: Path) -> tuple[Problem, ...]:
    """Local sources that are missing, seen from ``cwd``. Looks at the disk, changes nothing."""
    return tuple(_missing(task, cwd))


def _missing(task: Task, cwd: Path) -> Iterator[Problem]:
    if isinstance(task.workdir, str) and task.workdir:
        if not _exists(task.workdir, cwd):
            yield Problem("workdir", f"no such directory: {task.workdir}")
        elif not (cwd / Path(task.workdir).expanduser()).is_dir():
            yield Problem("workdir", f"not a directory: {task.workdir}")
    for target, mount in task.file_mounts.items():
        for source in mount.source if isinstance(mount, Storage) else (mount,):
            if "://" not in source and not _exists(source, cwd):
                yield Problem(f"file_mounts.{target}", f"no such file: {source}")


def _exists(path: str, cwd: Path) -> bool:
    try:
        return (cwd / Path(path).expanduser()).exists()
    except (OSError, RuntimeError, ValueError):
        return False
