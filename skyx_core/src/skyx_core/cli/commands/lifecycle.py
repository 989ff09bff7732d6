"""``skyx stop``, ``start``, ``down`` and ``autostop``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

from skyx_core.cli import options
from skyx_core.cli.group import command
from skyx_core.errors import LeftoverError, SkyxError, UsageError

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.cli.ports import SessionPort
    from skyx_core.results import LifecycleResult

F = TypeVar("F", bound=Callable[..., int])

_WORST_FIRST = (130, 7, 6, 4, 5, 2, 1, 3)


def _names(function: F) -> F:
    function = options.cluster_argument("names", many=True)(function)
    function = click.option("-a", "--all", "every", is_flag=True, help="All clusters.")(function)
    return options.yes(function)


def _no_purge(function: F) -> F:
    """Scripts pass --purge to the whole family; here there is nothing to purge."""
    return click.option("-p", "--purge", is_flag=True, hidden=True)(function)


def _say_no_purge(app: App, verb: str, purge: bool) -> None:
    if purge:
        app.note(f"warning: --purge has no effect on {verb}; 'skyx down --purge' forgets what can't be removed")


def _agree(app: App, verb: str, names: Sequence[str], every: bool, yes: bool) -> None:
    if every and names:
        raise UsageError("--all and names exclude each other", hint="pass one of them")
    if not every and not names:
        raise UsageError(f"{verb} needs the name of a cluster, or --all", hint=f"skyx {verb} NAME")
    if yes:
        return
    which = ", ".join(names)
    if every or any(set(name) & set("*?[") for name in names):
        found = [cluster.name for cluster in app.session().status(list(names)).clusters]
        which = ", ".join(found) if found else "nothing"
    app.confirm(f"{verb.capitalize()} {which}?", yes=yes)


def _run(app: App, work: Callable[[SessionPort], list[LifecycleResult]], *, said: str = "") -> int:
    """Do it with progress, show each result, and end with the worst code."""
    from skyx_core.cli.foreground import Foreground, leave_now
    from skyx_core.cli.output import emit_json
    from skyx_core.cli.progress import Progress

    with Progress(app) as progress:
        session = app.session(progress)

        def interrupted() -> None:
            app.note("\ninterrupted: what is begun is finished, nothing more is begun; a second Ctrl-C ends at once")
            session.interrupt()

        second = "ended at once; see what is left: skyx status --refresh"
        front = Foreground(first=interrupted, second=second, write=app.note, leave=leave_now)
        results = front.run(lambda: work(session))
    if app.json:
        emit_json(app, results)
    for result in results:
        if result.error:
            _report(app, result)
        elif not app.json:
            app.streams.data(f"{result.name}: {said or (result.status or 'terminated').lower()}")
        if result.remaining and not result.error:
            _report_left(app, result)
    if not results:
        app.note("No cluster to do this to.")
    codes = {result.exit_code or (7 if result.remaining else 1 if result.error else 0) for result in results}
    return next((code for code in _WORST_FIRST if code in codes), max(codes, default=0))


def _report_left(app: App, result: LifecycleResult) -> None:
    from skyx_core.cli.failures import report

    report(
        app,
        LeftoverError(
            f"Something of {result.name} may be left",
            remaining=result.remaining,
            where=result.name,
            why="a step failed or could not be confirmed, and skyx was told to go on",
            hint=result.hint or "look for it in the cloud's own console and remove it there",
        ),
    )


def _report(app: App, result: LifecycleResult) -> None:
    from skyx_core.cli.failures import report

    error = LeftoverError(result.error, remaining=result.remaining, where=result.name, hint=result.hint)
    plain = SkyxError(result.error, where=result.name, hint=result.hint)
    chosen: SkyxError = error if result.remaining else plain
    chosen.code = result.error_code or chosen.code  # type: ignore[misc]
    chosen.exit_code = result.exit_code or (7 if result.remaining else 1)  # type: ignore[misc]
    report(app, chosen)


@command("stop")
@_names
@options.wait
@_no_purge
def stop(app: App, *, names: Sequence[str], every: bool, yes: bool, wait: float | None, purge: bool) -> int:
    """Stop clusters; their files stay.

    Names may be patterns such as 'exp-*'. Safe to repeat.
    """
    _agree(app, "stop", names, every, yes)
    _say_no_purge(app, "stop", purge)
    return _run(app, lambda s: s.stop(list(names), all=every, wait=wait))


@command("start")
@_names
@options.wait
@_no_purge
@options.idle_minutes("-i", "--idle-minutes-to-autostop", text="Stop after MIN idle minutes.")
@click.option("--down", is_flag=True, help="With -i: down instead of stop.")
def start(
    app: App,
    *,
    names: Sequence[str],
    every: bool,
    yes: bool,
    wait: float | None,
    purge: bool,
    idle: int | None,
    down: bool,
) -> int:
    """Start stopped clusters again, where they were, with the same addresses and files."""
    from skyx_core.cli.commands.launch import autostop_of

    rule = autostop_of(idle, down=down, wait_for=None)
    _agree(app, "start", names, every, yes)
    _say_no_purge(app, "start", purge)

    def work(session: SessionPort) -> list[LifecycleResult]:
        results = session.start(list(names), all=every, wait=wait)
        up = [result.name for result in results if not result.error]
        if rule is not None and up:
            failed = {result.name: result for result in session.autostop(up, rule) if result.error}
            return [failed.get(result.name, result) for result in results]
        return results

    return _run(app, work)


@command("down")
@_names
@options.wait
@click.option("-p", "--purge", is_flag=True, help="Go on where a step fails, and say what may be left.")
def down(app: App, *, names: Sequence[str], every: bool, yes: bool, wait: float | None, purge: bool) -> int:
    """Take clusters down for good, with their files.

    Ends once the cloud reports every node gone. A name without a record ends with 3, the others go on.
    """
    _agree(app, "down", names, every, yes)
    return _run(app, lambda s: s.down(list(names), all=every, purge=purge, wait=wait))


@command("autostop")
@_names
@options.idle_minutes("-i", "--idle-minutes", text="Idle minutes; 0 = as soon as idle.")
@click.option("--down", is_flag=True, help="Down instead of stop.")
@click.option("--wait-for", type=click.Choice(["jobs_and_ssh", "jobs", "none"]), help="What counts as not idle.")
@click.option("--cancel", is_flag=True, help="Never end by itself.")
@options.wait
def autostop(
    app: App,
    *,
    names: Sequence[str],
    every: bool,
    yes: bool,
    idle: int | None,
    down: bool,
    wait_for: str | None,
    cancel: bool,
    wait: float | None,
) -> int:
    """Let clusters end themselves once idle, or --cancel that.

    It runs on the cluster: this machine may be off. A negative number of minutes is the same as --cancel.
    """
    from skyx_core.cli.commands.launch import autostop_of
    from skyx_core.cli.jobview import rule_text

    if cancel and (idle is not None or down or wait_for):
        raise UsageError("--cancel goes without -i, --down and --wait-for", hint="pass one or the other")
    if not cancel and idle is None:
        raise UsageError("autostop needs -i MIN, or --cancel", hint="skyx autostop NAME -i 10")
    rule = None if cancel else autostop_of(idle, down=down, wait_for=wait_for)
    patterns = every or any(set(name) & set("*?[") for name in names)
    _agree(app, "autostop", names, every, yes or not patterns)
    targets = [c.name for c in app.session().status([]).clusters] if every else list(names)
    said = rule_text(rule) if rule is not None else "never ends by itself"
    return _run(app, lambda s: s.autostop(targets, rule, wait=wait), said=said)
