"""Ranking. A plan is a lazy stream: nothing beyond what is looked at is computed."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from skyx_core.models import Candidate, Capability, Offer, Request, WhyNot
from skyx_core.plan.needs import admits, missing


@dataclass(frozen=True)
class Source:
    """One enabled cloud, as the planner sees it."""

    cloud: str
    capabilities: frozenset[Capability]
    abilities: frozenset[str]
    offers: Callable[[Request], Iterable[Offer]]
    lacks: Callable[[Candidate, Request], Sequence[WhyNot]]
    why_nothing: Callable[[Request], Sequence[WhyNot]]


@dataclass(frozen=True)
class Choice:
    """A candidate and the alternative of the task that it satisfies. ``alternative``: its number, from 0; ``digest``:
    of what the request names itself.
    """

    request: Request
    candidate: Candidate
    alternative: int = 0
    digest: str = ""


@dataclass
class Plan:
    """``choices`` in order, lazily, each once; ``excluded`` grows while choices are drawn."""

    choices: Iterator[Choice]
    excluded: list[WhyNot] = field(default_factory=list)


def make_plan(
    requests: Sequence[Request], sources: Sequence[Source], *, ordered: bool, not_enabled: Sequence[WhyNot] = ()
) -> Plan:
    """Rank what the sources offer for the alternatives. ``ordered``: alternatives keep their order; within each,
    and otherwise over all, the cheapest comes first; ties are broken by name, so equal input gives equal plans.
    """
    plan = Plan(choices=iter(()), excluded=[])
    streams = [_alternative(request, sources, not_enabled, plan.excluded) for request in requests]
    merged = _chain(streams) if ordered else heapq.merge(*streams, key=_rank)
    plan.choices = _distinct(merged)
    return plan


def _chain(streams: Sequence[Iterator[Choice]]) -> Iterator[Choice]:
    for stream in streams:
        yield from stream


def _distinct(choices: Iterator[Choice]) -> Iterator[Choice]:
    seen: set[tuple[object, ...]] = set()
    for choice in choices:
        key = (*_rank(choice), tuple(sorted(choice.candidate.accelerators.items())))
        if key not in seen:
            seen.add(key)
            yield choice


def _rank(choice: Choice) -> tuple[float, str, str, str, str, bool]:
    c = choice.candidate
    return (c.hourly_usd, c.cloud, c.region, c.zone or "", c.instance_type, c.use_spot)


def _alternative(
    request: Request, sources: Sequence[Source], not_enabled: Sequence[WhyNot], excluded: list[WhyNot]
) -> Iterator[Choice]:
    usable = [source for source in sources if request.cloud in (None, source.cloud)]
    _note(excluded, (w for w in not_enabled if request.cloud in (None, w.subject)))
    if not usable and request.cloud and all(w.subject != request.cloud for w in not_enabled):
        close = get_close_matches(request.cloud, [s.cloud for s in sources] + [w.subject for w in not_enabled], 1)
        fix = f"did you mean {close[0]!r}?" if close else "'skyx plugins' lists what is installed"
        _note(excluded, [WhyNot(subject=request.cloud, reason="no installed plugin offers this cloud", fix=fix)])
    yield from heapq.merge(*(_cloud(request, source, excluded) for source in usable), key=_rank)


def _note(excluded: list[WhyNot], reasons: Iterable[WhyNot]) -> None:
    excluded.extend(reason for reason in reasons if reason not in excluded)


def _cloud(request: Request, source: Source, excluded: list[WhyNot]) -> Iterator[Choice]:
    lacking = list(missing(request, source.capabilities, source.abilities))
    if lacking:
        _note(excluded, [WhyNot(subject=source.cloud, reason=f"doesn't support {' and '.join(lacking)}")])
        return
    found = False
    regions: set[tuple[str, str]] = set()
    for offer in source.offers(request):
        candidate = _candidate(request, offer)
        if candidate is None or _too_dear(request, candidate, excluded):
            continue
        lacks = source.lacks(candidate, request)
        _note(excluded, lacks)
        found = True
        if lacks or (candidate.zone is None and _seen(regions, candidate)):
            continue
        yield Choice(request, candidate)
    if not found:
        reasons = source.why_nothing(request) or [_nothing(source.cloud, request)]
        _note(excluded, reasons)


def _seen(regions: set[tuple[str, str]], candidate: Candidate) -> bool:
    key = (candidate.region, candidate.instance_type)
    if key in regions:
        return True
    regions.add(key)
    return False


def _nothing(cloud: str, request: Request) -> WhyNot:
    wanted = describe_request(request)
    return WhyNot(subject=cloud, reason=f"no offer fits {wanted}", fix="relax the request, or look at 'skyx show-gpus'")


def _too_dear(request: Request, candidate: Candidate, excluded: list[WhyNot]) -> bool:
    if request.max_hourly_cost is None or candidate.hourly_usd <= request.max_hourly_cost:
        return False
    reason = f"${candidate.hourly_usd:.2f}/h is over max_hourly_cost ${request.max_hourly_cost:.2f}"
    _note(excluded, [WhyNot(subject=candidate.cloud, reason=f"{candidate.instance_type}: {reason}")])
    return True


def _candidate(request: Request, offer: Offer) -> Candidate | None:
    """The offer as a candidate; on-demand zones of one region are one candidate, unless a zone is asked for."""
    if offer.use_spot != request.use_spot or request.region not in (None, offer.region):
        return None
    if request.zone is not None and offer.zone not in (None, request.zone):
        return None
    if request.instance_type not in (None, offer.instance_type):
        return None
    sized = admits(request, cpus=offer.cpus, memory_gb=offer.memory_gb, accelerators=offer.accelerators)
    if not sized:
        return None
    zone = request.zone if request.zone else (offer.zone if offer.use_spot else None)
    return Candidate(
        cloud=offer.cloud,
        region=offer.region,
        zone=zone,
        instance_type=offer.instance_type,
        cpus=offer.cpus,
        memory_gb=offer.memory_gb,
        accelerators=request.accelerators or offer.accelerators,
        use_spot=offer.use_spot,
        hourly_usd=offer.hourly_usd * request.num_nodes,
        quota_buckets=offer.quota_buckets,
        reservation=offer.reservation,
    )


def describe_request(request: Request) -> str:
    """``2x {A100:8, cpus=4+, spot}`` for tables and messages."""
    parts = [f"{name}:{count:g}" for name, count in sorted(request.accelerators.items())]
    parts += [str(request.instance_type)] if request.instance_type else []
    parts += [f"cpus={request.cpus}"] if request.cpus else []
    parts += [f"memory={request.memory_gb}"] if request.memory_gb else []
    parts += ["spot"] if request.use_spot else []
    return f"{request.num_nodes}x {{{', '.join(parts) or 'anything'}}}"
