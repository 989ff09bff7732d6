"""What core adds to the blocks of a verdict: what they depend on besides time."""

from __future__ import annotations

from collections.abc import Sequence

from skyx_core.failover.blocking import UNTIL_FIXED_AT_MOST_S
from skyx_core.models import Block, Category, Verdict

_OF_REQUEST = frozenset({Category.NOT_FOUND, Category.USER_ERROR})
_OF_LAUNCH = frozenset({Category.PLUGIN})  # nothing that a cloud said


def stamped(verdict: Verdict, *, fingerprint: str, request: str) -> Verdict:
    """Blocks that stay until something is fixed end when the credentials or the configuration change; errors about
    what the request names itself (an image, a disk) concern requests that name the same.
    """
    if not verdict.blocks and not verdict.blocks_after:
        return verdict
    return verdict.model_copy(
        update={
            "blocks": _stamped(verdict.blocks, fingerprint, request),
            "blocks_after": _stamped(verdict.blocks_after, fingerprint, request),
        }
    )


def _stamped(blocks: Sequence[Block], fingerprint: str, request: str) -> tuple[Block, ...]:
    return tuple(_one(block, fingerprint, request) for block in blocks)


def _one(block: Block, fingerprint: str, request: str) -> Block:
    update: dict[str, object] = {}
    if block.until is not None and block.until - block.since >= UNTIL_FIXED_AT_MOST_S:
        update["fingerprint"] = fingerprint
    if block.category in _OF_REQUEST:
        update["key"] = block.key.model_copy(update={"request": request})
    return block.model_copy(update=update) if update else block


def outlives(block: Block) -> bool:
    """Whether the next launch shall know it: faults of plugins and of nodes say nothing about a cloud."""
    return block.category not in _OF_LAUNCH and not block.rule.startswith("core.fault")
