"""What the errors of simulated clouds mean for a search, by the real rules."""

from __future__ import annotations

from skyx_core.api import Block, CloudError, Place, Start, Verdict, stamped
from skyx_sim.rules import Tables, book_for
from skyx_sim.scenario import Scenario


class Judge:
    """One per simulation."""

    def __init__(self, scenario: Scenario, tables: Tables) -> None:
        self._books = {cloud.name: book_for(cloud, tables) for cloud in scenario.clouds}
        self._renewals = {cloud.name: cloud.credentials.renew for cloud in scenario.clouds if cloud.credentials}

    def verdict(self, start: Start, error: CloudError, now: float) -> Verdict:
        """Of an attempt that failed at ``now``."""
        choice = start.choice
        candidate = choice.candidate
        place = Place.model_construct(cloud=candidate.cloud, region=candidate.region, zones=start.zones, account="")
        verdict = self._books[candidate.cloud].classify(error, place=place, candidate=candidate, now=now)
        return stamped(verdict, fingerprint=self._fingerprint(candidate.cloud, now), request=choice.digest)

    def holds(self, block: Block, now: float) -> bool:
        """Whether the credentials that a block was met with are still in use."""
        cloud = block.key.cloud
        return not block.fingerprint or cloud is None or self._fingerprint(cloud, now) == block.fingerprint

    def _fingerprint(self, cloud: str, now: float) -> str:
        renew = self._renewals.get(cloud)
        return "renewed" if renew is not None and now >= renew else "first"
