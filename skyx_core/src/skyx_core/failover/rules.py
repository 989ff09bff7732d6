"""From a cloud's error to a verdict, by tables of rules. Classification never raises."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from skyx_core.errors import CloudError
from skyx_core.models import Block, BlockKey, Candidate, Category, ErrorRule, Place, Scope, Verdict

UNKNOWN_TTL_S = 300.0
PLUGIN_TTL_S = 600.0


def classify(
    rules: Iterable[ErrorRule], *, place: Place, candidate: Candidate, error: CloudError, now: float
) -> Verdict:
    """The first rule that matches any of the errors decides; what no rule knows blocks the narrowest thing."""
    for rule in rules:
        if matches(rule, error):
            return _verdict(rule, place, candidate, error, now)
    return unknown(place, candidate, str(error), now, nodes_may_exist=error.nodes_may_exist)


def matches(rule: ErrorRule, error: CloudError) -> bool:
    """Whether all that the rule names fits one of the errors in the answer."""
    if rule.operation is not None and rule.operation != error.operation:
        return False
    single = [(error.code, error.message, error.status)]
    several = [(detail.code, detail.message, detail.status) for detail in error.details]
    return any(_fits(rule, code, message, status) for code, message, status in single + several)


def _fits(rule: ErrorRule, code: str, message: str, status: int) -> bool:
    if rule.code is None and rule.message is None and rule.status is None:
        return False
    if rule.code is not None and not re.fullmatch(rule.code, code):
        return False
    if rule.message is not None and not re.search(rule.message, message, re.IGNORECASE):
        return False
    return rule.status is None or rule.status == status


def _verdict(rule: ErrorRule, place: Place, candidate: Candidate, error: CloudError, now: float) -> Verdict:
    reason = str(error)
    blocks = _blocks(rule.scope, place, candidate, rule.id, reason, now + rule.ttl)
    narrow = _blocks(_narrowest(place), place, candidate, rule.id, reason, now + rule.ttl)
    return Verdict(
        category=rule.category,
        scope=rule.scope,
        rule=rule.id,
        blocks=() if rule.retry or rule.abort else blocks or narrow,
        retry=rule.retry,
        blocks_after=(blocks or narrow) if rule.retry else (),
        abort=rule.abort,
        nodes_may_exist=rule.nodes_may_exist and error.nodes_may_exist,
        reason=reason,
        hint=rule.hint,
    )


def unknown(
    place: Place,
    candidate: Candidate,
    reason: str,
    now: float,
    *,
    rule: str = "core.unknown",
    category: Category = Category.UNKNOWN,
    nodes_may_exist: bool = True,
) -> Verdict:
    """Block this instance type in the zone, or in the region where no zone is known."""
    scope = _narrowest(place)
    ttl = PLUGIN_TTL_S if category is Category.PLUGIN else UNKNOWN_TTL_S
    return Verdict(
        category=category,
        scope=scope,
        rule=rule,
        blocks=_blocks(scope, place, candidate, rule, reason, now + ttl),
        nodes_may_exist=nodes_may_exist,
        reason=reason,
    )


def _narrowest(place: Place) -> Scope:
    return Scope.INSTANCE_TYPE_IN_ZONE if place.zones else Scope.INSTANCE_TYPE_IN_REGION


def _blocks(  # noqa: PLR0917 - private, one line per use
    scope: Scope, place: Place, candidate: Candidate, rule: str, reason: str, until: float
) -> tuple[Block, ...]:
    return tuple(Block(key=key, rule=rule, reason=reason[:500], until=until) for key in _keys(scope, place, candidate))


def _keys(scope: Scope, place: Place, candidate: Candidate) -> Sequence[BlockKey]:
    cloud, region, kind, spot = place.cloud, place.region, candidate.instance_type, candidate.use_spot
    zones: tuple[str | None, ...] = place.zones or (None,)
    match scope:
        case Scope.NONE:
            return ()
        case Scope.CLOUD:
            return (BlockKey(cloud=cloud),)
        case Scope.REGION:
            return (BlockKey(cloud=cloud, region=region),)
        case Scope.ZONE:
            return tuple(BlockKey(cloud=cloud, region=region, zone=zone) for zone in zones)
        case Scope.INSTANCE_TYPE_IN_REGION:
            return (BlockKey(cloud=cloud, region=region, instance_type=kind, use_spot=spot),)
        case Scope.INSTANCE_TYPE_IN_ZONE:
            return tuple(
                BlockKey(cloud=cloud, region=region, zone=zone, instance_type=kind, use_spot=spot) for zone in zones
            )
        case Scope.SPOT:
            return (BlockKey(cloud=cloud, region=region, use_spot=True),)
        case Scope.ACCELERATOR:
            names = sorted(candidate.accelerators)
            return tuple(BlockKey(cloud=cloud, region=region, accelerator=name) for name in names)
