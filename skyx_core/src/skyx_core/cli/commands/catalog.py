"""``skyx show-gpus`` and ``skyx catalog``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import click

from skyx_core.cli.group import SkyxGroup, command
from skyx_core.cli.options import WholeNumber
from skyx_core.errors import SkyxError
from skyx_core.spans import span

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.results import CatalogChange, CatalogInfo, GpuRow, OfferRow

_OFFERS = ("GPUS", "CLOUD", "TYPE", "VCPUS", "MEM_GB", "SPOT", "$/H", "REGION", "ZONE")
_GPUS = ("GPUS", "CLOUD", "$/H", "TYPE", "REGION", "SPOT_$/H", "SPOT_REGION")
_INFOS = ("CLOUD", "OFFERS", "AGE", "SOURCE", "STATE")
_SHOWN = 100  # rows of a text, unless told otherwise
_CHUNK = 1000
_TOLD_EVERY_S = 2.0


@command("show-gpus")
@click.argument("name", required=False, metavar="[NAME[:N]]")
@click.option("--cloud", metavar="CLOUD", help="Only this cloud.")
def show_gpus(app: App, *, name: str | None, cloud: str | None) -> int:
    """List accelerators on offer and their prices.

    The lowest price of each cloud, on demand and spot, by accelerator and number; from the catalogues on this machine,
    never from the network. 'skyx catalog list --gpus NAME' has every offer.
    """
    from skyx_core.cli.output import emit_json, show

    report = app.session().gpus(name, cloud)
    if app.json:
        emit_json(app, report.rows)
    elif report.rows:
        show(app, _GPUS, [_gpu_cells(row) for row in report.rows])
    for problem in report.problems:
        app.note(problem)
    if not report.rows and not report.problems:
        app.note(f"No {name or 'accelerator'} is on offer. 'skyx catalog info' lists the catalogues on this machine.")
    return 0


def _gpu_cells(row: GpuRow) -> tuple[str, ...]:
    from skyx_core.cli.output import accelerators, usd

    regular, spot = row.hourly_usd, row.spot_hourly_usd
    return (
        accelerators(row.accelerators),
        row.cloud,
        "-" if regular is None else usd(regular),
        row.instance_type or row.spot_instance_type or "-",
        row.region or "-",
        "-" if spot is None else usd(spot),
        row.spot_region or "-",
    )


@click.group("catalog", cls=SkyxGroup)
def catalog() -> None:
    """Look into the catalogues of offers, import and update them."""


@command("list")
@click.option("--cloud", metavar="CLOUD", help="Only this cloud.")
@click.option("--region", metavar="REGION", help="Only this region.")
@click.option("--gpus", metavar="NAME[:N]", help="Only offers with this accelerator.")
@click.option(
    "--limit",
    type=WholeNumber(0, 10**9),
    metavar="N",
    help=f"At most so many; 0 = all. Text shows {_SHOWN} unless told otherwise, JSON all.",
)
def list_offers(app: App, *, cloud: str | None, region: str | None, gpus: str | None, limit: int | None) -> int:
    """List offers, cheapest first within a cloud.

    From the catalogues on this machine, and from installed clouds that have none.
    """
    most = (None if app.json else _SHOWN) if limit is None else limit or None
    found = app.session().offers(gpus, cloud, region=region, limit=None if most is None else most + 1)
    rows = iter(found)
    shown = islice(rows, most)
    count = _stream_json(app, shown) if app.json else _stream_text(app, shown)
    for problem in found.problems:
        app.note(problem)
    if next(rows, None) is not None:
        app.note(f"There are more than {count}; --limit 0 shows all.")
    if not count and not found.problems:
        app.note("No such offer. 'skyx catalog info' lists the catalogues on this machine.")
    return 0


def _stream_json(app: App, rows: Iterator[OfferRow]) -> int:
    """One array, written as the rows come."""
    from skyx_core.cli.output import dumps

    count = 0
    while chunk := list(islice(rows, _CHUNK)):
        app.streams.raw((("," if count else "[") + ",".join(map(dumps, chunk))).encode())
        count += len(chunk)
    app.streams.raw(b"]\n" if count else b"[]\n")
    return count


def _stream_text(app: App, rows: Iterator[OfferRow]) -> int:
    from skyx_core.cli.output import plain, show

    count = 0
    while chunk := [_offer_cells(row) for row in islice(rows, _CHUNK)]:
        if count:
            app.streams.data(plain(_OFFERS, chunk).partition("\n")[2])
        else:
            show(app, _OFFERS, chunk)
        count += len(chunk)
    return count


def _offer_cells(row: OfferRow) -> tuple[str, ...]:
    from skyx_core.cli.output import accelerators, usd

    return (
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


@command("info")
def info(app: App) -> int:
    """Say which catalogues are on this machine, how old and how long they are."""
    from skyx_core.cli.output import emit_json, show

    infos = app.session().catalogues()
    if app.json:
        emit_json(app, infos)
    elif infos:
        show(app, _INFOS, [_info_cells(one) for one in infos])
    else:
        app.note("No catalogue is on this machine. 'skyx catalog import CLOUD FILE.csv' brings one.")
    return 1 if any(one.error for one in infos) else 0


def _info_cells(one: CatalogInfo) -> tuple[str, ...]:
    age = "-" if one.age_seconds is None else span(one.age_seconds)
    state = one.error or ("ok" if one.installed else "no plugin: skyx plan --catalogued")
    return (one.cloud, "-" if one.error else str(one.rows), age, one.source or one.path, state)


@command("import")
@click.argument("cloud")
@click.argument("file", metavar="FILE.csv")
def import_csv(app: App, *, cloud: str, file: str) -> int:
    """Replace the catalogue of a cloud by a CSV file.

    The first line names the columns, in any order: InstanceType, vCPUs, MemoryGiB, Region, Price and SpotPrice (dollars
    per hour; one of them will do), and, where there are such, AcceleratorName, AcceleratorCount, AvailabilityZone and
    GpuInfo. FILE may be compressed by gzip; - = standard input. No plugin for the cloud is needed.
    """
    session = app.session()
    if file == "-":
        with click.open_file("-", "rb") as stream:
            change = session.import_catalog(cloud, stream, tell=teller(app))
    else:
        change = session.import_catalog(cloud, file, tell=teller(app))
    _show_changes(app, change, [change])
    return 0


def teller(app: App) -> Callable[[str], None]:
    """Says every few seconds how far it is; nothing of what is done sooner."""
    last = app.clock.monotonic()
    quiet = app.progress_mode() in ("quiet", "json")

    def tell(text: str) -> None:
        nonlocal last
        now = app.clock.monotonic()
        if not quiet and now - last >= _TOLD_EVERY_S:
            last = now
            app.note(f"- {text}")

    return tell


@command("update")
@click.argument("clouds", nargs=-1, metavar="[CLOUD]...")
def update(app: App, *, clouds: Sequence[str]) -> int:
    """Ask clouds for what they offer now, and keep that.

    Without a name, all that can tell. Needs the credentials of the cloud.
    """
    changes = app.session().update_catalog(clouds)
    _show_changes(app, changes, changes)
    if not changes:
        app.note(
            "No installed cloud can tell its offers; 'skyx catalog import CLOUD FILE.csv' brings them from a file."
        )
    return max((change.exit_code for change in changes), default=0)


def _show_changes(app: App, result: object, changes: Iterable[CatalogChange]) -> None:
    from skyx_core.cli.failures import report
    from skyx_core.cli.output import emit_json

    if app.json:
        emit_json(app, result)
    for change in changes:
        if change.error:
            error = SkyxError(change.error, where=change.cloud, hint=change.hint)
            error.code, error.exit_code = change.error_code, change.exit_code  # type: ignore[misc]
            report(app, error)
        elif not app.json:
            parts = (_number(change.rows, "offer"), _number(change.types, "type"), _number(change.regions, "region"))
            app.streams.data(f"{change.cloud}: {parts[0]} of {parts[1]} in {parts[2]}")
        for note in change.notes:
            app.note(f"note: {note}")


def _number(count: int, word: str) -> str:
    return f"{count} {word}{'s' if count != 1 else ''}"


for one in (list_offers, info, import_csv, update):
    catalog.add_command(one)
