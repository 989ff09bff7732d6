"""``skyx show-gpus`` and ``skyx catalog list``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from skyx_core.cli.group import SkyxGroup, command

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.results import OfferRow

_HEADERS = ("GPUS", "CLOUD", "TYPE", "VCPUS", "MEM_GB", "SPOT", "$/H", "REGION", "ZONE")


def _show(app: App, rows: Sequence[OfferRow], *, nothing: str) -> None:
    from skyx_core.cli.output import accelerators, emit_json, show, usd

    if app.json:
        emit_json(app, list(rows))
    elif not rows:
        app.note(nothing)
    else:
        cells = [
            (
                accelerators(row.accelerators),
                row.cloud,
                row.instance_type,
                f"{row.cpus:g}",
                f"{row.memory_gb:g}",
                "yes" if row.use_spot else "no",
                usd(row.hourly_usd),
                row.region,
                row.zone or "-",
            )
            for row in rows
        ]
        show(app, _HEADERS, cells)


@command("show-gpus")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--cloud", metavar="CLOUD", help="Only this cloud.")
def show_gpus(app: App, *, name: str | None, cloud: str | None) -> int:
    """List accelerators on offer and their prices.

    Without a name, all of them; from the catalogue on this machine, never from the network.
    """
    wanted = name.partition(":")[0] if name else None
    count = float(name.partition(":")[2] or 0) if name and name.partition(":")[2].isdigit() else 0
    rows = [row for row in app.session().offers(wanted, cloud) if row.accelerators]
    if count:
        rows = [row for row in rows if count in row.accelerators.values()]
    _show(app, rows, nothing=f"No {name or 'accelerator'} is on offer in the clouds that are installed.")
    return 0


@click.group("catalog", cls=SkyxGroup)
def catalog() -> None:
    """Look into the catalogue of offers."""


@command("list")
@click.option("--cloud", metavar="CLOUD", help="Only this cloud.")
@click.option("--gpus", metavar="NAME", help="Only offers with this accelerator.")
def list_offers(app: App, *, cloud: str | None, gpus: str | None) -> int:
    """List all offers, cheapest first within a cloud."""
    _show(app, app.session().offers(gpus, cloud), nothing="No offer in the clouds that are installed.")
    return 0


catalog.add_command(list_offers)
