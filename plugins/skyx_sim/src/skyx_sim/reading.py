"""From a scenario's file to the scenario, or to every mistake in it with its line and column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError  # noqa: TID253 - reached only with a scenario at hand

from skyx_core.api import Problem, ScenarioError, Task, loads
from skyx_sim.references import references
from skyx_sim.scenario import Scenario
from skyx_sim.tree import Tree, Unreadable, is_mapping, read_tree

if TYPE_CHECKING:
    from skyx_sim.tree import Path as Keys

_MOST_BYTES = 4 << 20
_MOST_SHOWN = 20
_HINT = "mend the lines named above; examples/scenarios holds scenarios to start from"


def load_scenario(path: Path, *, known_rules: Callable[[], Collection[str]] = tuple) -> Scenario:
    """Read and check a file. ``ScenarioError`` names every mistake as ``file:line:column``; ``TaskFileError`` those in
    the task. ``known_rules``: says which clouds have rules installed, besides those that skyx_sim can imitate.
    """
    return parse_scenario(_read(path), file=str(path), folder=path.parent, known_rules=known_rules)


def parse_scenario(
    text: str, *, file: str = "<string>", folder: Path | None = None, known_rules: Callable[[], Collection[str]] = tuple
) -> Scenario:
    """As ``load_scenario``, of text. ``folder``: where the path of a task file starts."""
    try:
        tree = read_tree(text)
    except Unreadable as error:
        raise _error(file, [Problem("", error.message, *error.mark)]) from None
    if not is_mapping(tree.data):
        message = "the file is empty" if tree.data is None else "expected a mapping with task and clouds"
        raise _error(file, [Problem("", message, 1, 1)])
    assert isinstance(tree.data, dict)
    data = dict(tree.data)
    data["task"] = _task(tree, text, file, folder)
    try:
        scenario = Scenario.model_validate(data)
    except ValidationError as error:
        raise _error(file, _problems(error, tree)) from None
    wrong = [
        Problem(_dotted(keys), message, *tree.mark(keys), near)
        for keys, message, near in references(scenario, known_rules)
    ]
    if wrong:
        raise _error(file, wrong)
    return scenario


def _read(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():
            raise ScenarioError("this is not a file", where=str(path), hint="pass the path of a scenario's file")
        with path.open("rb") as stream:
            raw = stream.read(_MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:
            raise ScenarioError("the file is too large for a scenario", where=str(path), why="it has more than 4 MiB")
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        near = get_close_matches(path.name, _names(path.parent), 1)
        hint = f"did you mean {path.parent / near[0]}?" if near else "pass the path of a scenario's file"
        raise ScenarioError("there is no such file", where=str(path), hint=hint) from None
    except UnicodeDecodeError as error:
        raise ScenarioError("the file is not UTF-8 text", where=str(path), why=f"at byte {error.start}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ScenarioError("the file can't be read", where=str(path), why=reason) from None


def _names(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir() if entry.suffix in (".yaml", ".yml")][:1000]
    except OSError:
        return []


def _task(tree: Tree, text: str, file: str, folder: Path | None) -> Task:
    """The task: the content of a task file, or the path of one."""
    data = tree.data
    value = data.get("task") if isinstance(data, dict) else None
    if isinstance(value, str) and value:
        path = (folder or Path()) / value
        try:
            tasks = loads(path.read_text(encoding="utf-8-sig"), file=str(path)).tasks
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            problem = Problem("task", f"the task file {path} can't be read: {reason}", *tree.mark(("task",)))
            raise _error(file, [problem]) from None
    elif is_mapping(value):
        line, column, start, end = tree.spans[("task",)]
        tasks = loads("\n" * (line - 1) + " " * (column - 1) + text[start:end], file=file).tasks
    else:
        message = "the task is missing: write what a task file holds, or the path of one"
        raise _error(file, [Problem("task", message, *tree.mark(("task",)))])
    if len(tasks) != 1:
        raise _error(file, [Problem("task", "a scenario searches for one task, not a pipeline", *tree.mark(("task",)))])
    return tasks[0]


def _problems(error: ValidationError, tree: Tree) -> list[Problem]:
    found: dict[tuple[str, str], Problem] = {}
    errors = error.errors(include_url=False, include_input=False)
    for each in errors:
        keys: Keys = tuple(part for part in each["loc"] if part != "[key]")
        near = ""
        message = each["msg"].removeprefix("Value error, ")
        if each["type"] == "extra_forbidden":
            near = next(iter(get_close_matches(str(keys[-1]), _fields(keys[:-1]), 1)), "")
            message = "unknown field"
        elif each["type"] == "missing":
            message = "this field is missing"
        elif each["type"] == "too_short":
            if any(
                len(other["loc"]) > len(each["loc"]) and other["loc"][: len(each["loc"])] == each["loc"]
                for other in errors
            ):
                continue  # what should have been in it is wrong
            message = "at least one is needed"
        path = _dotted(keys)
        found.setdefault((path, message), Problem(path, message, *tree.mark(keys), near))
    return list(found.values())


def _fields(keys: Keys) -> list[str]:
    """Names of the fields of the model at a place in the file."""
    model: type[BaseModel] = Scenario
    for key in keys:
        if isinstance(key, str):
            model = _below(model, key) or model
    return list(model.model_fields)


def _below(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    info = model.model_fields.get(name)
    return next(_models(info.annotation), None) if info is not None else None


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """Every model that an annotation mentions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _models(part)


def _dotted(keys: Keys) -> str:
    return ".".join(str(key) for key in keys)


def _error(file: str, problems: Sequence[Problem]) -> ScenarioError:
    ordered = sorted(problems, key=lambda problem: (problem.line, problem.column))
    first = ordered[0]
    lines = [problem.render(file) for problem in ordered[:_MOST_SHOWN]]
    if len(ordered) > _MOST_SHOWN:
        lines.append(f"... and {len(ordered) - _MOST_SHOWN} more")
    where = f"{file}:{first.line}:{first.column}" if first.line else file
    count = f"{len(ordered)} mistake{'s' if len(ordered) != 1 else ''}"
    return ScenarioError(f"the scenario has {count}", where=where, why="\n".join(lines), hint=_HINT)
