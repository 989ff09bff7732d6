"""Task files: text in, tasks or every mistake out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError  # noqa: TID253 - reached only with models at hand

from skyx_core.errors import Problem, TaskFileError
from skyx_core.task import document as documents
from skyx_core.task.given import NOTHING, Given, check_given
from skyx_core.task.mistakes import kind_of
from skyx_core.task.overrides import Overrides, apply
from skyx_core.task.problems import problems_of, unknown_fields
from skyx_core.task.scalars import Unreadable
from skyx_core.task.task import Task
from skyx_core.task.taskfile import TaskFile
from skyx_core.task.warn import warnings_of

PIPELINE_FIELDS = frozenset({"name", "execution", "primary_tasks", "termination_delay"})


def load(
    path: str | Path,
    *,
    env: Given = NOTHING,
    secrets: Given = NOTHING,
    overrides: Overrides | None = None,
    lenient: bool = False,
) -> TaskFile:
    """Read and check one file. Raises ``TaskFileError`` with all its mistakes, also when it can't be read.

    ``env``, ``secrets``: values of the command line, over those of the file; None = still to be given.
    ``lenient``: unknown fields are warnings, for files that a newer release wrote.
    """
    from skyx_core.task.source import read_text

    text = read_text(Path(path))
    return loads(text, file=str(path), env=env, secrets=secrets, overrides=overrides, lenient=lenient)


def loads(
    text: str,
    *,
    file: str = "<string>",
    env: Given = NOTHING,
    secrets: Given = NOTHING,
    overrides: Overrides | None = None,
    lenient: bool = False,
) -> TaskFile:
    """As ``load``, of text. A leading byte order mark is left out."""
    try:
        found = documents.read(text.removeprefix("\ufeff"))
    except Unreadable as error:
        raise TaskFileError(file, [Problem("", error.message, *error.mark)]) from None
    problems = [*check_given("--env", env), *check_given("--secret", secrets)]
    given = {} if problems else {"envs": env, "secrets": secrets}
    if not found:
        problems.append(Problem("", "the file holds no task; write at least 'run: ...'", 1, 1))
    warnings: list[Problem] = []
    tasks: list[Task] = []
    header = _is_header(found)
    for position, document in enumerate(found):
        problems.extend(document.problems)
        if not problems or isinstance(document.data, dict):
            task, more = _task(document, {} if header and position == 0 else given, lenient=lenient)
            (problems if task is None else warnings).extend(more)
            tasks.extend([task] if task else [])
    if problems:
        raise TaskFileError(file, _in_order(problems)[: documents.MAX_PROBLEMS])
    steps = [apply(task, overrides) if overrides else task for task in tasks[header:]]
    name = tasks[0].name if header else steps[0].name if len(steps) == 1 else None
    return TaskFile(file, name, tuple(steps), tuple(warnings), text, tasks[0] if header else None)


def _in_order(problems: list[Problem]) -> list[Problem]:
    return sorted(dict.fromkeys(problems), key=lambda problem: (problem.line, problem.column))


def _is_header(found: list[documents.Document]) -> bool:
    """Whether the first of several documents only names the pipeline."""
    data = found[0].data if len(found) > 1 else None
    return isinstance(data, dict) and data.keys() <= PIPELINE_FIELDS


def _task(
    document: documents.Document, given: Mapping[str, Given], *, lenient: bool
) -> tuple[Task | None, list[Problem]]:
    """The task and its warnings, or nothing and its mistakes."""
    if not isinstance(document.data, dict):
        message = f"a task is a mapping such as 'run: ...', got {kind_of(document.data)}"
        return None, [Problem("", message, *document.mark(()))]
    data: dict[str, object] = dict(document.data)
    for section, values in given.items():
        data[section] = _merged(data.get(section), values)
    try:
        task = Task.model_validate(data)
    except ValidationError as error:
        unknown = unknown_fields(error, data) if lenient else []
        if not unknown:
            said = {problem.path for problem in document.problems}
            return None, [problem for problem in problems_of(error, document, Task) if problem.path not in said]
        return _without(unknown, document, given)
    return task, warnings_of(task, document)


def _without(
    unknown: list[documents.Path], document: documents.Document, given: Mapping[str, Given]
) -> tuple[Task | None, list[Problem]]:
    notes = [
        Problem(documents.dotted(path), "unknown field, left out", *document.mark(path, key=True)) for path in unknown
    ]
    document.data = _pruned(document.data, frozenset(unknown), ())
    task, problems = _task(document, given, lenient=False)
    return task, _in_order([*notes, *problems]) if task else problems


def _pruned(data: object, unknown: frozenset[documents.Path], path: documents.Path) -> object:
    if isinstance(data, dict):
        kept = {key: value for key, value in data.items() if (*path, key) not in unknown}
        return {key: _pruned(value, unknown, (*path, key)) for key, value in kept.items()}
    if isinstance(data, list):
        return [_pruned(value, unknown, (*path, i)) for i, value in enumerate(data)]
    return data


def _merged(own: object, given: Given) -> object:
    """The file's variables under those of the command line; a value that is None takes nothing away."""
    if not given or not (own is None or isinstance(own, dict)):
        return own
    base: dict[str, object] = dict(own or {})
    for key, value in given.items():
        if value is not None or key not in base:
            base[key] = value
    return base
