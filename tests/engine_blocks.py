"""Blocks as plain predicates, to compare the engine and its index with."""

from __future__ import annotations

from collections.abc import Sequence

from skyx_core.failover.blocklist import Blocklist
from skyx_core.models import Block, BlockKey, Candidate
from skyx_core.plan.planner import Choice

Spot = tuple[str, str, str | None, str, bool]  # cloud, region, zone, instance type, spot


def covers(key: BlockKey, c: Candidate, request: str = "") -> bool:
    """Whether a pattern fits, field by field."""
    facts = (
        (key.cloud, c.cloud),
        (key.region, c.region),
        (key.zone, c.zone),
        (key.instance_type, c.instance_type),
        (key.use_spot, c.use_spot),
        (key.reservation, c.reservation or ""),
        (key.request, request),
    )
    if any(wanted is not None and wanted != fact for wanted, fact in facts):
        return False
    if key.accelerators is not None and dict(key.accelerators) != c.accelerators:
        return False
    if key.quota_bucket is not None and key.quota_bucket not in c.quota_buckets:
        return False
    return key.accelerator in (None, *c.accelerators) or (key.accelerator == "*" and bool(c.accelerators))


def in_the_way(blocks: Sequence[Block], c: Candidate, now: float, request: str = "") -> list[Block]:
    return [b for b in blocks if (b.until is None or b.until > now) and covers(b.key, c, request)]


def block(key: BlockKey, until: float | None) -> Block:
    return Block(key=key, rule="r", reason="r", until=until)


def end(block: Block) -> float:
    return float("inf") if block.until is None else block.until


def same_answer(
    index: Blocklist, plain: Sequence[Block], asked: Candidate, now: float, request: str = ""
) -> Block | None:
    """The block found lasts as long as the longest of those that a plain search finds."""
    hit = index.hit(asked, now, request=request)
    wanted = in_the_way(plain, asked, now, request)
    assert (hit is None) == (not wanted), f"{hit} against {wanted}"
    if hit is not None:
        assert covers(hit.key, asked, request)
        assert end(hit) == max(map(end, wanted))
    return hit


def spot(choice: Choice, zone: str | None) -> Spot:
    c = choice.candidate
    return (c.cloud, c.region, zone, c.instance_type, c.use_spot)


def at(choice: Choice, zone: str | None) -> Candidate:
    return choice.candidate.model_copy(update={"zone": zone or choice.candidate.zone})
