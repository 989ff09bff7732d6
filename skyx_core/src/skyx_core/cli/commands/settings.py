"""``skyx config``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skyx_core.cli.group import SkyxGroup, command

if TYPE_CHECKING:
    from skyx_core.cli.app import App


@click.group("config", cls=SkyxGroup)
def config() -> None:
    """Show the settings and where each comes from."""


@command("show")
@click.option("--origin", is_flag=True, help="Also say where each value comes from.")
def show_settings(app: App, *, origin: bool) -> int:
    """Print every setting; secrets are hidden.

    Flag goes before SKYX_* variable, before ./.skyx.yaml, before the user's, before the system's file, before default.
    """
    from skyx_core.cli.output import dumps, emit_json, show

    rows = app.session().settings.rows()
    if app.json:
        emit_json(app, [{"key": key, "value": value, "origin": source} for key, value, source in rows])
        return 0
    cells = [(key, value if isinstance(value, str) else dumps(value), source) for key, value, source in rows]
    if origin:
        show(app, ("KEY", "VALUE", "ORIGIN"), cells)
    else:
        show(app, ("KEY", "VALUE"), [cell[:2] for cell in cells])
    return 0


config.add_command(show_settings)
