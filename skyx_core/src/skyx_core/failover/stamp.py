"""What core adds to the blocks of a verdict: what they depend on besides time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skyx_core.failover.blocking import UNTIL_FIXED_AT_MOST_S
from skyx_core.models import Block, Category, Verdict

_OF_REQUEST = frozenset({Category.NOT_FOUND, Category.USER_ERROR})
_OF_SIZE = frozenset({Category.CAPACITY, Category.QUOTA})
_OF_LAUNCH = frozenset({Category.PLUGIN})  # nothing that a cloud said


@dataclass(frozen=True)
class _Facts:
    fingerprint: str
    request: str
    account: str
    nodes: int


def stamped(verdict: Verdict, *, fingerprint: str, request: str, account: str = "", nodes: int = 1) -> Verdict:
    """Blocks that stay until something is fixed end when the credentials or the configuration change; errors about
    what the request names itself (an image, a disk) concern requests that name the same; lack of room for so many
    nodes says nothing about fewer; and nothing that one account met concerns another.
    """
    if not verdict.blocks and not verdict.blocks_after:
        return verdict
    facts = _Facts(fingerprint, request, account, nodes)
    return verdict.model_copy(
        update={
            "blocks": _stamped(verdict.blocks, facts),
            "blocks_after": _stamped(verdict.blocks_after, facts),
        }
    )


def until_fixed(block: Block) -> bool:
    """Whether only a change of credentials or configuration ends it, but for the longest time that any stays."""
    return block.until is not None and block.until - block.since >= UNTIL_FIXED_AT_MOST_S


def outlives(block: Block) -> bool:
    """Whether the next launch shall know it: faults of plugins and of nodes say nothing about a cloud."""
    return block.category not in _OF_LAUNCH and not block.rule.startswith("core.fault")


def _stamped(blocks: Sequence[Block], facts: _Facts) -> tuple[Block, ...]:
    return tuple(_one(block, facts) for block in blocks)


def _one(block: Block, facts: _Facts) -> Block:
    update: dict[str, object] = {"account": facts.account}
    if until_fixed(block):
        update["fingerprint"] = facts.fingerprint
    if block.category in _OF_SIZE:
        update["nodes"] = facts.nodes
    if block.category in _OF_REQUEST:
        update["key"] = block.key.model_copy(update={"request": facts.request})
    return block.model_copy(update=update)
