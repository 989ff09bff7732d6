"""``skyx status``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import click

from skyx_core.cli import options
from skyx_core.cli.group import command
from skyx_core.cli.output import accelerators, emit_json, infra, show, usd
from skyx_core.errors import NotFoundError
from skyx_core.spans import span

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.results import ClusterInfo

_HEADERS = ("NAME", "STATUS", "INFRA", "TYPE", "GPUS", "NODES", "$/H", "AUTOSTOP", "AGE", "HEAD")


@command("status")
@options.cluster_argument("names", many=True)
@click.option("-r", "--refresh", is_flag=True, help="Ask the clouds instead of the record.")
@click.option("--ip", is_flag=True, help="Print the address of the head alone.")
@click.option("-v", "--verbose", is_flag=True, help="Also say why a cluster is in its state.")
def status(app: App, *, names: Sequence[str], refresh: bool, ip: bool, verbose: bool) -> int:
    """List clusters.

    Names may be patterns such as 'exp-*'. Ends with 3 if a name is unknown; the others are shown.
    """
    session = app.session()
    if app.json and not names and not refresh and not ip:
        text = session.status_json()
        if text is not None:
            app.streams.data(text)
            return 0
    found = session.status(list(names), refresh=refresh)
    for warning in found.warnings:
        app.note(f"warning: {warning}")
    _show(app, found.clusters, ip=ip, verbose=verbose, asked=bool(names))
    return report_unknown(app, found.unknown)


def report_unknown(app: App, names: Sequence[str]) -> int:
    """One error per name; 3 if there is any."""
    from skyx_core.cli.failures import report

    code = 0
    for name in names:
        code = report(app, NotFoundError(f"There is no cluster {name!r}", hint="'skyx status' lists all clusters"))
    return code


def _show(app: App, clusters: Sequence[ClusterInfo], *, ip: bool, verbose: bool, asked: bool) -> None:
    if ip:
        heads = [cluster.head for cluster in clusters]
        if app.json:
            emit_json(app, heads)
        elif heads:
            app.streams.data("\n".join(head or "-" for head in heads))
        return
    if app.json:
        emit_json(app, list(clusters))
        return
    if not clusters:
        if not asked:
            app.note("No clusters. 'skyx launch -c NAME FILE' makes one, 'skyx init' writes a file to start from.")
        return
    now = app.clock.time()
    rows = [_cells(cluster, now) for cluster in clusters]
    if verbose:
        show(app, (*_HEADERS, "WHY"), [(*row, c.reason) for row, c in zip(rows, clusters, strict=True)])
    else:
        show(app, _HEADERS, rows)


def _cells(cluster: ClusterInfo, now: float) -> tuple[str, ...]:
    return (
        cluster.name,
        cluster.status,
        infra(cluster.cloud, cluster.region, cluster.zone),
        f"{cluster.instance_type} (spot)" if cluster.use_spot else cluster.instance_type or "-",
        accelerators(cluster.accelerators),
        str(cluster.num_nodes),
        usd(cluster.hourly_usd),
        _autostop(cluster),
        age(cluster.created_at, now),
        cluster.head or "-",
    )


def _autostop(cluster: ClusterInfo) -> str:
    rule = cluster.autostop
    if not rule:
        return "-"
    failing = " (failing)" if rule.get("failing") else ""
    return f"{rule.get('idle_minutes')} min{', down' if rule.get('down') else ''}{failing}"


def age(created: str | None, now: float) -> str:
    """How long ago; ``-`` where the time is not known."""
    if not created:
        return "-"
    try:
        return span(now - epoch(created))
    except ValueError:
        return "-"


def ahead(time: str, now: float) -> str:
    """How far ahead (``in 4 min``), or that it is past."""
    try:
        seconds = epoch(time) - now
    except ValueError:
        return "-"
    return f"in {span(seconds, up=True)}" if seconds > 0 else "ended"


@lru_cache(maxsize=1024)
def _midnight(day: str) -> float:
    from datetime import UTC, datetime

    return datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()


def epoch(time: str) -> float:
    """Seconds since the epoch; of the form that the record has (2026-01-31T23:59:59Z) without a parser: many clusters
    are of the same few days. ValueError: not a time.
    """
    if len(time) == 20 and time[19] == "Z":
        return _midnight(time[:10]) + int(time[11:13]) * 3600 + int(time[14:16]) * 60 + int(time[17:19])
    from datetime import UTC, datetime

    then = datetime.fromisoformat(time)
    return (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp()
