"""``skyx plan``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from skyx_core.cli import options
from skyx_core.cli.group import command
from skyx_core.errors import UsageError

if TYPE_CHECKING:
    from skyx_core.cli.app import App


@command("plan", takes_command=True)
@options.entrypoint
@click.option(
    "--limit", type=click.IntRange(1, 1_000_000), metavar="N", help="The first N candidates; else 12 as text."
)
@options.optimize
@click.option("--near", is_flag=True, help="Show what fits nearly, even if something fits.")
@click.option("--catalogued", is_flag=True, help="Also clouds of which only a catalogue is here.")
@options.max_hourly_cost
@options.variables
@options.resources
def plan(
    app: App,
    *,
    entrypoint: Sequence[str],
    limit: int | None,
    optimize: str | None,
    near: bool,
    catalogued: bool,
    **flags: object,
) -> int:
    """Show where a task could run, at what price, and why not elsewhere.

    Changes nothing and needs no credentials.
    """
    from skyx_core.cli import words
    from skyx_core.cli.output import emit_json
    from skyx_core.cli.planview import SHOWN, render_all

    if not entrypoint and not any(value not in (None, ()) for value in flags.values()):
        raise UsageError("plan needs a task file, a command, or flags such as --gpus", hint="skyx plan FILE")
    file = words.load(app, entrypoint or ["true"], flags)
    words.warn(app, file)
    found = app.session().plan_pipeline(
        file.tasks,
        limit=limit if app.json else limit or SHOWN,
        optimize=optimize,
        near=near,
        catalogued=catalogued,
        parallel=file.header is not None and file.header.execution == "parallel",
    )
    if app.json:
        emit_json(app, found)
    else:
        autostops = [task.autostop for task in file.tasks]
        app.streams.data(render_all(app, found, autostops, tty=app.streams.out_tty), painted=True)
    return 0 if all(one.candidates for one in found.tasks) else 5
