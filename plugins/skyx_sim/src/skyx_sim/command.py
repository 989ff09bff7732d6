"""``skyx simulate``."""

from __future__ import annotations

import os
from pathlib import Path

import click

_EXIT = {"UP": 0}
_GAVE_UP = 5


@click.command("simulate", short_help="Search for a task's resources on simulated clouds.")
@click.argument("scenario", type=click.Path(path_type=Path), metavar="SCENARIO.yaml")
@click.option("--hedge", type=click.IntRange(1, 100), metavar="N", help="At most N attempts at a time.")
@click.option("--seed", type=int, metavar="N", help="Another course of chance.")
@click.option("--limit", metavar="TIME", help="End the search after so long, such as 90s, 15m or 6h of virtual time.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), help="What stdout holds.")
@click.option("--rules/--no-rules", "own_rules", default=True, help="Whether your own rules.yaml is used.")
@click.pass_context
def simulate(
    context: click.Context,
    *,
    scenario: Path,
    hedge: int | None,
    seed: int | None,
    limit: str | None,
    output: str | None,
    own_rules: bool,
) -> int:
    """Run the real planner and failover on the simulated clouds of a scenario, in virtual time.

    Answers what a task would cost and how long it would search, if the clouds were as the file says. Ends with 0 when
    a cluster was found, 5 when not, 2 when the scenario has mistakes. Nothing is launched.
    """
    from skyx_sim.running import load_scenario
    from skyx_sim.running import simulate as run

    result = run(
        load_scenario(scenario),
        hedge=hedge,
        seed=seed,
        limit=_seconds(limit),
        environ=dict(os.environ) if own_rules else None,
    )
    if output == "json" or _wants_json(context):
        import json

        click.echo(json.dumps(result.to_json(), ensure_ascii=False, allow_nan=False))
    else:
        from skyx_sim.picture import render

        click.echo(render(result))
    return _EXIT.get(result.status, _GAVE_UP)


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    from skyx_core.api import UsageError
    from skyx_sim.durations import MOST_S, seconds

    try:
        value = seconds(text)
    except ValueError as error:
        raise UsageError(f"--limit: {error}", why=f"it is {text!r}") from None
    if not isinstance(value, float) or not 0 < value <= MOST_S:
        raise UsageError("--limit must be more than 0 and at most a year", why=f"it is {text!r}")
    return value


def _wants_json(context: click.Context) -> bool:
    """Whether ``-o json`` stood before the command's name."""
    flags = getattr(context.find_root().obj, "flags", {})
    return isinstance(flags, dict) and flags.get("output") == "json"
