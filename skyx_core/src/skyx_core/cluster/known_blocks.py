"""Blocks that outlive a launch: read when a search begins and at each new round, written as they are learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skyx_core.errors import CloudError, PluginError, StateStoreError
from skyx_core.failover.blocklist import FORGET_S, Blocklist
from skyx_core.failover.stamp import outlives
from skyx_core.models import Block, EventKind

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services


_AHEAD_S = 60.0  # a block from further ahead was learned while the clock was wrong


class KnownBlocks:
    """What this and other launches learned, for clusters of so many ``nodes``. A record that can't be used only costs
    attempts: a warning, no error. ``own_only``: nothing that others learned stands in the way.
    """

    def __init__(self, services: Services, nodes: int, *, own_only: bool = False) -> None:
        self._services = services
        self._nodes = nodes
        self._own_only = own_only
        self._version = 0

    def load(self, blocks: Blocklist) -> None:
        """Add what holds now for the clouds in use, and count what ended lately."""
        now = self._services.clock.time()
        try:
            self._version = self._services.store.others_wrote()
            stored = self._services.store.blocks(self._clouds(), now=now, ended_within=FORGET_S)
        except StateStoreError as error:
            self._warn(error)
            return
        for block in stored:
            if block.until is not None and block.until <= now:
                blocks.remember(block)
            elif not self._own_only and block.since <= now + _AHEAD_S and self._holds(block):
                blocks.add(block)

    def catch_up(self, blocks: Blocklist) -> None:
        """Take over what other launches learned since; costs one question when there is nothing."""
        try:
            if self._services.store.others_wrote() == self._version:
                return
        except StateStoreError:
            return  # told when it was loaded
        self.load(blocks)

    def refresh(self, blocks: Blocklist) -> tuple[Block, ...]:
        """Take over what others learned, cleared or mended meanwhile; the blocks that ended by that."""
        now = self._services.clock.time()
        try:
            stored = {block.key for block in self._services.store.blocks(self._clouds(), now=now)}
        except StateStoreError:
            return ()  # told when it was loaded
        for cloud in self._services.clouds.made():
            cloud.look_again()
        lasting = [block for block in blocks if outlives(block) and (block.until is None or block.until > now)]
        gone = [block for block in lasting if block.key not in stored or not self._holds(block)]
        freed = tuple(block for block in gone if blocks.discard(block))
        self.load(blocks)
        return freed

    def save(self, learned: Sequence[Block]) -> None:
        """Those that the next launch shall know."""
        lasting = [block for block in learned if outlives(block)]
        if not lasting:
            return
        try:
            self._services.store.add_blocks(lasting)
        except StateStoreError as error:
            self._warn(error)

    def _clouds(self) -> list[str]:
        return [cloud.name for cloud in self._services.clouds.made()]

    def _holds(self, block: Block) -> bool:
        """Whether it concerns a cluster of this size, this account, and what is in use of credentials and settings,
        as far as can be told.
        """
        if block.nodes > self._nodes:
            return False
        if not block.key.cloud or not (block.fingerprint or block.account):
            return True
        try:
            cloud = self._services.clouds.get(block.key.cloud)
            if block.fingerprint and cloud.fingerprint() != block.fingerprint:
                return False
            return not block.account or cloud.identity() == block.account
        except (PluginError, CloudError):
            return True

    def _warn(self, error: StateStoreError) -> None:
        self._services.event(EventKind.WARNING, message=f"blocks of earlier launches: {error}")
