"""``skyx queue`` and ``skyx cancel``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from skyx_core.cli import options
from skyx_core.cli.group import command
from skyx_core.errors import NotFoundError, UsageError
from skyx_core.spans import took

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.results import CancelResult, JobInfo

_HEADERS = ("ID", "NAME", "STATUS", "NODES", "GPUS", "SUBMITTED", "STARTED", "TOOK", "CODES", "WHY")


@command("queue")
@options.cluster_argument("cluster", required=False)
@click.option("-s", "--skip-finished", is_flag=True, help="Only jobs that wait or run.")
def queue(app: App, *, cluster: str | None, skip_finished: bool) -> int:
    """List the jobs of a cluster, or of all.

    A job that waits says why.
    """
    from skyx_core.cli.output import emit_json, show

    jobs = app.session().queue(cluster)
    if skip_finished:
        jobs = [job for job in jobs if job.ended_at is None]
    if app.json:
        emit_json(app, jobs)
    elif not jobs:
        where = f"on {cluster}" if cluster else "on any cluster"
        app.note(f"No jobs {where}. 'skyx exec {cluster or 'NAME'} COMMAND' adds one.")
    elif cluster is None:
        show(app, ("CLUSTER", *_HEADERS), [(job.cluster or "-", *_cells(job)) for job in jobs])
    else:
        show(app, _HEADERS, [_cells(job) for job in jobs])
    return 0


def _cells(job: JobInfo) -> tuple[str, ...]:
    from skyx_core.cli.output import accelerators

    codes = [code for code in job.exit_codes if code is not None]
    return (
        str(job.id),
        job.name or "-",
        job.status,
        str(job.num_nodes),
        accelerators(job.accelerators),
        _short(job.submitted_at),
        _short(job.started_at),
        _took(job),
        ",".join(map(str, codes)) or "-",
        job.reason,
    )


def _short(time: str | None) -> str:
    return time[:19].replace("T", " ") if time else "-"


def _took(job: JobInfo) -> str:
    from datetime import datetime

    if not job.started_at or not job.ended_at:
        return "-"
    try:
        span = datetime.fromisoformat(job.ended_at) - datetime.fromisoformat(job.started_at)
    except (ValueError, TypeError):
        return "-"
    return took(span.total_seconds())


@command("cancel")
@options.cluster_argument("cluster")
@click.argument("jobs", nargs=-1, metavar="[JOB]...", type=click.IntRange(min=1))
@click.option("-a", "--all", "every", is_flag=True, help="Every job that waits or runs.")
@options.yes
def cancel(app: App, *, cluster: str, jobs: Sequence[int], every: bool, yes: bool) -> int:
    """End jobs that wait or run; without numbers, the latest one that runs.

    The whole process tree of every rank ends, politely first. A job that has ended already is no error.
    """
    from skyx_core.cli.output import emit_json

    if every and jobs:
        raise UsageError("--all and job numbers exclude each other", hint="pass one of them")
    which = "all jobs" if every else f"job {', '.join(map(str, jobs))}" if jobs else "the latest running job"
    app.confirm(f"Cancel {which} on {cluster}?", yes=yes)
    result = app.session().cancel(cluster, list(jobs), all=every)
    if app.json:
        emit_json(app, result)
    else:
        _say(app, result)
    return _unknown(app, cluster, result)


def _say(app: App, result: CancelResult) -> None:
    for job in result.cancelled:
        app.streams.data(f"job {job}: cancelled")
    for job in result.already_done:
        app.streams.data(f"job {job}: had ended already")
    if not (result.cancelled or result.already_done or result.unknown):
        app.note("Nothing waits or runs.")


def _unknown(app: App, cluster: str, result: CancelResult) -> int:
    from skyx_core.cli.failures import report

    code = 0
    for job in result.unknown:
        code = report(
            app, NotFoundError(f"There is no job {job} on {cluster}", hint=f"'skyx queue {cluster}' lists its jobs")
        )
    return code
