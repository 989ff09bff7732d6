"""``skyx validate``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skyx_core.cli.group import command
from skyx_core.errors import Problem, TaskFileError, UsageError

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.task import Task, TaskFile


@dataclass(frozen=True)
class Verdict:
    """What was found in one file."""

    file: str
    ok: bool
    tasks: int
    errors: list[Problem]
    warnings: list[Problem]


@command("validate")
@click.argument("files", nargs=-1, metavar="FILE...", type=click.Path())
def validate(app: App, *, files: Sequence[str]) -> int:
    """Check task files by themselves.

    Nothing outside the file makes it wrong: variables without a value, local paths that are missing and clouds that
    are not installed are warnings. Ends with 2 if any file has a mistake.
    """
    if not files:
        raise UsageError("validate needs at least one file", hint="skyx validate FILE...")
    verdicts = [_check(app, file) for file in files]
    if app.json:
        from skyx_core.cli.output import emit_json

        emit_json(app, verdicts)
    else:
        for verdict in verdicts:
            app.streams.data(_text(verdict))
    return 0 if all(verdict.ok for verdict in verdicts) else TaskFileError.exit_code


def _text(verdict: Verdict) -> str:
    lines = [f"error: {problem.render(verdict.file)}" for problem in verdict.errors]
    lines += [f"warning: {problem.render(verdict.file)}" for problem in verdict.warnings]
    plural = "s" if verdict.tasks != 1 else ""
    head = f"{verdict.file}: ok, {verdict.tasks} task{plural}" if verdict.ok else f"{verdict.file}: not valid"
    return "\n".join([head, *(f"  {line}" for line in lines)])


def _check(app: App, name: str) -> Verdict:
    from skyx_core.cli import words

    try:
        file = words.load(app, [name], {}) if name == "-" else _load(app, name)
    except TaskFileError as error:
        return Verdict(name, False, 0, list(error.problems), [])
    except OSError as error:
        return Verdict(name, False, 0, [Problem("", f"can't be read: {error.strerror or error}")], [])
    warnings = [*file.warnings]
    for task in file.tasks:
        warnings += _warnings(app, task)
    return Verdict(name, True, len(file.tasks), [], warnings)


def _load(app: App, name: str) -> TaskFile:
    from skyx_core import task
    from skyx_core.cli.words import path_of

    return task.load(path_of(app, name))


def _warnings(app: App, task: Task) -> list[Problem]:
    from skyx_core.task import check_paths

    found = [*check_paths(task, Path(app.cwd))]
    clouds = sorted({request.cloud for request in task.requests() if request.cloud})
    if clouds:
        installed = {row.name for row in app.session().plugins() if row.kind == "cloud"}
        found += [
            Problem("resources.infra", f"the cloud {cloud!r} is not installed here")
            for cloud in clouds
            if cloud not in installed
        ]
    return found
