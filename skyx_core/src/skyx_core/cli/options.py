"""Flags that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., int])


def complete_clusters(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of clusters from the local record; nothing at all where that fails."""
    import json

    from click.shell_completion import CompletionItem

    from skyx_core.cli.group import app_of

    try:
        app = app_of(ctx)
        app.flags["no_plugins"] = True
        text = app.session().status_json()
        names = [row["name"] for row in json.loads(text)] if text else [c.name for c in app.session().status().clusters]
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]
    except Exception:
        return []


def cluster_argument(
    name: str = "cluster", *, many: bool = False, required: bool = True, metavar: str = ""
) -> Callable[[F], F]:
    """``NAME`` or any number of them, with completion. ``metavar``: as help shows it, if otherwise."""
    return click.argument(
        name,
        nargs=-1 if many else 1,
        required=required and not many,
        metavar=metavar or ("[NAME]..." if many else "NAME" if required else "[NAME]"),
        shell_complete=complete_clusters,
    )


if TYPE_CHECKING:
    _IntType = click.ParamType[int]
    _FloatType = click.ParamType[float]
else:
    _IntType = _FloatType = click.ParamType


class WholeNumber(_IntType):
    """An integer; what is far out of range is refused in words that don't repeat it."""

    name = "integer"

    def __init__(self, low: int, high: int) -> None:
        self._low = low
        self._high = high

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).strip()
        shown = text if len(text) <= 20 else f"{text[:8]}... ({len(text)} characters)"
        try:
            number = int(text) if len(text) <= 20 else None
        except ValueError:
            self.fail(f"{shown!r} is not a whole number", param, ctx)
        if number is None or not self._low <= number <= self._high:
            self.fail(f"{shown} is not a whole number from {self._low} to {self._high}", param, ctx)
        return number


class Seconds(_FloatType):
    """A finite number of seconds, 0 or more."""

    name = "seconds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(str(value))
        except ValueError:
            number = -1.0
        if not 0 <= number < _FOREVER_S:
            self.fail(f"{str(value)[:40]!r} is not a number of seconds, 0 or more", param, ctx)
        return number


_FOREVER_S = 1e9  # 31 years; far below what clocks and sleeps can't take
_YEAR_MIN = 525_600
_minutes = WholeNumber(-_YEAR_MIN, _YEAR_MIN)


def idle_minutes(*names: str, text: str) -> Callable[[F], F]:
    """``-i MIN``."""
    return click.option(*names, "idle", type=_minutes, metavar="MIN", help=text)


entrypoint = click.argument("entrypoint", nargs=-1, metavar="[FILE|COMMAND...]")
yes = click.option("-y", "--yes", is_flag=True, help="Go on without a question.")
wait = click.option("--wait", type=Seconds(), metavar="SEC", help="How long to wait while another command holds it.")
detach = click.option("-d", "--detach", "--detach-run", "detach", is_flag=True, help="End once the job is queued.")
optimize = click.option(
    "--optimize", type=click.Choice(["cost", "time"]), help="Rank by price, or by the speed of accelerators."
)
max_hourly_cost = click.option(
    "--max-hourly-cost", metavar="USD", help="The most that all nodes together may cost per hour."
)
exit_status = click.option(
    "--exit-status",
    type=click.Choice(["state", "code"]),
    default="state",
    help="End with the job's state (0, 100-103) or with its own exit code.",
)

_RESOURCES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("--infra",), "CLOUD[/REGION[/ZONE]]", "Where to run."),
    (("--cloud",), "NAME", "The cloud alone."),
    (("--region",), "NAME", "The region alone."),
    (("--zone",), "NAME", "The zone alone."),
    (("--gpus",), "NAME[:COUNT]", "Accelerators per node."),
    (("--cpus",), "N[+]", "vCPUs per node; N+ = at least."),
    (("--memory",), "GB[+]", "Memory per node; GB+ = at least."),
    (("-t", "--instance-type"), "TYPE", "One type of machine."),
    (("--image-id",), "IMAGE", "Machine or container image."),
    (("--disk-size",), "GB", "Size of the disk."),
    (("--disk-tier",), "TIER", "Speed of the disk."),
    (("--network-tier",), "TIER", "Speed of the network."),
    (("--workdir",), "DIR", "Folder to copy to every node."),
    (("-n", "--name"), "NAME", "Name of the task."),
)


def resources(function: F) -> F:
    """Everything that may override the ``resources`` of a task file."""
    function = click.option("--ports", multiple=True, metavar="PORT", help="A port or range; may be repeated.")(
        function
    )
    function = click.option("--use-spot/--no-use-spot", default=None, help="Spot machines, or never.")(function)
    function = click.option("--num-nodes", type=WholeNumber(1, 100_000), metavar="N", help="Number of nodes.")(function)
    for names, metavar, text in reversed(_RESOURCES):
        function = click.option(*names, metavar=metavar, help=text)(function)
    return function


def variables(function: F) -> F:
    """``--env``, ``--env-file``, ``--secret``, ``--secret-file``."""
    for names, metavar, text in (
        (("--secret-file",), "FILE", "Secrets from a file of KEY=VALUE lines."),
        (("--secret",), "KEY[=VALUE]", "A secret; without a value the caller's own."),
        (("--env-file",), "FILE", "Variables from a file of KEY=VALUE lines."),
        (("-e", "--env"), "KEY[=VALUE]", "A variable; without a value the caller's own."),
    ):
        function = click.option(*names, multiple=True, metavar=metavar, help=text)(function)
    return function
