"""``skyx launch``."""

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
    from skyx_core.cli.foreground import Foreground
    from skyx_core.cli.ports import SessionPort
    from skyx_core.cli.progress import Progress
    from skyx_core.models import Autostop
    from skyx_core.results import LaunchResult, TaskPlan
    from skyx_core.task import Task

_SECOND = (
    "ended at once; something may still be up\n"
    "  see what is recorded   skyx status --refresh\n"
    "  take it down           skyx down NAME"
)


@dataclasses.dataclass(frozen=True)
class Wish:
    """What was asked of one launch, besides the task."""

    cluster: str | None
    yes: bool
    detach: bool
    dryrun: bool
    retry_until_up: bool
    hedge: int
    wait: float | None
    on_interrupt: str
    autostop: Autostop | None
    exit_status: str
    optimize: str | None = None


@command("launch", takes_command=True)
@options.entrypoint
@click.option("-c", "--cluster", metavar="NAME", help="The cluster, new or there; without it a name is made.")
@options.yes
@options.detach
@click.option("--dryrun", is_flag=True, help="Do everything up to the first call that changes something.")
@options.idle_minutes("-i", "--idle-minutes-to-autostop", text="Stop after MIN idle minutes.")
@click.option("--down", is_flag=True, help="Down instead of stop; alone: down as soon as idle.")
@click.option("--wait-for", type=click.Choice(["jobs_and_ssh", "jobs", "none"]), help="What counts as not idle.")
@click.option("-r", "--retry-until-up", is_flag=True, help="Go on trying until there is capacity.")
@click.option("--hedge", type=click.IntRange(1, 16), default=1, metavar="N", help="Try N candidates at a time.")
@options.optimize
@options.wait
@click.option("--on-interrupt", type=click.Choice(["cleanup", "keep", "ask"]), help="What Ctrl-C does with what is up.")
@options.exit_status
@options.max_hourly_cost
@options.variables
@options.resources
def launch(
    app: App,
    *,
    entrypoint: Sequence[str],
    cluster: str | None,
    yes: bool,
    detach: bool,
    dryrun: bool,
    idle: int | None,
    down: bool,
    wait_for: str | None,
    retry_until_up: bool,
    hedge: int,
    optimize: str | None,
    wait: float | None,
    on_interrupt: str | None,
    exit_status: str,
    **flags: object,
) -> int:
    """Bring a cluster up and run a task or a command on it."""
    task = _task(app, entrypoint, flags)
    if idle is not None and idle < 0 and task is not None:
        task = _without_autostop(task)
    wish = Wish(
        cluster=cluster,
        yes=yes,
        detach=detach,
        dryrun=dryrun,
        retry_until_up=retry_until_up,
        hedge=hedge,
        wait=wait,
        on_interrupt=on_interrupt or "",
        autostop=autostop_of(idle, down=down, wait_for=wait_for),
        exit_status=exit_status,
        optimize=optimize,
    )
    result = provision(app, task, wish)
    return finish(app, result, wish, task.autostop if task is not None else None)


def _task(app: App, words: Sequence[str], flags: dict[str, object]) -> Task | None:
    from skyx_core.cli import words as w

    if not words and not any(value not in (None, (), False) for value in flags.values()):
        return None
    file = w.load(app, words or ["true"], flags)
    task = w.single(file, "launch")
    w.refuse_missing(task, file.file)
    w.warn(app, file)
    if not words:
        task = task.model_copy(update={"run": None})
    return task


def _without_autostop(task: Task) -> Task:
    """A negative number of minutes goes over what the file says."""
    return task.model_copy(update={"resources": task.resources.model_copy(update={"autostop": None})})


def autostop_of(idle: int | None, *, down: bool, wait_for: str | None) -> Autostop | None:
    """From the flags; None: nothing was asked, or a negative number of minutes."""
    if idle is None and not down:
        if wait_for is not None:
            raise UsageError("--wait-for needs -i MIN or --down", hint="pass -i MIN with it")
        return None
    if idle is not None and idle < 0:
        return None
    from skyx_core.models import Autostop

    values: dict[str, object] = {"idle_minutes": idle or 0, "down": down}
    if wait_for is not None:
        values["wait_for"] = wait_for
    return Autostop.model_validate(values)


def provision(app: App, task: Task | None, wish: Wish) -> LaunchResult:
    """Everything up to the queued job, with Ctrl-C heard at any time."""
    from skyx_core.cli.foreground import Foreground, leave_now
    from skyx_core.cli.progress import Progress

    with Progress(app) as progress:
        session = app.session(progress)
        wish = dataclasses.replace(wish, on_interrupt=app.on_interrupt(wish.on_interrupt))
        front = Foreground(
            first=lambda: _interrupted(app, session, progress, wish.on_interrupt),
            second=_SECOND,
            write=app.note,
            leave=leave_now,
        )
        return front.run(lambda: _launch(app, session, progress=progress, front=front, task=task, wish=wish))


def _launch(
    app: App,
    session: SessionPort,
    *,
    progress: Progress,
    front: Foreground,
    task: Task | None,
    wish: Wish,
) -> LaunchResult:
    rule = wish.autostop or (task.autostop if task is not None else None)

    def confirm(cluster: str, plan: TaskPlan) -> bool:
        progress.pause()
        return front.ask(lambda: _confirmed(app, cluster, plan, wish, rule))

    return session.launch(
        task,
        cluster=wish.cluster,
        dryrun=wish.dryrun,
        detach=True,
        retry_until_up=wish.retry_until_up,
        hedge=wish.hedge,
        autostop=wish.autostop,
        on_interrupt="keep" if wish.on_interrupt == "keep" else "cleanup",
        wait=wish.wait,
        confirm=confirm,
        optimize=wish.optimize,
    )


def _confirmed(app: App, cluster: str, plan: TaskPlan, wish: Wish, rule: Autostop | None) -> bool:
    from skyx_core.cli.planview import render

    asks = bool(plan.candidates) and not (wish.yes or wish.dryrun)
    if asks or not app.quiet:
        app.note(render(app, plan, tty=app.streams.err_tty, autostop=rule), painted=True)
    if plan.candidates and not wish.dryrun:
        app.confirm(f"Launch {cluster}?", yes=wish.yes)
    return True


def _interrupted(app: App, session: SessionPort, progress: Progress, on_interrupt: str) -> None:
    progress.pause()
    app.note("\ninterrupted: nothing more is started; a second Ctrl-C ends at once")
    if on_interrupt != "ask" or not app.can_prompt:
        session.interrupt()
        return
    session.interrupt(keep=None)  # nothing is made while the question stands
    app.streams.raw_note(b"keep what is up already? [y/N] ")
    keep = app.streams.read_line().strip().lower() in {"y", "yes"}
    if not keep:
        app.note("cleaning up")
    session.interrupt(keep=keep)


def finish(app: App, result: LaunchResult, wish: Wish, rule: Autostop | None = None) -> int:
    """After provisioning: the log, the hints, the data and the exit code. ``rule``: what the task says of its end."""
    from skyx_core.cli import jobview
    from skyx_core.cli.output import emit_json

    session, code = app.session(), 0
    if result.job_id is not None and not wish.detach and not wish.dryrun:
        status = jobview.follow(app, session, result.cluster, result.job_id)
        code = jobview.exit_code(session, result.cluster, result.job_id, status, by=wish.exit_status)
        result = dataclasses.replace(result, status=str(status or result.status))
    if app.json:
        emit_json(app, result)
    if wish.dryrun:
        if not app.quiet:
            app.note("Dry run: nothing was started.")
        return code
    shown = "queued" if wish.detach else result.status
    jobview.after_job(app, result.cluster, result.job_id, shown, ends=wish.autostop or rule)
    return code
