"""``skyx classify``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skyx_core.cli.group import command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skyx_core.cli.app import App
    from skyx_core.results import Json

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

    with click.open_file(file, encoding="utf-8", errors="replace") as lines:
        result = app.session().classify(cloud, lines)
        rows: list[tuple[str, ...]] = []
        for row in result:
            if app.json:
                emit_json(app, row)
            else:
                rows.append(_cells(row))
    if rows:
        show(app, _HEADERS, rows)
    for problem in result.problems:
        app.note(problem)
    if result.skipped:
        app.note(f"{result.skipped} line{'s' if result.skipped != 1 else ''} of other clouds skipped")
    return 2 if result.problems else 0


def _cells(row: Mapping[str, Json]) -> tuple[str, ...]:
    then = "abort" if row["abort"] else "retry here" if row["retry_same"] else "next candidate"
    return (
        str(row["id"]) or "-",
        str(row["category"]),
        str(row["block"]),
        str(row["ttl"]),
        then,
        str(row["rule"]),
        str(row["hint"]),
    )
