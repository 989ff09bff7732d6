"""What plans say of candidates that no launch would try now, for what earlier ones learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skyx_core.cluster.fingerprints import holds
from skyx_core.errors import StateStoreError
from skyx_core.spans import UNTIL_FIXED, span, until_fixed

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services
    from skyx_core.failover.blocklist import Blocklist
    from skyx_core.plan.planner import Choice


class PlannedBlocks:
    """Stored blocks, read when they are first asked for; the store is not written. A block counts unless it is known
    to have been met with other credentials or settings; whose account it was is not asked, which may need the network.

    ``nodes``: of the cluster that is planned. ``problem``: why blocks can't be read; nothing counts as blocked then.
    """

    def __init__(self, services: Services, nodes: int) -> None:
        self._services = services
        self._nodes = nodes
        self._now = services.clock.time()
        self._known: Blocklist | None = None
        self.problem = ""

    def why(self, choice: Choice) -> str:
        """How long a candidate is blocked, and by which rule; "" if it is not. A region of which only some zones are
        blocked is not.
        """
        if self._known is None:
            self._known = self._read()
        block = self._known.hit(choice.candidate, self._now, request=choice.digest)
        if block is None or block.until is None:
            return ""
        if until_fixed(block.since, block.until, block.fingerprint):
            return f"{UNTIL_FIXED}: {block.rule}"
        return f"{span(block.until - self._now, up=True)} more: {block.rule}"

    def _read(self) -> Blocklist:
        from skyx_core.failover.blocklist import Blocklist

        try:
            stored = self._services.store.blocks(now=self._now)
        except StateStoreError as error:
            self.problem = f"what earlier launches found blocked can't be read: {error}"
            return Blocklist()
        if not stored:
            return Blocklist()
        asked = {block.key.cloud for block in stored if block.fingerprint}
        made = [cloud for cloud in self._services.clouds.made() if cloud.name in asked]
        fingerprints = {cloud.name: cloud.fingerprint() for cloud in made}
        return Blocklist(block for block in stored if block.nodes <= self._nodes and holds(block, fingerprints))
