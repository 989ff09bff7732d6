"""From a scope to the patterns that are blocked, and for how long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skyx_core.models import Block, BlockKey, Candidate, Category, ErrorRule, Place, Scope
from skyx_core.models.blocks import ANY_ACCELERATOR, UntilFixed

MINUTE, HOUR = 60.0, 3600.0
UNTIL_FIXED_AT_MOST_S = 24 * HOUR
_USUAL: dict[Category, float | UntilFixed] = {
    Category.CAPACITY: 5 * MINUTE,
    Category.QUOTA: HOUR,
    Category.RATE_LIMIT: 5 * MINUTE,
    Category.TRANSIENT: 5 * MINUTE,
    Category.UNKNOWN: 3 * MINUTE,
    Category.PLUGIN: 10 * MINUTE,
}
_GROWTH = 6.0  # what lasts minutes may grow to six times that, when it is met again and again
_SPOT_TOLD = frozenset({Category.CAPACITY, Category.QUOTA, Category.TRANSIENT, Category.RATE_LIMIT, Category.UNKNOWN})


def ttl_of(rule: ErrorRule) -> float | UntilFixed:
    """What the rule says, else what is usual for its category."""
    return _USUAL.get(rule.category, "until_fixed") if rule.ttl is None else rule.ttl


def seconds(ttl: float | UntilFixed) -> float:
    """How long a block with this time to live stays at most."""
    return UNTIL_FIXED_AT_MOST_S if isinstance(ttl, str) else ttl


def word(ttl: float | UntilFixed | None) -> str:
    """``none``, ``minutes``, ``hours`` or ``until_fixed``."""
    if ttl is None or isinstance(ttl, str):
        return ttl or "none"
    return "minutes" if ttl < HOUR / 4 + 1 else "hours"


def effective(scope: Scope, place: Place) -> Scope:
    """The scope at a place of which no zone is known: never wider than what the error is about."""
    if not place.zones and scope in (Scope.ZONE, Scope.INSTANCE_TYPE_IN_ZONE):
        return Scope.INSTANCE_TYPE_IN_REGION
    return scope


def narrowest(place: Place) -> Scope:
    """This type in the zone, or in the region where no zone is known."""
    return Scope.INSTANCE_TYPE_IN_ZONE if place.zones else Scope.INSTANCE_TYPE_IN_REGION


@dataclass(frozen=True)
class Met:
    """An error as it was met. ``bucket``: the quota that it names."""

    place: Place
    candidate: Candidate
    now: float
    reason: str = ""
    bucket: str = ""


def blocks_for(rule: ErrorRule, scope: Scope, met: Met) -> tuple[Block, ...]:
    """The blocks of one rule; each error blocks at least what was tried."""
    ttl = ttl_of(rule)
    lasts = seconds(ttl)
    grows = lasts * _GROWTH if rule.category is Category.CAPACITY and lasts <= HOUR else None
    return tuple(
        Block(
            key=key,
            rule=rule.id,
            reason=met.reason[:500],
            category=rule.category,
            since=met.now,
            until=met.now + lasts,
            grows_to=grows,
        )
        for key in keys(rule, effective(scope, met.place), met)
    )


def keys(rule: ErrorRule, scope: Scope, met: Met) -> Sequence[BlockKey]:
    """The patterns of a scope. Spot and on-demand are told apart where the error was about one of them."""
    cloud, region, spot = met.place.cloud, met.place.region, met.candidate.use_spot
    told = spot or None if rule.category not in _SPOT_TOLD else spot
    match scope:
        case Scope.NONE:
            return ()
        case Scope.CLOUD:
            return (BlockKey(cloud=cloud),)
        case Scope.REGION:
            return (BlockKey(cloud=cloud, region=region),)
        case Scope.ZONE:
            return tuple(BlockKey(cloud=cloud, region=region, zone=zone) for zone in met.place.zones)
        case Scope.SPOT:
            return (BlockKey(cloud=cloud, region=None if rule.account_wide else region, use_spot=True),)
        case Scope.ACCELERATOR:
            return tuple(_accelerator_keys(rule, met, told))
        case Scope.INSTANCE_TYPE_IN_ZONE:
            return tuple(_type_key(rule, met, told, zone) for zone in met.place.zones)
        case _:
            return (_type_key(rule, met, told, None),)


def _accelerator_keys(rule: ErrorRule, met: Met, told: bool | None) -> Iterator[BlockKey]:
    if rule.any_accelerator:  # such a limit counts spot and on-demand together
        yield BlockKey(cloud=met.place.cloud, accelerator=ANY_ACCELERATOR)
        return
    for name in sorted(met.candidate.accelerators):
        yield BlockKey(cloud=met.place.cloud, accelerator=name, use_spot=told)


def _type_key(rule: ErrorRule, met: Met, told: bool | None, zone: str | None) -> BlockKey:
    candidate = met.candidate
    bucket = _bucket(rule, met) if zone is None else None
    if bucket is not None:
        return BlockKey(cloud=met.place.cloud, region=met.place.region, quota_bucket=bucket, use_spot=told)
    drawn = rule.category in (Category.CAPACITY, Category.QUOTA)
    return BlockKey(
        cloud=met.place.cloud,
        region=met.place.region,
        zone=zone,
        instance_type=candidate.instance_type,
        accelerators=tuple(sorted(candidate.accelerators.items())) or None,
        use_spot=told,
        reservation=candidate.reservation or ("" if drawn else None),
    )


def _bucket(rule: ErrorRule, met: Met) -> str | None:
    """The quota to block: the one that the error names, if the candidate draws on it; else its only one."""
    buckets = met.candidate.quota_buckets
    if rule.category is not Category.QUOTA or not buckets:
        return None
    if not met.bucket:
        return buckets[0] if len(buckets) == 1 else None
    return next((each for each in buckets if each.casefold() == met.bucket.casefold()), None)


def uncovered(blocks: Sequence[Block], met: Met) -> tuple[str | None, ...]:
    """The zones that were tried and that none of the blocks stands in the way of; None = the cloud has none."""
    if any(_of_all_tried(block.key, met) for block in blocks):
        return ()
    from skyx_core.failover.blocklist import matches

    tried = {zone: _in_zone(met.candidate, zone) for zone in met.place.zones or (met.candidate.zone,)}
    return tuple(zone for zone, each in tried.items() if not any(matches(block.key, each) for block in blocks))


def _of_all_tried(key: BlockKey, met: Met) -> bool:
    """Whether a pattern plainly holds all that was tried, as most do."""
    place, candidate = met.place, met.candidate
    if candidate.cloud != place.cloud or candidate.region != place.region:
        return False
    simple = key.accelerator is None and key.quota_bucket is None and key.request is None
    return (
        simple
        and key.cloud == place.cloud
        and key.region in (None, place.region)
        and (key.zone is None or place.zones == (key.zone,))
        and key.instance_type in (None, candidate.instance_type)
        and key.use_spot in (None, candidate.use_spot)
        and key.reservation in (None, candidate.reservation or "")
        and (key.accelerators is None or dict(key.accelerators) == candidate.accelerators)
    )


def _in_zone(candidate: Candidate, zone: str | None) -> Candidate:
    return candidate if candidate.zone == zone else candidate.model_copy(update={"zone": zone})
