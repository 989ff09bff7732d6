"""A cloud, an executor and a table of rules as small as they can be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from skyx_core.api import (
    Attempt,
    Category,
    CloudDriver,
    Cluster,
    ClusterHandle,
    ErrorRule,
    Executor,
    Idempotency,
    Intent,
    Inventory,
    Link,
    Model,
    Node,
    NodeAccess,
    Observation,
    Offer,
    Payload,
    Place,
    Request,
    Runner,
    RuntimeRequirements,
    Scope,
    TeardownResult,
    ZoneOption,
)

RULES = (ErrorRule(id="good.full", code="Full", category=Category.CAPACITY, block=Scope.ZONE),)
KIT = Path(__file__).parent


class GoodCloud(CloudDriver[Model]):
    """Has no nodes at all."""

    name = "good"
    idempotency = Idempotency.NAME
    link = Link.SSH

    def offers(self, query: Request) -> Iterable[Offer]:
        return ()

    def locate(self, request: Request, region: str) -> Sequence[ZoneOption]:
        return ()

    def provision(self, place: Place, request: Request, attempt: Attempt) -> Cluster:
        raise NotImplementedError

    def find(self, intent: Intent) -> Observation:
        return Observation(complete=True)

    def describe(self, handle: ClusterHandle, place: Place) -> Observation:
        return Observation(complete=True)

    def teardown(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        return TeardownResult(done=True)

    def inventory(self, owner: str | None, places: Sequence[Place]) -> Iterable[Inventory]:
        return ()

    def runner(self, cluster: ClusterHandle, node: Node) -> Runner:
        raise NotImplementedError


class GoodExecutor(Executor[Model]):
    """Needs nothing."""

    name = "good"
    links = frozenset({Link.SSH})

    def requirements(self) -> RuntimeRequirements:
        return RuntimeRequirements()

    def payload(self) -> Payload:
        return Payload()

    def prepare(self, nodes: NodeAccess) -> None:
        return

    def stop(self, nodes: NodeAccess) -> None:
        return
