"""Plans as tables: what would be tried, in which order, at what price, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skyx_core.cli.fitting import hanging
from skyx_core.cli.output import accelerators, columns, infra, table, usd
from skyx_core.cli.shown import in_cell

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.models import Autostop
    from skyx_core.results import Excluded, Near, PipelinePlan, PlanRow, TaskPlan

_HEADERS = ("", "INFRA", "TYPE", "VCPUS", "MEM_GB", "GPUS", "SPOT", "$/H")
SHOWN = 12
_MOST_LEFT_OUT = 20


def _cells(row: PlanRow, *, first: bool, egress: bool, blocked: bool) -> tuple[str, ...]:
    cells = (
        "*" if first else "" if row.launchable else "-",
        infra(row.cloud, row.region, row.zone),
        row.instance_type,
        f"{row.cpus:g}" if row.cpus else "shared",
        f"{row.memory_gb:g}" if row.memory_gb else "shared",
        accelerators(row.accelerators),
        "yes" if row.use_spot else "no",
        usd(row.hourly_usd),
    )
    return (*cells, *([usd(row.egress_usd)] if egress else []), *([row.blocked] if blocked else []))


def render(app: App, plan: TaskPlan, *, tty: bool, autostop: Autostop | None = None, limit: int = SHOWN) -> str:
    """The whole plan as text. Prices are for all nodes together."""
    nodes = f"{plan.num_nodes} node{'s' if plan.num_nodes != 1 else ''}"
    ranked = ", the fastest first" if plan.optimize == "time" else ""
    lines = [f"Plan{f' for {in_cell(plan.name)}' if plan.name else ''} ({nodes}, prices for all of them{ranked}):"]
    if plan.candidates:
        lines.append(_table(app, plan, plan.candidates[:limit], tty=tty))
        lines += _beyond(plan, limit)
        lines += _totals(plan.candidates[plan.first or 0], autostop)
    else:
        lines.append("No candidate fits.")
    texts = [in_cell(f"note: {note}") for note in plan.notes] + _near(plan.near) + _left_out(plan.excluded)
    width = columns(app, tty=tty)
    return "\n".join([*lines, *(hanging(text, width, indent=4) for text in texts)])


def _table(app: App, plan: TaskPlan, candidates: Sequence[PlanRow], *, tty: bool) -> str:
    egress = any(row.egress_usd for row in candidates)
    blocked = any(row.blocked for row in candidates)
    headers = (*_HEADERS, *(["$ ONCE"] if egress else []), *(["BLOCKED"] if blocked else []))
    rows = [
        _cells(row, first=index == plan.first, egress=egress, blocked=blocked) for index, row in enumerate(candidates)
    ]
    return table(app, headers, rows, tty=tty, marked=plan.first, fit=True)


def _beyond(plan: TaskPlan, limit: int) -> list[str]:
    """What the table doesn't say."""
    lines = []
    hidden = len(plan.candidates) - limit
    if plan.more or hidden > 0:
        count = "" if plan.more else f"{hidden} "
        lines.append(f"... and {count}more, tried in this order if the first ones fail")
    if any(row.blocked for row in plan.candidates[:limit]):
        lines.append("what is blocked is not tried before that ends; 'skyx blocks clear' tries it anyway")
    if not all(row.launchable for row in plan.candidates):
        names = sorted({row.cloud for row in plan.candidates if not row.launchable})
        lines.append(
            in_cell(f"only a catalogue is here of: {', '.join(names)} (marked -; nothing can be launched there)")
        )
    return lines


def _totals(first: PlanRow, autostop: Autostop | None) -> list[str]:
    hourly, once = first.hourly_usd, first.egress_usd
    lines = [f"Total: ${usd(hourly)} per hour{f' and ${usd(once)} once for moving data' if once else ''}"]
    if autostop is not None and autostop.wait_for != "none":
        most = hourly * autostop.idle_minutes / 60
        end = f"auto{'down' if autostop.down else 'stop'} after {autostop.idle_minutes} min idle"
        lines.append(f"Max spend once the jobs are done: ${most:.2f} ({end})")
    elif autostop is not None:
        most = hourly * autostop.idle_minutes / 60
        lines.append(f"Max spend until autostop: ${most:.2f} (after {autostop.idle_minutes} min, jobs or not)")
    return lines


def _near(near: Sequence[Near]) -> list[str]:
    """One line per demand that is alone in the way."""
    lines = ["Fits nearly, with one demand changed:"] if near else []
    for one in near:
        c = one.candidate
        gpus = f" {accelerators(c.accelerators)}" if c.accelerators else ""
        what = f"{infra(c.cloud, c.region, c.zone)} {c.instance_type}{gpus}"
        spot = " spot" if c.use_spot else ""
        lines.append(in_cell(f"  {one.field}: {one.asked} -> {one.nearest}: {what}{spot} at ${usd(c.hourly_usd)}/h"))
    return lines


def _left_out(excluded: Sequence[Excluded]) -> list[str]:
    lines = [
        in_cell(f"left out: {item.cloud}: {item.reason}{f' (fix: {item.fix})' if item.fix else ''}")
        for item in excluded[:_MOST_LEFT_OUT]
    ]
    hidden = len(excluded) - _MOST_LEFT_OUT
    return [*lines, f"and {hidden} more left out; -o json names them all"] if hidden > 0 else lines


def render_all(app: App, plan: PipelinePlan, autostops: Sequence[Autostop | None], *, tty: bool) -> str:
    """Task by task, then what all of them cost together. Every row that there is, is shown."""
    most = max((len(one.candidates) for one in plan.tasks), default=0)
    texts = [
        render(app, one, tty=tty, autostop=autostop, limit=most)
        for one, autostop in zip(plan.tasks, autostops, strict=True)
    ]
    if len(plan.tasks) > 1:
        once = f" and ${usd(plan.total.egress_usd)} once for moving data" if plan.total.egress_usd else ""
        texts.append(f"All {len(plan.tasks)} tasks: ${usd(plan.total.hourly_usd)} per hour{once}")
    return "\n\n".join(texts)
