"""A cloud inside the process that answers at once: every zone but the last has nothing left."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel

from skyx_core.api import (
    Attempt,
    Capability,
    Category,
    CloudDriver,
    CloudError,
    Cluster,
    ClusterHandle,
    ErrorRule,
    Idempotency,
    Intent,
    Inventory,
    Link,
    Node,
    Observation,
    Offer,
    Place,
    Request,
    Runner,
    Scope,
    TeardownResult,
    ZoneOption,
)

if TYPE_CHECKING:
    from benchmarks.market import Market

NAME = "bench"
NOTHING_LEFT, ENOUGH = "NothingLeft", "Enough"
USER_DATA = "#!/bin/bash\nset -e\n" + "\n".join(f"echo 'step {number} of getting ready'" for number in range(40))
RULES = (
    ErrorRule(
        id="bench.capacity", code=NOTHING_LEFT, category=Category.CAPACITY, block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="wait, or allow more zones than {zone}",
    ),
    ErrorRule(id="bench.enough", code=ENOUGH, category=Category.USER_ERROR, abort=True),
)  # fmt: skip


@dataclass
class Asked:
    """When the cloud was asked for machines, in s; ``rendered``: bytes of all requests."""

    moments: list[float] = field(default_factory=list)
    rendered: int = 0


class FailingCloud(CloudDriver[BaseModel]):
    """``market`` and ``asked`` are set on a subclass for each search. ``may_exist``: whether the cloud leaves open if
    it made something, so that each attempt is cleaned up after. The last zone's answer ends the search there.
    """

    name = NAME
    capabilities = frozenset({Capability.ZONES, Capability.SPOT})
    idempotency = Idempotency.TOKEN
    link = Link.SANDBOX
    error_rules = RULES
    settle_s = 0
    market: ClassVar[Market]
    asked: ClassVar[Asked]
    stock: ClassVar[Sequence[Offer]]
    zones: ClassVar[Mapping[str, Sequence[ZoneOption]]]
    may_exist: ClassVar[bool] = False
    catalogued: ClassVar[bool] = False

    def offers(self, query: Request) -> Iterable[Offer]:
        """From the imported catalogue, or from a list in memory, which has those that fit only."""
        if self.catalogued:
            assert self.context.catalog is not None
            return self.context.catalog.offers(query)
        return iter(self.stock)

    def locate(self, request: Request, region: str) -> Sequence[ZoneOption]:
        del request
        return self.zones[region]

    def provision(self, place: Place, request: Request, attempt: Attempt) -> Cluster:
        self.asked.moments.append(time.perf_counter())
        body = {
            "type": request.instance_type, "zone": place.zones[0], "count": request.num_nodes, "spot": request.use_spot,
            "image": f"image-of-{place.region}", "disk_gb": 256, "user_data": USER_DATA,
            "name": attempt.handle.cloud_name, "network": {"subnet": f"subnet-{place.zones[0]}", "groups": ["skyx"]},
        }  # fmt: skip
        with attempt.creating("machines", place, range(request.num_nodes), body) as intent:
            sent = json.dumps({**body, "token": intent.token, "tags": dict(intent.tags)}).encode()
            self.asked.rendered += len(sent)
            last = len(self.asked.moments) == self.market.candidates
            raise CloudError(
                NAME, "create", code=ENOUGH if last else NOTHING_LEFT, status=503, nodes_may_exist=self.may_exist,
                message=f"there is no {request.instance_type} in {place.zones[0]} at this moment",
            )  # fmt: skip

    def find(self, intent: Intent) -> Observation:
        del intent
        return Observation(complete=True)

    def describe(self, handle: ClusterHandle, place: Place) -> Observation:
        del handle, place
        return Observation(complete=True)

    def teardown(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        del handle, place
        return TeardownResult(done=True)

    def inventory(self, owner: str | None, places: Sequence[Place]) -> Iterator[Inventory]:
        del owner
        return (Inventory(place=place, complete=True) for place in places)

    def runner(self, cluster: ClusterHandle, node: Node) -> Runner:
        raise NotImplementedError(f"{cluster.name} has no node {node.id}")


def failing_cloud(market: Market, *, may_exist: bool = False, catalogued: bool = False) -> type[FailingCloud]:
    """The class of one search."""
    zones: dict[str, list[ZoneOption]] = {}
    for region, zone, _, _ in market.places():
        zones.setdefault(region, []).append(ZoneOption(zone=zone))
    fields: dict[str, object] = {
        "market": market, "asked": Asked(), "zones": zones, "may_exist": may_exist, "catalogued": catalogued,
        "stock": () if catalogued else tuple(_offers(market)),
    }  # fmt: skip
    return type("FailingCloud", (FailingCloud,), fields)


def _offers(market: Market) -> Iterator[Offer]:
    for row in market.needles():
        yield Offer(
            cloud=NAME, region=str(row["Region"]), zone=str(row["AvailabilityZone"]),
            instance_type=str(row["InstanceType"]), cpus=96, memory_gb=1152, accelerators={"A100": 8}, use_spot=True,
            hourly_usd=float(str(row["SpotPrice"])),
        )  # fmt: skip
