"""From the words of a command line to tasks."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from skyx_core.errors import UsageError

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.task import Overrides, Task, TaskFile

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN_WORD = re.compile(r"[\w@%+=:,./~*?$\[\]{}^-]+")
_MAX_ENV_FILE = 10_000_000
NOT_RESOURCES = ("env", "env_file", "secret", "secret_file")


def is_file(app: App, words: Sequence[str]) -> bool:
    """Whether the words name a task file: ``-``, or one word that ends in .yaml or .yml, there or not."""
    if not words:
        return False
    first = words[0]
    named = first == "-" or first.lower().endswith((".yaml", ".yml"))
    if named and re.search(r"\s", first) and not os.path.exists(os.path.join(app.cwd, first)):
        named = False  # 'cat x.yaml' in quotes
    if named and len(words) > 1:
        raise UsageError(
            f"{first!r} is a task file, and more words follow it: {' '.join(words[1:])!r}",
            hint="pass one file or one command; flags go before or after it",
        )
    return named


def command_line(words: Sequence[str]) -> str:
    """One word is a script as it stands. Of several, each stays one word (blanks, quotes and operators are quoted);
    ``$NAME``, ``~`` and ``*`` are left to the shell on the node.
    """
    from shlex import quote

    if len(words) == 1:
        return words[0]
    return " ".join(word if _PLAIN_WORD.fullmatch(word) else quote(word) for word in words)


def read_variables(app: App, given: Sequence[str], files: Sequence[str], flag: str) -> dict[str, str | None]:
    """``--env``/``--secret`` over their files. Refuses names that no shell could use and variables that aren't set."""
    values: dict[str, str | None] = {}
    for file in files:
        values.update(_read_file(app, file, flag))
    for item in given:
        key, has_value, value = item.partition("=")
        if not _KEY.fullmatch(key):
            raise UsageError(
                f"{flag} {key!r} is not a name for a variable",
                hint="names hold letters, digits and underscores, and don't start with a digit",
            )
        if not has_value:
            if key not in app.environ:
                raise UsageError(
                    f"{flag} {key} takes the caller's value, but {key} is not set here",
                    hint=f"set it, or pass {flag} {key}=VALUE",
                )
            value = app.environ[key]
        values[key] = value
    return values


def _read_file(app: App, file: str, flag: str) -> Mapping[str, str]:
    from skyx_core.task import parse_env_file

    try:
        with open(os.path.join(app.cwd, file), "rb") as source:
            text = source.read(_MAX_ENV_FILE).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"{flag}-file can't be read", where=file, why=why or "", hint="pass a file of KEY=VALUE lines"
        ) from error
    return parse_env_file(text, file=file)


def overrides(flags: Mapping[str, object]) -> Overrides | None:
    """Those resource flags that were given; None: none was."""
    given = {key: list(value) if isinstance(value, tuple) else value for key, value in flags.items() if value != ()}
    if all(value is None for value in given.values()):
        return None
    from skyx_core.task import Overrides

    return Overrides.parse(**given)


def load(app: App, words: Sequence[str], flags: Mapping[str, object]) -> TaskFile:
    """The file or command, with variables and overrides applied. ``flags``: all of options.resources and .variables."""
    from skyx_core import task

    env = read_variables(app, _several(flags, "env"), _several(flags, "env_file"), "--env")
    secrets = read_variables(app, _several(flags, "secret"), _several(flags, "secret_file"), "--secret")
    over = overrides({key: value for key, value in flags.items() if key not in NOT_RESOURCES})
    if not is_file(app, words):
        return task.from_command(_whole_text(command_line(words)), env=env, secrets=secrets, overrides=over)
    if words[0] == "-":
        text = app.streams.read_all().decode("utf-8", "replace")
        return task.loads(text, file="(stdin)", env=env, secrets=secrets, overrides=over)
    return task.load(path_of(app, words[0]), env=env, secrets=secrets, overrides=over)


def _several(flags: Mapping[str, object], key: str) -> Sequence[str]:
    value = flags.get(key)
    return [str(item) for item in value] if isinstance(value, tuple | list) else []


def path_of(app: App, file: str) -> str:
    """As typed where that names it, so that messages show what the user wrote."""
    return file if os.path.realpath(app.cwd) == os.path.realpath(".") else os.path.join(app.cwd, file)


def _whole_text(text: str) -> str:
    """The text itself, if a task can carry it."""
    if "\0" in text:
        raise UsageError("The command holds a NUL character, which no process can be given")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                "The command holds bytes that are not UTF-8", hint="put it into a file and run that file"
            ) from error
    return text


def single(file: TaskFile, what: str) -> Task:
    """The only task; several are refused."""
    if len(file.tasks) != 1:
        raise UsageError(
            f"{file.file} holds {len(file.tasks)} tasks, and {what} takes one",
            why="pipelines of tasks are not run yet",
            hint="'skyx plan' and 'skyx validate' take such files; split it to run its tasks one by one",
        )
    return file.tasks[0]


def refuse_missing(task: Task, file: str) -> None:
    """A variable that the file leaves open must be given."""
    missing = list(task.missing_envs())
    if missing:
        first = missing[0]
        flag = "--secret" if first in (task.secrets or {}) else "--env"
        raise UsageError(
            f"{', '.join(missing)} must be given",
            where=file,
            why="the file names it without a value",
            hint=f"pass {flag} {first}=VALUE, or {flag} {first} to take the caller's own",
        )


def warn(app: App, file: TaskFile) -> None:
    """Say what the file asks for and will not get."""
    for problem in file.warnings:
        app.note(f"warning: {problem.render(file.file)}")
