"""From a cloud's error to a verdict, by tables of rules. Classification never raises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from skyx_core.errors import CloudError, CloudErrorDetail, storable
from skyx_core.failover.blocking import Met, blocks_for, effective, narrowest, ttl_of, uncovered
from skyx_core.failover.default_rules import DEFAULT
from skyx_core.failover.hints import filled
from skyx_core.failover.leaves import Unwrapper
from skyx_core.failover.matching import Hit, Matcher
from skyx_core.failover.places import listed, names_in
from skyx_core.models import Block, Candidate, Category, ErrorRule, Place, RuleTable, Scope, Verdict

_CERTAIN_FIRST = (
    Category.AUTH,
    Category.PERMISSION,
    Category.CONFIG,
    Category.NOT_FOUND,
    Category.QUOTA,
    Category.UNSUPPORTED,
    Category.CAPACITY,
    Category.USER_ERROR,
    Category.RATE_LIMIT,
    Category.TRANSIENT,
)
_RANK: Mapping[Category, int] = {category: rank for rank, category in enumerate(_CERTAIN_FIRST)}
_REASON_AT_MOST = 2000


class Rulebook:
    """The joined tables of one cloud: the user's before a plugin's before the driver's before the usual ones.

    Thread-safe; patterns are compiled at the first use, and which rules a code can meet is remembered.
    """

    def __init__(self, tables: Sequence[RuleTable]) -> None:
        self._table = RuleTable.joined([*tables, DEFAULT])

    @property
    def rules(self) -> tuple[ErrorRule, ...]:
        return self._table.rules

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(self._table)

    @cached_property
    def _unwrapper(self) -> Unwrapper:
        return Unwrapper(self._table)

    def classify(self, error: CloudError, *, place: Place, candidate: Candidate, now: float) -> Verdict:
        """Every error of the answer is looked at; of those that a rule knows, what is most certain decides.

        What no rule knows blocks the narrowest thing.
        """
        leaves = self._unwrapper.leaves(error)
        met = Met(place, candidate, now, storable(str(error)[:_REASON_AT_MOST]))
        first = self._matcher.first
        hits = [hit for leaf in leaves if (hit := first(leaf, error, place, candidate)) is not None]
        if not hits:
            return unknown(place, candidate, met.reason, now, nodes_may_exist=error.nodes_may_exist)
        hits.sort(key=_rank)  # stable: of equal ones the first decides
        best = hits[0]
        blocks = [block for hit in hits if _blocks_now(hit.rule) for block in _blocks(hit, met)]
        return _verdict(best, met, blocks, error, self._preferred(best, error))

    def _preferred(self, best: Hit, error: CloudError) -> tuple[str, ...]:
        """Places with capacity: those that the message names, then those that the answer lists."""
        told = names_in(best.groups["places"]) if "places" in best.groups else ()
        return tuple(dict.fromkeys((*told, *listed(error, self._table.place_keys))))


def _rank(hit: Hit) -> int:
    return _RANK.get(hit.rule.category, len(_RANK))


def unknown(
    place: Place,
    candidate: Candidate,
    reason: str,
    now: float,
    *,
    rule: str = "core.unknown",
    category: Category = Category.UNKNOWN,
    block: Scope | None = None,
    nodes_may_exist: bool = True,
) -> Verdict:
    """Block this instance type in the zone, or in the region where no zone is known; or ``block``."""
    row = ErrorRule(id=rule, category=category, block=block or narrowest(place))
    scope = effective(row.block, place)
    return Verdict(
        category=category,
        block=scope,
        rule=rule,
        blocks=blocks_for(row, scope, Met(place, candidate, now, reason)),
        nodes_may_exist=nodes_may_exist,
        reason=reason,
        ttl=ttl_of(row),
    )


def _blocks_now(rule: ErrorRule) -> bool:
    return rule.retry is None and not rule.abort


def _blocks(hit: Hit, met: Met) -> tuple[Block, ...]:
    """Those of one error, which may name a type or a zone of its own."""
    rule = hit.rule
    scope = (rule.block_after or rule.block) if rule.retry else rule.block
    own = _own(hit.leaf, met)
    if "bucket" in hit.groups:
        own = replace(own, bucket=hit.groups["bucket"])
    return blocks_for(rule, narrowest(own.place) if scope is Scope.NONE else scope, own)


def _own(leaf: CloudErrorDetail, met: Met) -> Met:
    zone, kind = leaf.data.get("AvailabilityZone"), leaf.data.get("InstanceType")
    if not zone and not kind:
        return met
    place = met.place.model_copy(update={"zones": (storable(zone),)}) if zone else met.place
    candidate = met.candidate.model_copy(update={"instance_type": storable(kind)}) if kind else met.candidate
    return replace(met, place=place, candidate=candidate)


def _verdict(best: Hit, met: Met, blocks: Sequence[Block], error: CloudError, prefer: tuple[str, ...]) -> Verdict:
    rule, now_blocked = best.rule, _blocks_now(best.rule)
    scope = rule.block if rule.block is not Scope.NONE else narrowest(met.place)
    after = _sure(_blocks(best, met), rule, met) if rule.retry else ()
    return Verdict(
        category=rule.category,
        block=effective(scope, met.place) if now_blocked else Scope.NONE,
        rule=rule.id,
        blocks=_sure(tuple(dict.fromkeys(blocks)), rule, met) if now_blocked else (),
        retry=rule.retry,
        blocks_after=after,
        abort=rule.abort,
        nodes_may_exist=rule.nodes_may_exist and error.nodes_may_exist,
        reason=met.reason,
        hint=_filled(rule.hint, best, met),
        ttl=ttl_of(rule) if now_blocked else None,
        prefer=prefer,
    )


def _sure(blocks: tuple[Block, ...], rule: ErrorRule, met: Met) -> tuple[Block, ...]:
    """What was tried is among what is blocked, whatever the error names."""
    left = uncovered(blocks, met)
    if not left:
        return blocks
    place = met.place.model_copy(update={"zones": tuple(zone for zone in left if zone in met.place.zones)})
    return blocks + blocks_for(rule, narrowest(place), replace(met, place=place))


def _filled(hint: str, hit: Hit, met: Met) -> str:
    if "{" not in hint:
        return hint
    facts = {
        "cloud": met.place.cloud,
        "region": met.place.region,
        "zone": ", ".join(met.place.zones) or met.place.region,
        "instance_type": met.candidate.instance_type,
    }
    return filled(hint, {**facts, **hit.groups})
