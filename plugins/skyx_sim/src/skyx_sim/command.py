"""``skyx simulate``."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

_EXIT = {"UP": 0}
_GAVE_UP = 5


@click.command("simulate", short_help="Search for a task's resources on simulated clouds.")
@click.argument("scenario", type=click.Path(path_type=Path), metavar="SCENARIO.yaml")
@click.option("--hedge", type=click.IntRange(1, 100), metavar="N", help="At most N attempts at a time.")
@click.option("--seed", type=int, metavar="N", help="Another course of chance.")
@click.option("--seeds", type=click.IntRange(1, 10_000), metavar="N", help="All of the seeds 0 to N-1, summed up.")
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
    seeds: int | None,
    limit: str | None,
    output: str | None,
    own_rules: bool,
) -> int:
    """Run the real planner and failover on the simulated clouds of a scenario, in virtual time.

    Answers what a task would cost and how long it would search, if the clouds were as the file says. Ends with 0 when
    a cluster was found (with --seeds, in one run at least), 5 when not, 2 when the scenario has mistakes. Nothing is
    launched.
    """
    from skyx_sim.running import load_scenario, simulate_seeds
    from skyx_sim.running import simulate as run

    if seed is not None and seeds is not None:
        from skyx_core.api import UsageError

        raise UsageError("--seed and --seeds are both given", hint="--seeds N runs the seeds 0 to N-1; give one")
    read, end, environ = load_scenario(scenario), _seconds(limit), dict(os.environ) if own_rules else None
    as_json = output == "json" or _wants_json(context)
    if seeds is not None:
        spread = simulate_seeds(read, seeds, hedge=hedge, limit=end, environ=environ)
        click.echo(_json(spread.to_json()) if as_json else spread.render(_columns()))
        return 0 if spread.found else _GAVE_UP
    result = run(read, hedge=hedge, seed=seed, limit=end, environ=environ)
    if as_json:
        click.echo(_json(result.to_json()))
    else:
        from skyx_sim.picture import render

        click.echo(render(result, _columns()))
    return _EXIT.get(result.status, _GAVE_UP)


def _json(document: Mapping[str, object]) -> str:
    import json

    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def _columns() -> int | None:
    """How wide the terminal is that stdout goes to; None if it goes to none."""
    import shutil

    if not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns  # COLUMNS goes first


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
