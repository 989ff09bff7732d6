"""What fits nearly: one demand dropped at a time, and the cheapest that this would give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skyx_core.models import Amount, Candidate, Request
from skyx_core.plan.planner import Choice, Source, make_plan
from skyx_core.plan.words import accelerators, usd

_MOST_REQUESTS = 8
_COUNTS = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Near:
    """``field`` as a task file calls it; what was ``asked`` for, and the ``nearest`` that there is."""

    field: str
    asked: str
    nearest: str
    choice: Choice


@dataclass(frozen=True)
class _Relaxed:
    """``requests``: the first of them for which there is anything counts."""

    field: str
    asked: str
    requests: tuple[Request, ...]
    not_in: str = ""  # this cloud


def near(requests: Sequence[Request], sources: Sequence[Source]) -> list[Near]:
    """The cheapest first; one for each demand that is the only one in the way. Looks at a few offers per demand."""
    best: dict[tuple[str, str], Near] = {}
    for request in requests[:_MOST_REQUESTS]:
        for relaxed in _relaxations(request):
            found = _cheapest(relaxed, sources)
            known = best.get((relaxed.field, relaxed.asked))
            if found and (known is None or _price(found) < _price(known)):
                best[relaxed.field, relaxed.asked] = found
    return sorted(best.values(), key=lambda one: (_price(one), one.field))


def _price(one: Near) -> float:
    return one.choice.candidate.hourly_usd


def _cheapest(relaxed: _Relaxed, sources: Sequence[Source]) -> Near | None:
    others = [source for source in sources if source.cloud != relaxed.not_in]
    for request in relaxed.requests:
        choice = next(make_plan([request], others, explain=False).choices, None)
        if choice is not None:
            return Near(relaxed.field, relaxed.asked, _nearest(relaxed.field, choice.candidate), choice)
    return None


def _nearest(field: str, candidate: Candidate) -> str:
    shown = {
        "use_spot": "on-demand",
        "zone": candidate.zone or candidate.region,
        "region": candidate.region,
        "cloud": candidate.cloud,
        "max_hourly_cost": f"{usd(candidate.hourly_usd)}/h",
        "accelerators": accelerators(candidate.accelerators),
        "cpus": f"{candidate.cpus:g}",
        "memory": f"{candidate.memory_gb:g}",
        "instance_type": candidate.instance_type,
    }
    return shown[field]


def _relaxations(request: Request) -> Iterator[_Relaxed]:
    def without(field: str, asked: object, **changes: object) -> _Relaxed:
        return _Relaxed(field, str(asked), (request.model_copy(update=changes),))

    if request.use_spot:
        yield without("use_spot", "spot", use_spot=False)
    if request.zone is not None:
        yield without("zone", request.zone, zone=None)
    if request.region is not None:
        kept, dropped = ({"region": None}, {"region": None, "zone": None})
        wider = tuple(request.model_copy(update=update) for update in (kept, dropped)[request.zone is None :])
        yield _Relaxed("region", request.region, wider)
    if request.cloud is not None:
        anywhere = request.model_copy(update={"cloud": None, "region": None, "zone": None})
        yield _Relaxed("cloud", request.cloud, (anywhere,), not_in=request.cloud)
    if request.max_hourly_cost is not None:
        yield without("max_hourly_cost", f"{usd(request.max_hourly_cost)}/h", max_hourly_cost=None)
    if request.instance_type is not None:
        yield without("instance_type", request.instance_type, instance_type=None)
    yield from _sizes(request)


def _sizes(request: Request) -> Iterator[_Relaxed]:
    if request.accelerators:
        yield _Relaxed("accelerators", accelerators(request.accelerators), tuple(_more_accelerators(request)))
    for name, field in (("cpus", "cpus"), ("memory_gb", "memory")):
        amount: Amount | None = getattr(request, name)
        if amount is not None:
            steps = (Amount(value=value, plus=True) for value in _less(amount))
            changed = tuple(request.model_copy(update={name: step}) for step in steps)
            yield _Relaxed(field, str(amount), changed)


def _less(amount: Amount) -> Iterator[float]:
    """The amount itself if it was meant exactly, then less and less."""
    value = amount.value
    if not amount.plus:
        yield value
    yield from (math.floor(value * 0.75),) if value >= 4 else ()
    while value > 1:
        value = float(max(1, math.floor(value / 2)))
        yield value


def _more_accelerators(request: Request) -> Iterator[Request]:
    """More of the same, the fewest first; then fewer, the most first."""
    (name, count), *others = request.accelerators.items()
    steps = sorted({*_COUNTS, int(count) + 1})
    for step in [s for s in steps if s > count] + [s for s in reversed(steps) if s < count]:
        yield request.model_copy(update={"accelerators": {name: float(step), **dict(others)}})
