"""From a cloud's error to a verdict, by tables of rules. Classification never raises."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from skyx_core.errors import CloudError, CloudErrorDetail, storable
from skyx_core.failover.blocking import Met, blocks_for, effective, narrowest, ttl_of, uncovered
from skyx_core.failover.default_rules import DEFAULT
from skyx_core.failover.leaves import Unwrapper
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
_KNOWN_CODES = 4096
_REASON_AT_MOST = 2000
_END_AT_MOST = 4000  # of a message, at each of its ends, where rules look


@dataclass(frozen=True)
class _Compiled:
    """One rule with its patterns."""

    rule: ErrorRule
    code: re.Pattern[str] | None
    message: re.Pattern[str] | None
    places: bool  # whether it depends on more than the error's text

    @classmethod
    def of(cls, rule: ErrorRule) -> _Compiled:
        def compiled(text: str | None, flags: int = 0) -> re.Pattern[str] | None:
            return None if text is None else re.compile(text, flags)

        picky = (rule.operation, rule.status, rule.kind, rule.region, rule.instance_type, rule.use_spot, rule.zone)
        places = any(each is not None for each in (*picky, rule.accelerators))
        return cls(rule, compiled(rule.code), compiled(rule.message, re.IGNORECASE | re.DOTALL), places)

    @property
    def empty(self) -> bool:
        """Such a rule would match everything; it matches nothing."""
        rule = self.rule
        return rule.code is None and rule.message is None and rule.status is None and rule.kind is None


@dataclass(frozen=True)
class _Hit:
    rule: ErrorRule
    leaf: CloudErrorDetail
    groups: Mapping[str, str]

    @property
    def rank(self) -> int:
        return _RANK.get(self.rule.category, len(_RANK))


class Rulebook:
    """The joined tables of one cloud: the user's before a plugin's before the driver's before the usual ones.

    Thread-safe; patterns are compiled at the first use, and which rules a code can meet is remembered.
    """

    def __init__(self, tables: Sequence[RuleTable]) -> None:
        self._table = join([*tables, DEFAULT])
        self._by_code: dict[str, tuple[_Compiled, ...]] = {}

    @property
    def rules(self) -> tuple[ErrorRule, ...]:
        return self._table.rules

    @cached_property
    def _compiled(self) -> tuple[_Compiled, ...]:
        return tuple(one for one in map(_Compiled.of, self._table.rules) if not one.empty)

    @cached_property
    def _unwrapper(self) -> Unwrapper:
        return Unwrapper(self._table)

    def classify(self, error: CloudError, *, place: Place, candidate: Candidate, now: float) -> Verdict:
        """Every error of the answer is looked at; of those that a rule knows, what is most certain decides.

        What no rule knows blocks the narrowest thing.
        """
        leaves = self._unwrapper.leaves(error)
        met = Met(place, candidate, now, storable(str(error)[:_REASON_AT_MOST]))
        hits = [hit for leaf in leaves if (hit := self._first(leaf, error, place, candidate)) is not None]
        if not hits:
            return unknown(place, candidate, met.reason, now, nodes_may_exist=error.nodes_may_exist)
        best = min(hits, key=lambda hit: hit.rank)
        blocks = [block for hit in hits if _blocks_now(hit.rule) for block in _blocks(hit, met)]
        return _verdict(best, met, blocks, error)

    def _first(self, leaf: CloudErrorDetail, error: CloudError, place: Place, candidate: Candidate) -> _Hit | None:
        text = _ends(leaf.message)
        for one in self._meeting(leaf.code):
            found = one.message.search(text) if one.message else None
            if one.message and not found:
                continue
            if one.places and not _fits(one.rule, leaf, error, place, candidate):
                continue
            groups = {name: text for name, text in found.groupdict().items() if text} if found else {}
            return _Hit(one.rule, leaf, groups)
        return None

    def _meeting(self, code: str) -> tuple[_Compiled, ...]:
        known = self._by_code.get(code)
        if known is None:
            known = tuple(one for one in self._compiled if one.code is None or one.code.fullmatch(code))
            if len(self._by_code) < _KNOWN_CODES:
                self._by_code[code] = known
        return known


def join(tables: Sequence[RuleTable]) -> RuleTable:
    """One table: the first one's rules first."""
    return RuleTable(
        rules=tuple(rule for table in tables for rule in table.rules),
        summaries=tuple(dict.fromkeys(text for table in tables for text in table.summaries)),
        code_keys=tuple(dict.fromkeys(key for table in tables for key in table.code_keys)),
        message_keys=tuple(dict.fromkeys(key for table in tables for key in table.message_keys)),
    )


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


def _fits(rule: ErrorRule, leaf: CloudErrorDetail, error: CloudError, place: Place, candidate: Candidate) -> bool:
    """What a rule asks besides code and message."""
    texts = (
        (rule.operation, error.operation),
        (rule.kind, leaf.data.get("kind") or error.data.get("kind", "")),
        (rule.region, place.region),
        (rule.instance_type, candidate.instance_type),
    )
    if any(wanted is not None and not re.fullmatch(wanted, text) for wanted, text in texts):
        return False
    if rule.status is not None and rule.status != (leaf.status or error.status):
        return False
    facts = (
        (rule.use_spot, candidate.use_spot),
        (rule.zone, bool(place.zones)),
        (rule.accelerators, bool(candidate.accelerators)),
    )
    return all(wanted is None or wanted == is_so for wanted, is_so in facts)


def _blocks_now(rule: ErrorRule) -> bool:
    return rule.retry is None and not rule.abort


def _blocks(hit: _Hit, met: Met) -> tuple[Block, ...]:
    """Those of one error, which may name a type or a zone of its own."""
    rule = hit.rule
    scope = (rule.block_after or rule.block) if rule.retry else rule.block
    own = replace(_own(hit.leaf, met), bucket=hit.groups.get("bucket", ""))
    return blocks_for(rule, narrowest(own.place) if scope is Scope.NONE else scope, own)


def _ends(text: str) -> str:
    """A text, without the middle of a huge one."""
    return text if len(text) <= 2 * _END_AT_MOST else f"{text[:_END_AT_MOST]}\n{text[-_END_AT_MOST:]}"


def _own(leaf: CloudErrorDetail, met: Met) -> Met:
    zone, kind = leaf.data.get("AvailabilityZone"), leaf.data.get("InstanceType")
    if not zone and not kind:
        return met
    place = met.place.model_copy(update={"zones": (storable(zone),)}) if zone else met.place
    candidate = met.candidate.model_copy(update={"instance_type": storable(kind)}) if kind else met.candidate
    return replace(met, place=place, candidate=candidate)


def _verdict(best: _Hit, met: Met, blocks: Sequence[Block], error: CloudError) -> Verdict:
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
        prefer=_places(best.groups.get("places", "")),
    )


def _sure(blocks: tuple[Block, ...], rule: ErrorRule, met: Met) -> tuple[Block, ...]:
    """What was tried is among what is blocked, whatever the error names."""
    left = uncovered(blocks, met)
    if not left:
        return blocks
    place = met.place.model_copy(update={"zones": tuple(zone for zone in left if zone in met.place.zones)})
    return blocks + blocks_for(rule, narrowest(place), replace(met, place=place))


def _places(text: str) -> tuple[str, ...]:
    names = (part.strip(" .'\"()[]") for part in re.split(r"[,;\s]+(?:and\s+|or\s+)?", text))
    return tuple(dict.fromkeys(name for name in names if name))


class _Known(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


def _filled(hint: str, hit: _Hit, met: Met) -> str:
    if "{" not in hint:
        return hint
    facts = {
        "cloud": met.place.cloud,
        "region": met.place.region,
        "zone": ", ".join(met.place.zones) or met.place.region,
        "instance_type": met.candidate.instance_type,
    }
    try:
        return hint.format_map(_Known({**facts, **hit.groups}))
    except (ValueError, IndexError, AttributeError, KeyError):
        return hint
