"""What a task file asks for that is kept but not done yet, and what else deserves a word."""

from __future__ import annotations

from collections.abc import Iterator

from skyx_core.errors import Problem
from skyx_core.task.document import Document, Path, dotted
from skyx_core.task.resources import ResourceEntry
from skyx_core.task.sections import GitWorkdir, Storage
from skyx_core.task.task import Task

_NOT_YET = (
    "volumes",
    "service",
    "pool",
    "config",
    "inputs",
    "outputs",
    "event_callback",
    "experimental",
    "execution",
    "primary_tasks",
    "termination_delay",
    "api_server_access",
)
_RESOURCES_NOT_YET = ("job_recovery", "priority", "volumes")
_SIZED = "is kept; skyx counts what moving these sizes costs in plans, and does not move anything yet"
_KEPT = "is kept, but skyx does not act on it yet"


def warnings_of(task: Task, document: Document) -> list[Problem]:
    """In the order of the file."""
    found = [Problem(dotted(path), message, *document.mark(path, key=True)) for path, message in _warnings(task)]
    return sorted(found, key=lambda problem: (problem.line, problem.column))


def _warnings(task: Task) -> Iterator[tuple[Path, str]]:
    for name in task.missing_envs():
        section, flag = ("envs", "--env") if name in task.envs else ("secrets", "--secret")
        yield (section, name), f"has no value; give it with {flag} {name}=VALUE"
    if isinstance(task.workdir, GitWorkdir):
        yield ("workdir",), f"a repository as workdir {_KEPT}"
    for target, mount in task.file_mounts.items():
        if isinstance(mount, Storage) or "://" in mount:
            yield ("file_mounts", target), f"storage {_KEPT}"
    for name in _NOT_YET:
        if getattr(task, name) not in (None, {}, ()):
            yield (name,), _SIZED if name == "outputs" else _KEPT
    yield from _of_resources(task.resources, ("resources",))
    for group in ("any_of", "ordered"):
        for i, entry in enumerate(getattr(task.resources, group)):
            yield from _of_resources(entry, ("resources", group, i))


def _of_resources(entry: ResourceEntry, path: Path) -> Iterator[tuple[Path, str]]:
    for name in _RESOURCES_NOT_YET:
        if getattr(entry, name) is not None:
            yield (*path, name), _KEPT
    if entry.autostop and len(path) > 1:
        yield (*path, "autostop"), "is left out here; it belongs beside the alternatives, under resources"
    if entry.autostop and entry.autostop.hook:
        yield (*path, "autostop", "hook"), _KEPT
