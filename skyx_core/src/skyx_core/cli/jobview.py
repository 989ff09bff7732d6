"""Following a job to its end: used by launch, exec and logs alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skyx_core.cli.output import usd
from skyx_core.cli.shown import in_cell
from skyx_core.errors import SkyxError

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.cli.ports import LogSource, SessionPort
    from skyx_core.models import Autostop
    from skyx_core.results import JobStatus

NO_SUCH_JOB = 102
KILLED_WITH_OTHERS = 137


def follow(app: App, session: SessionPort, cluster: str, job_id: int) -> JobStatus | None:
    """Show the job's log until the job ends; with ``-o json`` on stderr. None: its state is not known.

    Ctrl-C raises KeyboardInterrupt after saying that the job goes on.
    """
    source = session.logs(cluster, job_id, follow=True)
    show_text(app, session, source, cluster, write_to_stdout=not app.json)
    return source.status


def show_text(app: App, session: SessionPort, source: LogSource, cluster: str, *, write_to_stdout: bool) -> None:
    """A log as text."""
    from skyx_core.cli.logview import copy_text

    streams = app.streams
    write, tty = (streams.raw, streams.out_tty) if write_to_stdout else (streams.raw_note, streams.err_tty)
    try:
        copy_text(source, write, color=app.color(tty=tty))
    except KeyboardInterrupt:
        say_still_running(app, session, cluster, source.job_id)
        raise


def say_still_running(app: App, session: SessionPort, cluster: str, job_id: int | None) -> None:
    """After a detach: what goes on, what it costs, how to end it."""
    job = f"job {job_id}" if job_id is not None else "the job"
    app.note(
        f"\n{job} on {cluster} is still running{_price(session, cluster)}\n"
        f"  watch it again   skyx logs {cluster}{f' {job_id}' if job_id is not None else ''}\n"
        f"  end the job      skyx cancel {cluster}{f' {job_id}' if job_id is not None else ''}\n"
        f"  stop paying      skyx down {cluster}"
    )


def _price(session: SessionPort, cluster: str) -> str:
    try:
        clusters = session.status([cluster]).clusters
    except SkyxError:
        return ""
    return f", ${usd(clusters[0].hourly_usd)}/h" if clusters else ""


def exit_code(
    session: SessionPort, cluster: str, job_id: int, status: JobStatus | None, *, by: str, not_known: int = 101
) -> int:
    """By the job's state, or (``by`` code) its own: that of the rank that failed first."""
    if status is None:
        return not_known
    code = status.exit_code
    if by != "code" or code in (0, 101):
        return code
    own = first_failure(next((job.exit_codes for job in session.queue(cluster) if job.id == job_id), []))
    return own if own is not None else code


def first_failure(codes: Sequence[int | None]) -> int | None:
    """The code that a rank ended with by itself; 137 only if all failed ranks have it. None: no rank failed."""
    failed = [code for code in codes if code not in (0, None)]
    own = [code for code in failed if code != KILLED_WITH_OTHERS]
    return next(iter(own or failed), None)


def after_job(app: App, cluster: str, job_id: int | None, status: str, *, ends: Autostop | None = None) -> None:
    """How to look at it and how to take it down; where it is to be quiet, only that a job failed.

    ``ends``: when the cluster ends by itself.
    """
    if app.quiet:
        if status.startswith(("FAILED", "CANCELLED")):
            app.note(f"Job {job_id} on {cluster}: {status}")
        return
    lines = [f"\nCluster {cluster}" if job_id is None else f"\nJob {job_id} on {cluster}: {status}"]
    lines += _why(app, cluster, job_id, status)
    if job_id is not None:
        lines.append(f"  read its log       skyx logs {cluster} {job_id}")
    lines += [
        f"  run another job    skyx exec {cluster} COMMAND",
        f"  see all jobs       skyx queue {cluster}",
        f"  take it down       skyx down {cluster}",
    ]
    if ends is not None:
        lines.append(f"By itself it {rule_text(ends)}; 'skyx autostop {cluster} --cancel' keeps it.")
    app.note("\n".join(lines))


def _why(app: App, cluster: str, job_id: int | None, status: str) -> list[str]:
    """Of a failed job: which rank failed first, and how."""
    if job_id is None or not status.startswith("FAILED"):
        return []
    try:
        reason = next((job.reason for job in app.session().queue(cluster) if job.id == job_id), "")
    except SkyxError:
        return []
    return [f"  why                {in_cell(reason)}"] if reason else []


def rule_text(rule: Autostop) -> str:
    """``stops after 10 idle minutes``."""
    verb = "goes down" if rule.down else "stops"
    if not rule.idle_minutes:
        return f"{verb} as soon as it is idle"
    minutes = f"minute{'s' if rule.idle_minutes != 1 else ''}"
    if rule.wait_for == "none":
        return f"{verb} after {rule.idle_minutes} {minutes}, jobs or not"
    return f"{verb} after {rule.idle_minutes} idle {minutes}"
