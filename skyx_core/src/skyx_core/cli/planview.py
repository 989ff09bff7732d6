"""Plans as tables: what would be tried, in which order, at what price, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skyx_core.cli.output import accelerators, infra, table, usd
from skyx_core.cli.shown import in_cell

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.models import Autostop
    from skyx_core.results import PlanRow, TaskPlan

_HEADERS = ("", "INFRA", "TYPE", "VCPUS", "MEM_GB", "GPUS", "SPOT", "$/H")
SHOWN = 12


def _cells(index: int, row: PlanRow) -> tuple[str, ...]:
    return (
        "*" if index == 0 else "",
        infra(row.cloud, row.region, row.zone),
        row.instance_type,
        f"{row.cpus:g}" if row.cpus else "shared",
        f"{row.memory_gb:g}" if row.memory_gb else "shared",
        accelerators(row.accelerators),
        "yes" if row.use_spot else "no",
        usd(row.hourly_usd),
    )


def rows(plan: TaskPlan, limit: int = SHOWN) -> list[tuple[str, ...]]:
    """Cells of the first candidates; the first one is marked."""
    return [_cells(index, row) for index, row in enumerate(plan.candidates[:limit])]


def render(app: App, plan: TaskPlan, *, tty: bool, autostop: Autostop | None = None, limit: int = SHOWN) -> str:
    """The whole plan as text. Prices are for all nodes together."""
    nodes = f"{plan.num_nodes} node{'s' if plan.num_nodes != 1 else ''}"
    lines = [f"Plan{f' for {in_cell(plan.name)}' if plan.name else ''} ({nodes}, prices for all of them):"]
    if plan.candidates:
        lines.append(table(app, _HEADERS, rows(plan, limit), tty=tty, marked=0))
        if len(plan.candidates) > limit:
            lines.append(f"... and {len(plan.candidates) - limit} more, tried in this order if the first ones fail")
        lines += _totals(plan.candidates, autostop)
    else:
        lines.append("No candidate fits.")
    lines += [
        in_cell(f"left out: {item.cloud}: {item.reason}{f' (fix: {item.fix})' if item.fix else ''}")
        for item in plan.excluded
    ]
    return "\n".join(lines)


def _totals(candidates: Sequence[PlanRow], autostop: Autostop | None) -> list[str]:
    hourly = candidates[0].hourly_usd
    lines = [f"Total: ${usd(hourly)} per hour"]
    if autostop is not None and autostop.wait_for != "none":
        most = hourly * autostop.idle_minutes / 60
        end = f"auto{'down' if autostop.down else 'stop'} after {autostop.idle_minutes} min idle"
        lines.append(f"Max spend once the jobs are done: ${most:.2f} ({end})")
    elif autostop is not None:
        most = hourly * autostop.idle_minutes / 60
        lines.append(f"Max spend until autostop: ${most:.2f} (after {autostop.idle_minutes} min, jobs or not)")
    return lines
