"""Ranking. A plan is a lazy stream: nothing beyond what is looked at is computed."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from itertools import groupby

from skyx_core.models import Candidate, Capability, Offer, Request, WhyNot
from skyx_core.plan.digest import digest
from skyx_core.plan.gate import Gate
from skyx_core.plan.left_out import LeftOut
from skyx_core.plan.ranking import Choice, cheapest_in_all, distinct, fastest_first, rank
from skyx_core.plan.streams import Wish, choices_of
from skyx_core.plan.words import describe_request

__all__ = ["COST", "TIME", "Choice", "Plan", "Source", "describe_request", "make_plan"]
COST, TIME = "cost", "time"
USUAL_START_S = 120.0


@dataclass(frozen=True)
class Source:
    """One enabled cloud, as the planner sees it. ``offers``: cheapest first, read lazily; where it raises a
    ``SkyxError`` or ``CloudError``, at once or in the middle, the cloud ends there and the reason is kept.
    """

    cloud: str
    capabilities: frozenset[Capability]
    abilities: frozenset[str]
    offers: Callable[[Request], Iterable[Offer]]
    lacks: Callable[[Candidate, Request], Sequence[WhyNot]]
    why_nothing: Callable[[Request], Sequence[WhyNot]]
    usual_start_s: float = USUAL_START_S


@dataclass
class Plan:
    """``choices`` in order, lazily, each once; ``excluded`` and ``notes`` grow while choices are drawn. ``gate``: what
    is left of clouds that were closed while drawing.
    """

    choices: Iterator[Choice]
    gate: Gate = field(default_factory=Gate)
    left_out: LeftOut = field(default_factory=LeftOut)
    notes: list[str] = field(default_factory=list)

    @property
    def excluded(self) -> list[WhyNot]:
        """Clouds and offers that were left out so far."""
        return self.left_out.all()


def make_plan(
    requests: Sequence[Request],
    sources: Sequence[Source],
    *,
    ordered: bool | Sequence[int] = False,
    not_enabled: Sequence[WhyNot] = (),
    optimize: str = COST,
    egress: Callable[[Candidate], float] | None = None,
    explain: bool = True,
    notes: list[str] | None = None,
) -> Plan:
    """Rank what the sources offer for the alternatives; ties are broken by name, so equal input gives equal plans,
    whatever the order of the sources.

    ``ordered``: alternatives keep their order (or, as numbers, those of a lower number come first); within each, and
    otherwise over all, ``optimize`` decides: "cost", or "time" (the fastest first). ``egress``: US dollars that come
    once, for what a candidate gets from elsewhere. ``explain`` False: nothing is noted as left out. ``notes``:
    the list to put notes into.
    """
    plan = Plan(choices=iter(()), notes=[] if notes is None else notes)
    left_out = plan.left_out if explain else None
    if left_out is not None:
        _unknown_clouds(requests, sources, not_enabled, left_out)
    starts = {source.cloud: source.usual_start_s for source in sources}

    def sort(streams: Iterable[Iterator[Choice]]) -> Iterator[Choice]:
        merged = distinct(heapq.merge(*streams, key=rank), by_price=True)
        if egress is not None:
            merged = cheapest_in_all(merged, egress)
        if optimize == TIME:
            merged = fastest_first(merged, lambda cloud: starts.get(cloud, USUAL_START_S), plan.notes)
        return merged

    def note(text: str) -> None:
        if text not in plan.notes:
            plan.notes.append(text)

    plan.gate.arrange = sort
    wishes = [Wish(request, number, digest(request)) for number, request in enumerate(requests)]
    groups = _groups(wishes, ordered)
    ranked = (
        choice
        for number, group in enumerate(groups)
        for choice in sort(_streams(group, sources, left_out, note, partial(plan.gate.through, group=number)))
    )
    plan.choices = distinct(ranked, by_price=False) if len(groups) > 1 else ranked
    return plan


def _groups(wishes: Sequence[Wish], ordered: bool | Sequence[int]) -> list[list[Wish]]:
    """Alternatives that compete with each other."""
    if isinstance(ordered, bool):
        return [[wish] for wish in wishes] if ordered else [list(wishes)]
    pairs = sorted(zip(ordered, wishes, strict=True), key=lambda pair: pair[0])
    return [[wish for _, wish in group] for _, group in groupby(pairs, key=lambda pair: pair[0])]


def _streams(
    wishes: Sequence[Wish],
    sources: Sequence[Source],
    left_out: LeftOut | None,
    note: Callable[[str], None],
    through: Callable[[str, Iterator[Choice]], Iterator[Choice]],
) -> Iterator[Iterator[Choice]]:
    for wish in wishes:
        for source in sources:
            if wish.request.cloud in (None, source.cloud):
                yield through(source.cloud, choices_of(wish, source, left_out, note))


def _unknown_clouds(
    requests: Sequence[Request], sources: Sequence[Source], not_enabled: Sequence[WhyNot], left_out: LeftOut
) -> None:
    """Clouds that are asked for and not there, and those that can't be used now."""
    known = [source.cloud for source in sources] + [why.subject for why in not_enabled]
    for name in dict.fromkeys(request.cloud for request in requests):
        for why in not_enabled:
            if name in (None, why.subject):
                left_out.add(why.subject, [why])
        if name is not None and name not in known:
            close = get_close_matches(name, known, 1)
            fix = f"did you mean {close[0]!r}?" if close else "'skyx plugins' lists what is installed"
            left_out.add(name, [WhyNot(subject=name, reason="no installed plugin offers this cloud", fix=fix)])
