"""From a scenario's file to the scenario, or to every mistake in it with its line and column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from pathlib import Path

from skyx_core.api import Problem, ScenarioError, Task, TaskFileError, loads
from skyx_sim.checking import checked, dotted
from skyx_sim.references import references
from skyx_sim.scenario import Scenario
from skyx_sim.tree import Tree, Unreadable, is_mapping, read_tree

Located = tuple[str, Problem]  # with the file's name
_NO_TASK = Task()
_MOST_BYTES = 4 << 20
_MOST_SHOWN = 20
_HINT = "mend the lines named above; examples/scenarios holds scenarios to start from"


def load_scenario(path: Path, *, known_rules: Callable[[], Collection[str]] = tuple) -> Scenario:
    """Read and check a file. ``ScenarioError`` names every mistake, also those in the task, as ``file:line:column``.
    ``known_rules``: says which clouds have rules installed, besides those that skyx_sim can imitate.
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
    task, wrong = _task(tree, text, file, folder)
    found = checked(tree.data, task or _NO_TASK, tree)
    asked = [request.cloud for request in task.requests() if request.cloud] if task else []
    problems = [] if isinstance(found, Scenario) else found
    for keys, message, near in references(tree.data, asked, known_rules):
        problems.append(Problem(dotted(keys), message, *tree.mark(keys), near))
    if not problems and not wrong and isinstance(found, Scenario):
        return found
    raise _error(file, problems, wrong)


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


def _task(tree: Tree, text: str, file: str, folder: Path | None) -> tuple[Task | None, list[Located]]:
    """The task (the content of a task file, or the path of one), or the mistakes in it."""
    try:
        tasks = _tasks(tree, text, file, folder)
    except TaskFileError as error:
        return None, [(error.file, problem) for problem in error.problems]
    if len(tasks) != 1:
        problem = Problem("task", "a scenario searches for one task, not a pipeline", *tree.mark(("task",)))
        return None, [(file, problem)]
    return tasks[0], []


def _tasks(tree: Tree, text: str, file: str, folder: Path | None) -> Sequence[Task]:
    data, mark = tree.data, tree.mark(("task",))
    value = data.get("task") if isinstance(data, dict) else None
    if isinstance(value, str) and value:
        path = (folder or Path()) / value
        try:
            return loads(path.read_text(encoding="utf-8-sig"), file=str(path)).tasks
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            message = f"the task file {path} can't be read: {reason}"
            raise TaskFileError(file, [Problem("task", message, *mark)]) from None
    if not is_mapping(value):
        message = "the task is missing: write what a task file holds, or the path of one"
        raise TaskFileError(file, [Problem("task", message, *mark)])
    line, column, start, end = tree.spans[("task",)]
    return loads("\n" * (line - 1) + " " * (column - 1) + text[start:end], file=file).tasks


def _error(file: str, problems: Sequence[Problem], others: Sequence[Located] = ()) -> ScenarioError:
    """In the order of lines; ``others``: with the file that they are in, which may be the task's own."""
    known = dict.fromkeys([*((file, problem) for problem in problems), *others])
    ordered = sorted(known, key=lambda each: (each[0] != file, each[1].line, each[1].column))
    (name, first), count = ordered[0], len(ordered)
    lines = [problem.render(at) for at, problem in ordered[:_MOST_SHOWN]]
    if count > _MOST_SHOWN:
        lines.append(f"... and {count - _MOST_SHOWN} more")
    where = f"{name}:{first.line}:{first.column}" if first.line else name
    what = f"the scenario has {count} mistake{'s' if count != 1 else ''}"
    return ScenarioError(what, where=where, why="\n".join(lines), hint=_HINT)
