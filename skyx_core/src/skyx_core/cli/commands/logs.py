"""``skyx logs``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from skyx_core.cli import options
from skyx_core.cli.group import command
from skyx_core.errors import ClusterStateError, NoSuchJobError, UsageError

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.cli.ports import LogSource, SessionPort


@command("logs")
@options.cluster_argument("cluster")
@click.argument("job", required=False, type=click.IntRange(min=1), metavar="[JOB]")
@click.option("--follow/--no-follow", default=True, help="Wait for more until the job ends.")
@click.option("--tail", type=click.IntRange(min=0), metavar="N", help="Only the last N lines, and what follows.")
@click.option(
    "--rank", "ranks", type=click.IntRange(min=0), multiple=True, metavar="R", help="Only this rank; repeats."
)
@click.option("--download", type=click.Path(file_okay=False), metavar="DIR", help="Write one file per rank instead.")
@options.exit_status
def logs(
    app: App,
    *,
    cluster: str,
    job: int | None,
    follow: bool,
    tail: int | None,
    ranks: Sequence[int],
    download: str | None,
    exit_status: str,
) -> int:
    """Show what a job wrote, as it comes; the latest job by default.

    Text comes exactly as it was written. Ctrl-C ends the reading, not the job. Ends with the job's state: 0 succeeded,
    100 failed, 101 not finished, 102 no such job, 103 cancelled.
    """
    from skyx_core.cli.jobview import exit_code

    session = app.session()
    follow = follow and download is None
    if ranks:
        _check_ranks(session, cluster, job, ranks)
    try:
        source = session.logs(cluster, job, follow=follow, tail=tail, ranks=list(ranks) or None)
    except ClusterStateError as error:
        error.why = "; ".join(filter(None, (error.why, "logs are kept on the cluster, which must be up to be read")))
        raise
    _show(app, session, source, cluster, download)
    if source.job_id is None:
        which = f"no job {job}" if job is not None else "no job yet"
        raise NoSuchJobError(f"There is {which} on {cluster}", hint=f"'skyx queue {cluster}' lists its jobs")
    return exit_code(session, cluster, source.job_id, source.status, by=exit_status)


def _check_ranks(session: SessionPort, cluster: str, job: int | None, ranks: Sequence[int]) -> None:
    """A rank that the job doesn't have is a mistake, not an empty log."""
    jobs = session.queue(cluster)
    number = job if job is not None else max((each.id for each in jobs), default=0)
    nodes = next((each.num_nodes for each in jobs if each.id == number), 0)
    if nodes and max(ranks) >= nodes:
        has = f"ranks 0 to {nodes - 1}" if nodes > 1 else "rank 0 only"
        raise UsageError(f"Job {number} on {cluster} has no rank {max(ranks)}", why=f"it has {has}", hint="--rank 0")


def _show(app: App, session: SessionPort, source: LogSource, cluster: str, folder: str | None) -> None:
    from skyx_core.cli import jobview, logview, output

    if folder is not None:
        from pathlib import Path

        try:
            paths = logview.download(source, Path(os.path.join(app.cwd, folder)))
        except OSError as error:
            raise UsageError(
                "The logs can't be written there",
                where=str(error.filename or folder),
                why=error.strerror or str(error),
                hint="pass --download a folder that you may write to; it is made if it isn't there",
            ) from error
        if app.json:
            output.emit_json(app, paths)
        elif paths:
            app.streams.data("\n".join(paths))
    elif app.json:
        try:
            logview.copy_records(source, lambda record: output.emit_json(app, record))
        except KeyboardInterrupt:
            jobview.say_still_running(app, session, cluster, source.job_id)
            raise
    else:
        jobview.show_text(app, session, source, cluster, write_to_stdout=True)
