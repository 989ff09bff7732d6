"""``skyx cost-report``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skyx_core.cli.group import command
from skyx_core.errors import UsageError

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.results import SpendReport, SpendRow

_HEADERS = ("NAME", "STATUS", "INFRA", "TYPE", "GPUS", "NODES", "$/H", "HOURS", "COST $", "CREATED", "ENDED")
_SPARE = ("ENDED", "CREATED", "NODES")  # first what is left out first on a narrow terminal
_USUAL_DAYS = 30.0
_MOST_DAYS = 36_500.0


@command("cost-report")
@click.option("--since", metavar="DAYS", help="What was spent within so many days; 30 unless given.")
@click.option("-a", "--all", "everything", is_flag=True, help="What was ever spent.")
def cost_report(app: App, *, since: str | None, everything: bool) -> int:
    """Show what clusters that are and were cost, by list prices.

    It counts the time that nodes ran, attempts that failed included, at the list price when each was made: an
    estimate, not the bill. Stopped time costs nothing here; discounts, disks, addresses and traffic are not in it.
    """
    from skyx_core.cli.fitting import hanging
    from skyx_core.cli.output import columns, emit_json, show

    if everything and since is not None:
        raise UsageError("--since and --all exclude each other", hint="pass one of them")
    report = app.session().cost_report(days=None if everything else _days(since))
    for warning in report.warnings:
        app.note(f"warning: {warning}")
    if app.json:
        emit_json(app, report.clusters)
        return 0
    if report.clusters:
        show(app, _HEADERS, [_cells(row) for row in report.clusters], fit=True, spare=_SPARE)
    app.streams.data(hanging(_total(report), columns(app)))
    return 0


def _days(text: str | None) -> float:
    if text is None:
        return _USUAL_DAYS
    try:
        days = float(text)
    except ValueError:
        days = 0.0
    if not 0 < days <= _MOST_DAYS:
        raise UsageError(
            f"--since {text[:40]!r} is not a number of days", hint=f"pass one from 0 (exclusive) to {_MOST_DAYS:g}"
        )
    return days


def _total(report: SpendReport) -> str:
    from skyx_core.cli.output import usd

    span = f"since {report.since}" if report.since else "in all"
    now = usd(report.hourly_usd)
    return f"total: ${report.total_usd:.2f} {span}, ${now} per hour now; by list prices, not the bill"


def _cells(row: SpendRow) -> tuple[str, ...]:
    from skyx_core.cli.output import accelerators, infra, usd

    return (
        row.name,
        row.status,
        infra(row.cloud, row.region, None),
        f"{row.instance_type} (spot)" if row.use_spot else row.instance_type or "-",
        accelerators(row.accelerators),
        str(row.num_nodes),
        usd(row.hourly_usd),
        f"{row.seconds / 3600:.2f}",
        usd(row.cost_usd),
        row.created_at,
        row.ended_at or "-",
    )
