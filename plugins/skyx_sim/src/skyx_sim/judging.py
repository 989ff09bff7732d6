"""What the errors of simulated clouds mean for a search, by the real rules."""

from __future__ import annotations

import math
from collections.abc import Iterable

from skyx_core.api import Block, BlockKey, Blocklist, CloudError, Place, Start, Verdict, stamped
from skyx_sim.rules import Tables, book_for
from skyx_sim.scenario import Scenario

PAUSE_S = 30.0  # between rounds, and between looks at what has changed while a search waits


class Judge:
    """One per simulation."""

    def __init__(self, scenario: Scenario, tables: Tables) -> None:
        self._books = {cloud.name: book_for(cloud, tables) for cloud in scenario.clouds}
        credentials = {cloud.name: cloud.credentials for cloud in scenario.clouds if cloud.credentials}
        self._kept: dict[BlockKey, Block] = {}
        self._renewed = {name: each.renew for name, each in credentials.items() if each.renew is not None}

    def verdict(self, start: Start, error: CloudError, *, began: float, now: float) -> Verdict:
        """Of an attempt that began with the credentials of that time, and failed at ``now``."""
        choice = start.choice
        candidate = choice.candidate
        place = Place.model_construct(cloud=candidate.cloud, region=candidate.region, zones=start.zones, account="")
        verdict = self._books[candidate.cloud].classify(error, place=place, candidate=candidate, now=now)
        return stamped(verdict, fingerprint=self._fingerprint(candidate.cloud, began), request=choice.digest)

    def holds(self, block: Block, now: float) -> bool:
        """Whether the credentials that a block was met with are still in use."""
        cloud = block.key.cloud
        return not block.fingerprint or cloud is None or self._fingerprint(cloud, now) == block.fingerprint

    def keep(self, learned: Iterable[Block]) -> None:
        """Remember each block by itself, as a launch stores them; a wider one may go before it."""
        if self._renewed:
            self._kept.update((block.key, block) for block in learned)

    def drop_mended(self, blocks: Blocklist, now: float) -> bool:
        """End the blocks that were met with other credentials; whether there was any."""
        self._kept = {key: block for key, block in self._kept.items() if self.holds(block, now)}
        mended = [block for block in blocks if not self.holds(block, now)]
        for block in mended:
            blocks.discard(block)
        for block in self._kept.values() if mended else ():
            if block.until is None or block.until > now:
                blocks.add(block)
        return bool(mended)

    def mended_at(self, blocks: Blocklist, now: float, until: float) -> float | None:
        """When a launch that waits from ``now`` on, and looks every ``PAUSE_S`` seconds, sees that blocks have ended
        because credentials were renewed; None if not before ``until``. Ends those blocks.
        """
        for renew in sorted(self._renewed.values()):
            look = now + max(1, math.ceil((renew - now) / PAUSE_S)) * PAUSE_S
            if look < until and self.drop_mended(blocks, look):
                return look
        return None

    def _fingerprint(self, cloud: str, now: float) -> str:
        renew = self._renewed.get(cloud)
        return "renewed" if renew is not None and now >= renew else "first"
