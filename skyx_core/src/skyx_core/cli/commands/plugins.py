"""``skyx plugins``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from skyx_core.cli.group import SkyxCommand, SkyxGroup, with_app
from skyx_core.errors import NotFoundError

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.results import PluginInfo


@click.group("plugins", cls=SkyxGroup, invoke_without_command=True)
@click.option("--check", "load", is_flag=True, help="Load each in a process of its own.")
@click.pass_context
def plugins(ctx: click.Context, load: bool) -> int:
    """List what is installed, without importing it."""
    if ctx.invoked_subcommand is not None:
        return 0
    return with_app(_list)(load=load)


def _list(app: App, load: bool) -> int:
    rows = app.session().plugins(check=load)
    _show(app, rows, loaded=load)
    return 1 if load and any(row.status not in {"ok", "disabled"} for row in rows) else 0


def _show(app: App, rows: Sequence[PluginInfo], *, loaded: bool) -> None:
    from skyx_core.cli.output import emit_json, show

    if app.json:
        emit_json(app, list(rows))
        return
    if not rows:
        app.note("No plugin is installed.")
        return
    headers: tuple[str, ...] = ("NAME", "KIND", "DISTRIBUTION", "VERSION", "STATUS")
    cells: list[tuple[str, ...]] = [(r.name, r.kind, r.distribution, r.version, r.status) for r in rows]
    if loaded:
        headers += ("API", "LOAD_MS")
        more = [(str(r.api_version or "-"), "-" if r.load_ms is None else f"{r.load_ms:.0f}") for r in rows]
        cells = [(*a, *b) for a, b in zip(cells, more, strict=True)]
    if any(row.error for row in rows):
        headers += ("ERROR",)
        cells = [(*cell, " ".join((row.error or "").split())) for cell, row in zip(cells, rows, strict=True)]
    show(app, headers, cells)


def _info(app: App, name: str) -> int:
    """Show all that is known of the plugins of one name."""
    from skyx_core.cli.output import emit_json

    rows = [row for row in app.session().plugins(check=True) if name in (row.name, row.distribution)]
    if not rows:
        raise NotFoundError(f"No plugin named {name!r} is installed", hint="'skyx plugins' lists what is")
    if app.json:
        emit_json(app, rows)
        return 0
    for row in rows:
        fields = {
            "kind": row.kind,
            "distribution": f"{row.distribution} {row.version}",
            "status": row.status,
            "error": row.error,
            "api version": row.api_version,
            "loads in": None if row.load_ms is None else f"{row.load_ms:.0f} ms",
        }
        lines = [f"{row.name}"] + [f"  {key:<13}{value}" for key, value in fields.items() if value is not None]
        app.streams.data("\n".join(lines))
    return 0


_NAME = click.Argument(["name"], metavar="NAME")
plugins.add_command(SkyxCommand("info", callback=with_app(_info), params=[_NAME], help=_info.__doc__))
