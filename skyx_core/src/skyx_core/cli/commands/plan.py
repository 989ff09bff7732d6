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
@click.option("--limit", type=click.IntRange(1, 100_000), metavar="N", help="Only the first N candidates.")
@options.variables
@options.resources
def plan(app: App, *, entrypoint: Sequence[str], limit: int | None, **flags: object) -> int:
    """Show where a task could run, at what price, and why not elsewhere.

    Changes nothing and needs no credentials.
    """
    from skyx_core.cli import words
    from skyx_core.cli.output import emit_json
    from skyx_core.cli.planview import SHOWN, render

    if not entrypoint and not any(value not in (None, ()) for value in flags.values()):
        raise UsageError("plan needs a task file, a command, or flags such as --gpus", hint="skyx plan FILE")
    file = words.load(app, entrypoint or ["true"], flags)
    words.warn(app, file)
    session = app.session()
    plans = [session.plan(task, limit=limit) for task in file.tasks]
    if app.json:
        emit_json(app, {"tasks": plans})
    else:
        texts = [
            render(app, one, tty=app.streams.out_tty, autostop=task.autostop, limit=limit or SHOWN)
            for one, task in zip(plans, file.tasks, strict=True)
        ]
        app.streams.data("\n\n".join(texts), painted=True)
    return 0 if all(one.candidates for one in plans) else 5
