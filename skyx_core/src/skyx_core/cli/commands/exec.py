"""``skyx exec``."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from skyx_core.cli import options
from skyx_core.cli.group import command
from skyx_core.errors import UsageError

if TYPE_CHECKING:
    from skyx_core.cli.app import App


def _check_named(named: str, before: str | None) -> None:
    """``skyx exec NAME python3 -c CODE``: the flag was meant for the command."""
    from skyx_core.state.names import check_cluster_name

    try:
        check_cluster_name(named)
    except UsageError as error:
        raise UsageError(
            "-c was taken for the name of the cluster",
            why=error.why,
            hint=f"put -- before a command with flags: skyx exec {before or 'NAME'} -- python3 -c ...",
        ) from error


@command("exec", takes_command=True)
@options.cluster_argument("cluster", required=False, metavar="NAME")
@click.argument("entrypoint", nargs=-1, metavar="FILE|COMMAND...")
@click.option("-c", "--cluster", "named", metavar="NAME", help="The cluster; the words are then the command.")
@options.detach
@options.wait
@options.exit_status
@options.variables
@options.resources
def exec_(
    app: App,
    *,
    cluster: str | None,
    entrypoint: Sequence[str],
    named: str | None,
    detach: bool,
    wait: float | None,
    exit_status: str,
    **flags: object,
) -> int:
    """Run one more job on a cluster that is up.

    The workdir is synced and ``run`` runs; setup and mounts are left as they are.
    """
    from skyx_core.cli import jobview, words
    from skyx_core.cli.output import emit_json
    from skyx_core.cli.progress import Progress

    if named is not None:
        _check_named(named, cluster)
        cluster, entrypoint = named, ([cluster] if cluster is not None else []) + list(entrypoint)
    if cluster is None:
        raise UsageError("exec needs the name of a cluster", hint="skyx exec NAME FILE|COMMAND...")
    if not entrypoint:
        raise UsageError("exec needs a task file or a command", hint=f"skyx exec {cluster} FILE|COMMAND...")
    file = words.load(app, entrypoint, flags)
    task = words.single(file, "exec")
    words.refuse_missing(task, file.file)
    with Progress(app) as progress:
        session = app.session(progress)
        result = session.exec(cluster, task, wait=wait)
    code = 0
    if not detach:
        status = jobview.follow(app, session, cluster, result.job_id)
        code = jobview.exit_code(session, cluster, result.job_id, status, by=exit_status)
        result = dataclasses.replace(result, status=str(status or result.status))
    if app.json:
        emit_json(app, result)
    jobview.after_job(app, cluster, result.job_id, "queued" if detach else result.status)
    return code
