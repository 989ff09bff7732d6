"""``skyx classify``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from skyx_core.cli.group import command
from skyx_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TextIO

    from skyx_core.cli.app import App
    from skyx_core.cli.ports import ClassifiedView
    from skyx_core.results import Json

_MOST_PROBLEMS = 20  # shown
_HEADERS = ("ID", "CATEGORY", "BLOCK", "FOR", "THEN", "RULE", "HINT")


@command("classify")
@click.argument("cloud")
@click.argument("file", metavar="FILE.jsonl")
def classify(app: App, *, cloud: str, file: str) -> int:
    """Say what recorded errors of a cloud would do.

    Each line of the file (- = standard input) is a JSON object {id, cloud, api, error, context}. Lines of other
    clouds are skipped. Your own rules in rules.yaml go first.
    """
    from skyx_core.cli.output import emit_json, show

    result = app.session().classify(cloud, _lines(app, file))
    rows: list[tuple[str, ...]] = []
    try:
        for row in result:
            if app.json:
                emit_json(app, row)
            else:
                rows.append(_cells(row))
    finally:  # what came before a line that ends it all is shown before that is told
        if rows:
            show(app, _HEADERS, rows, fit=True)
        _show_problems(app, result)
    return 2 if result.problems else 0


def _show_problems(app: App, result: ClassifiedView) -> None:
    for problem in result.problems[:_MOST_PROBLEMS]:
        app.note(problem)
    if len(result.problems) > _MOST_PROBLEMS:
        app.note(f"... and {len(result.problems) - _MOST_PROBLEMS} more lines with mistakes")
    if result.skipped:
        app.note(f"{result.skipped} line{'s' if result.skipped != 1 else ''} of other clouds skipped")


def _lines(app: App, file: str) -> Iterator[str]:
    """Of the file, as they come; ``UsageError`` where they can't be read or are no text."""
    try:
        with _opened(app, file) as stream:
            for number, line in enumerate(stream, 1):
                if "\0" in line:
                    raise _unreadable(file, f"line {number} holds binary data, no text")
                yield line
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else ""
        raise _unreadable(file, why or str(error)) from error


def _opened(app: App, file: str) -> TextIO:
    from skyx_core.cli.words import path_of

    if file != "-":
        return open(path_of(app, file), encoding="utf-8-sig", errors="replace")
    if sys.stdin is None:
        raise _unreadable(file, "standard input is closed")
    return open(sys.stdin.fileno(), encoding="utf-8-sig", errors="replace", closefd=False)


def _unreadable(file: str, why: str) -> UsageError:
    where = "standard input" if file == "-" else file
    hint = "pass a file with a JSON object a line, or - and send such lines to standard input"
    return UsageError("the recorded errors can't be read", where=where, why=why, hint=hint)


def _cells(row: Mapping[str, Json]) -> tuple[str, ...]:
    then = "abort" if row["abort"] else "retry here" if row["retry_same"] else "next candidate"
    return (
        "-" if row["id"] in (None, "") else str(row["id"]),
        str(row["category"]),
        str(row["block"]),
        str(row["ttl"]),
        then,
        str(row["rule"]),
        str(row["hint"]),
    )
