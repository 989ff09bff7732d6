"""The cloud named ``local``: its nodes are sandboxes on this machine; it costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel  # noqa: TID253 - reached only when this cloud is used

from skyx_core.api import Capability, CloudDriver, ErrorRule, Idempotency, Link, SupportsSelfEnd, SupportsStop
from skyx_local.errors import RULES
from skyx_local.machine import platform
from skyx_local.names import ANOTHER_CLOUD, REGION
from skyx_local.settings import LocalSettings

if TYPE_CHECKING:
    from skyx_core.api import (
        Attempt,
        Candidate,
        CheckLine,
        Cluster,
        ClusterHandle,
        Intent,
        Inventory,
        Node,
        Observation,
        Offer,
        Place,
        Request,
        Runner,
        SelfEnd,
        TeardownResult,
        WhyNot,
        ZoneOption,
    )
    from skyx_local.operations import Operations


class LocalDriver(CloudDriver[LocalSettings], SupportsStop, SupportsSelfEnd):
    """One region, no zones. Capacity is real: what live clusters of all users hold can't be had twice."""

    name: ClassVar[str] = "local"
    settings_model: ClassVar[type[BaseModel] | None] = LocalSettings
    capabilities: ClassVar[frozenset[Capability]] = frozenset(
        {
            Capability.MULTI_NODE,
            Capability.ATOMIC_BATCH,
            Capability.PORTS_AT_LAUNCH,  # every port of a node's loopback address can be reached from this machine
            Capability.LABELS,
            Capability.FREE_DESCRIBE,
            Capability.FALLBACK,
        }
    )
    idempotency: ClassVar[Idempotency] = Idempotency.NAME
    link: ClassVar[Link] = Link.SANDBOX
    settle_s = 0  # a call that isn't there any more does nothing any more
    error_rules: ClassVar[tuple[ErrorRule, ...]] = RULES

    @cached_property
    def _do(self) -> Operations:
        from skyx_local.operations import Operations

        root = self.settings.root or self.context.home / "nodes"
        return Operations(self.settings, root, self.context.environ, self.context.clock)

    def disabled(self) -> WhyNot | None:
        if platform() == "linux":
            return None
        from skyx_core.api import WhyNot

        return WhyNot(subject="local", reason="it needs Linux", fix=ANOTHER_CLOUD)

    def offers(self, query: Request) -> Iterable[Offer]:
        """One offer, which reserves exactly what is asked for, or nothing when this machine can never have that; to a
        listing also one with all GPUs of each kind.
        """
        return self._do.offers(query) if query.cloud in (None, self.name) else ()

    def why_nothing(self, query: Request) -> tuple[WhyNot, ...]:
        """Why there are no offers for this query, with the numbers; empty if there are."""
        return self._do.why_nothing(query)

    def lacks(self, candidate: Candidate, needs: Request) -> Sequence[WhyNot]:
        from skyx_local.capacity import lacks_of

        del candidate
        return tuple(lacks_of(needs))

    def locate(self, request: Request, region: str) -> Sequence[ZoneOption]:
        from skyx_core.api import ZoneOption

        del request
        return (ZoneOption(),) if region == REGION else ()

    def provision(self, place: Place, request: Request, attempt: Attempt) -> Cluster:
        """Takes milliseconds per node. Out of capacity: ``CloudError`` with the numbers, nothing made."""
        return self._do.provision(place, request, attempt)

    def find(self, intent: Intent) -> Observation:
        return self._do.find(intent)

    def describe(self, handle: ClusterHandle, place: Place) -> Observation:
        del place
        return self._do.describe(handle)

    def teardown(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        """Takes at most some 12 s, if processes don't end when asked to."""
        del place
        return self._do.teardown(handle)

    def stop(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        """Files and addresses stay, all else is given back. Takes at most some 12 s."""
        del place
        return self._do.stop(handle)

    def start(self, handle: ClusterHandle, place: Place, attempt: Attempt) -> Cluster:
        """Raises ``CloudError`` with the numbers, and starts none, if what the nodes had is no longer free."""
        return self._do.start(handle, place, attempt)

    def inventory(self, owner: str | None, places: Sequence[Place]) -> Iterable[Inventory]:
        for place in places:
            yield self._do.inventory(owner, place)

    def runner(self, cluster: ClusterHandle, node: Node) -> Runner:
        from skyx_core.api import SandboxRunner

        del cluster
        folder = Path(node.data["sandbox"]) if "sandbox" in node.data else self._do.sandboxes.folder(node.id)
        return SandboxRunner(folder, node="head" if node.rank == 0 else f"worker{node.rank}")

    def self_end(self, cluster: Cluster, *, down: bool) -> SelfEnd:
        from skyx_core.api import SelfEnd

        mode, root = ("down" if down else "stop"), str(self._do.sandboxes.root)
        program = (sys.executable, "-P", "-m", "skyx_local.end")
        return SelfEnd(argv=(*program, mode, root, cluster.handle.uid, "--ledger", str(self._do.ledger.folder)))

    def check_credentials(self) -> Sequence[CheckLine]:
        return self._do.check()
