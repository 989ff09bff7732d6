"""Plans over the clouds of a session: drawn lazily, shown as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from skyx_core.cluster.catalogued import catalogued, told_of_catalogues
from skyx_core.cluster.planned_blocks import PlannedBlocks
from skyx_core.errors import PluginError
from skyx_core.models import Candidate, Request, WhyNot
from skyx_core.plan.near import near
from skyx_core.plan.planner import Choice, Plan, Source, make_plan
from skyx_core.plan.ranking import distinct
from skyx_core.results import Excluded, Near, PipelinePlan, PlanRow, PlanTotal, TaskPlan

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services
    from skyx_core.task import Task

MOST_ROWS = 10_000  # of one plan, unless more are asked for


@dataclass(frozen=True)
class Arriving:
    """What a task gets from the one before it."""

    start: Candidate
    gigabytes: float


@dataclass(frozen=True)
class PlanOptions:
    """How to plan. ``limit``: rows; None = all, but at most ``MOST_ROWS``. ``optimize``: "" = the setting.
    ``near``: what fits nearly even if something fits. ``catalogued``: also clouds of which only a catalogue is here;
    without it only those that the task names, and all if nothing else fits. ``parallel``: tasks hand nothing on to each
    other.
    """

    limit: int | None = None
    optimize: str = ""
    near: bool = False
    catalogued: bool = False
    parallel: bool = False


def draw_plan(
    services: Services,
    requests: Sequence[Request],
    *,
    ordered: bool | Sequence[int],
    options: PlanOptions | None = None,
    arriving: Arriving | None = None,
) -> Plan:
    """The lazy plan over clouds that can be launched on."""
    options = options or PlanOptions()
    market = _market(services, requests, options.catalogued)
    return _draw(services, requests, market, ordered=ordered, options=options, arriving=arriving)


def _draw(
    services: Services,
    requests: Sequence[Request],
    market: _Market,
    *,
    ordered: bool | Sequence[int],
    options: PlanOptions,
    arriving: Arriving | None,
) -> Plan:
    notes: list[str] = []
    return make_plan(
        requests,
        market.sources,
        ordered=ordered,
        not_enabled=market.reasons,
        optimize=options.optimize or services.settings.optimize,
        egress=_egress(services, arriving, notes) if arriving else None,
        notes=notes,
    )


@dataclass(frozen=True)
class _Market:
    """Clouds to plan over, those of them that could be launched on, and why others are left out."""

    sources: list[Source]
    launchable: frozenset[str]
    reasons: list[WhyNot]


def _named(requests: Sequence[Request]) -> frozenset[str]:
    return frozenset(request.cloud for request in requests if request.cloud)


def _market(services: Services, requests: Sequence[Request], others: bool | frozenset[str]) -> _Market:
    """``others``: whether clouds of which only a catalogue is here belong to it, or which of them."""
    everything_named = all(request.cloud for request in requests)
    clouds, reasons = services.clouds.enabled(_named(requests) if everything_named else frozenset())
    sources = [cloud.source() for cloud in clouds]
    launchable = frozenset(source.cloud for source in sources)
    more = list(catalogued(services, launchable, others))
    told = told_of_catalogues(services, reasons, frozenset(source.cloud for source in more))
    return _Market(sources + more, launchable, list(told))


def _egress(services: Services, arriving: Arriving, notes: list[str]) -> Callable[[Candidate], float]:
    """What moving the data costs, where the cloud that it leaves knows; what it doesn't know is noted once."""
    known: dict[tuple[str, str], float] = {}
    start = arriving.start

    def price(candidate: Candidate) -> float:
        to = (candidate.cloud, candidate.region)
        if to not in known:
            per_gb = _usd_per_gb(services, start, to)
            note = f"the price of moving data from {start.cloud} to {to[0]} isn't known, and not counted"
            if per_gb is None and to != (start.cloud, start.region) and note not in notes:
                notes.append(note)
            known[to] = (per_gb or 0.0) * arriving.gigabytes
        return known[to]

    return price


def _usd_per_gb(services: Services, start: Candidate, to: tuple[str, str]) -> float | None:
    """None: not known; so it is of a cloud of which only a catalogue is here."""
    try:
        return services.clouds.get(start.cloud).egress_usd_per_gb(start.region, *to)
    except PluginError:
        return None


def show_plan(
    plan: Plan,
    name: str | None,
    num_nodes: int,
    limit: int | None,
    blocks: PlannedBlocks,
    *,
    launchable: frozenset[str] | None = None,
) -> tuple[TaskPlan, Iterator[Choice]]:
    """The first ``limit`` choices as rows (None: ``MOST_ROWS``), each once, and the whole stream again.

    ``launchable``: clouds that can be launched on; None = all.
    """
    most = MOST_ROWS if limit is None else limit
    head = list(islice(plan.choices, most + 1))
    rows = list(distinct(head[:most], by_price=False))
    shown = TaskPlan(
        name,
        num_nodes,
        [row(choice, blocks, launchable) for choice in rows],
        [Excluded(why.subject, why.reason, why.fix) for why in plan.excluded],
        tuple(choice.candidate for choice in rows),
        more=len(head) > most,
        notes=[*plan.notes, *filter(None, [blocks.problem])],
    )
    return shown, chain(head, plan.choices)


def row(choice: Choice, blocks: PlannedBlocks, launchable: frozenset[str] | None = None) -> PlanRow:
    """As tables and JSON show it."""
    c = choice.candidate
    return PlanRow(
        c.cloud,
        c.region,
        c.zone,
        c.instance_type,
        dict(c.accelerators),
        c.cpus,
        c.memory_gb,
        c.use_spot,
        c.hourly_usd,
        c.egress_usd,
        launchable is None or c.cloud in launchable,
        blocks.why(choice),
    )


def plan_tasks(services: Services, tasks: Sequence[Task], options: PlanOptions) -> PipelinePlan:
    """Task by task: each knows where the one before it would be, and what that would hand on."""
    plans: list[TaskPlan] = []
    arriving: Arriving | None = None
    for task in tasks:
        plan = _plan_task(services, task, options, None if options.parallel else arriving)
        size = sum(amount or 0.0 for amount in task.outputs.values())
        arriving = Arriving(plan.chosen[plan.first or 0], size) if plan.chosen and size else None
        plans.append(plan)
    firsts = [plan.candidates[plan.first or 0] for plan in plans if plan.candidates]
    total = PlanTotal(sum(first.hourly_usd for first in firsts), sum(first.egress_usd for first in firsts))
    return PipelinePlan(plans, total)


def _plan_task(services: Services, task: Task, options: PlanOptions, arriving: Arriving | None) -> TaskPlan:
    """Over clouds that can be launched on, and those named; over every catalogue that is here if nothing else fits."""
    requests = task.requests()
    named = _named(requests)
    shown = _shown(services, task, options, arriving, options.catalogued or named)
    if not shown.candidates and not options.catalogued:
        wider = _shown(services, task, options, arriving, others=True)
        shown = wider if wider.candidates else shown
    near_ones: list[Near] = []
    if options.near or not shown.candidates:
        near_ones = near_rows(services, requests, options.catalogued or named)
        if not near_ones and not options.catalogued:
            near_ones = near_rows(services, requests, others=True)
    return replace(shown, near=near_ones, optimize=options.optimize or services.settings.optimize)


def _shown(
    services: Services, task: Task, options: PlanOptions, arriving: Arriving | None, others: bool | frozenset[str]
) -> TaskPlan:
    requests = task.requests()
    market = _market(services, requests, others)
    plan = _draw(services, requests, market, ordered=task.order, options=options, arriving=arriving)
    blocks = PlannedBlocks(services, task.num_nodes)
    return show_plan(plan, task.name, task.num_nodes, options.limit, blocks, launchable=market.launchable)[0]


def near_rows(services: Services, requests: Sequence[Request], others: bool | frozenset[str] = False) -> list[Near]:
    """What fits nearly, over every usable cloud, also those that the requests don't name, and ``others``, of which only
    a catalogue is here (True: all).
    """
    market = _market(services, [Request()], others)
    blocks = PlannedBlocks(services, max((request.num_nodes for request in requests), default=1))
    found = near(requests, market.sources)
    return [Near(one.field, one.asked, one.nearest, row(one.choice, blocks, market.launchable)) for one in found]


def relaxation(services: Services, requests: Sequence[Request]) -> str:
    """The cheapest change of one demand that would make something fit, as a sentence; "" if none would."""
    found = near_rows(services, requests)
    if not found:
        return ""
    one = found[0]
    where = "/".join(part for part in (one.candidate.cloud, one.candidate.region, one.candidate.zone) if part)
    price = f"${one.candidate.hourly_usd:.2f}/h"
    kind = one.candidate.instance_type
    return f"{one.field}: {one.nearest} instead of {one.asked} would fit: {where} {kind}, {price}"
