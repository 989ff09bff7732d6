"""Looking at blocks that outlive a launch, and forgetting them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skyx_core.cluster.fingerprints import holds
from skyx_core.errors import PluginError, UsageError
from skyx_core.failover.blocklist import FORGET_S
from skyx_core.failover.recorded import pattern
from skyx_core.models import Block
from skyx_core.results import BlockRow, BlocksResult, to_iso
from skyx_core.settings.sources import nearest

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services


class BlockOperations:
    """See ``Session`` for what each does."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def list(self, cloud: str | None, *, ended: bool) -> BlocksResult:
        store, now = self._services.store, self._services.clock.time()
        if cloud is not None:
            self._check(cloud)
        clouds = None if cloud is None else [cloud]
        stored = store.blocks(clouds, now=now, ended_within=FORGET_S if ended else 0.0)
        fingerprints = self._fingerprints(stored)
        shown = stored if ended else [block for block in stored if holds(block, fingerprints)]
        rows = [_row(block, holds(block, fingerprints)) for block in shown]
        rows.sort(key=lambda row: (row.cloud, tuple(map(str, row.pattern.values())), row.until))
        return BlocksResult(rows, list(store.warnings))

    def clear(self, cloud: str | None) -> int:
        if cloud is not None:
            self._check(cloud)
        return self._services.store.clear_blocks(cloud)

    def _check(self, cloud: str) -> None:
        """A name that is no cloud's, and of which nothing is stored, is a slip."""
        services = self._services
        known = {*services.plugins.names("cloud"), *services.plugins.names("rules")}
        if cloud in known:
            return
        known |= {block.key.cloud or "" for block in services.store.blocks(now=0.0)}
        if cloud not in known:
            near = nearest(cloud, known)
            hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(sorted(known - {''})) or 'none'}"
            raise UsageError(f"no cloud named {cloud!r} is installed, and nothing is blocked there", hint=hint)

    def _fingerprints(self, blocks: Sequence[Block]) -> dict[str, str]:
        """Of the clouds of which it matters; a driver that can't be loaded can't tell, which ends no block."""
        found: dict[str, str] = {}
        for name in sorted({block.key.cloud for block in blocks if block.fingerprint and block.key.cloud}):
            try:
                found[name] = self._services.clouds.get(name).fingerprint()
            except PluginError:
                continue
        return found


def _row(block: Block, fingerprint_ok: bool) -> BlockRow:
    return BlockRow(
        cloud=block.key.cloud or "",
        pattern=pattern(block.key),
        rule=block.rule,
        reason=block.reason,
        category=block.category.value,
        since=to_iso(block.since),
        until=to_iso(block.until or 0.0),
        repeats=block.repeats,
        fingerprint_ok=fingerprint_ok,
    )
