"""Clouds whose answers a test writes down. Nodes are sandboxes, so that a launch which finds a place comes up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skyx_core.api import (
    Attempt,
    Candidate,
    Capability,
    CloudDriver,
    CloudError,
    Cluster,
    ClusterHandle,
    Idempotency,
    Intent,
    Inventory,
    Link,
    Node,
    NodeState,
    Observation,
    Offer,
    Place,
    Request,
    Runner,
    Sandboxes,
    SandboxRunner,
    SandboxSpec,
    TeardownResult,
    WhyNot,
    ZoneOption,
)

Answer = BaseException | Callable[[], object] | None
Zones = Sequence[str | tuple[str, str] | None]  # a zone, None, or (zone, why it is skipped)


def said(cloud: str, code: str, message: str = "", status: int = 0, **fields: Any) -> CloudError:
    """What a cloud answers to a creating call; it made nothing."""
    return CloudError(cloud, "create", code, message, status, nodes_may_exist=False, **fields)


@dataclass
class Script:
    """``regions``: the zones of each, in order. ``answers``: what an attempt at (region, zone) comes to, the first of
    the list first, the last one for ever; missing = it comes up. ``calls``: every (what, region, zone), in order.
    """

    name: str
    regions: Mapping[str, Zones] = field(default_factory=lambda: {"r1": [None]})
    answers: Mapping[tuple[str, str | None], Sequence[Answer] | Answer] = field(default_factory=dict)
    locating: Mapping[str, Answer] = field(default_factory=dict)
    price: float = 1.0
    instance_type: str = "t1"
    accelerators: Mapping[str, float] = field(default_factory=dict)
    spot_price: float | None = None
    key: str = "key-1"
    name_problem: str | None = None
    offer_update: Mapping[str, object] = field(default_factory=dict)  # past the model's checks
    lacking: BaseException | None = None
    leaves_nodes: bool = False  # what fails has made its nodes all the same
    account: str = ""
    denied: str = ""  # why there is no quota
    can: frozenset[Capability] = frozenset()  # besides the usual
    calls: list[tuple[str, str, str | None]] = field(default_factory=list)
    root: Path = Path()

    def tried(self) -> list[tuple[str, str | None]]:
        """Places of the creating calls."""
        return [(region, zone) for what, region, zone in self.calls if what == "create"]

    def nodes(self) -> list[str]:
        """Ids of those that are there."""
        return list(Sandboxes(self.root).ids())

    def lose(self, node: str) -> None:
        """As a cloud takes a node."""
        Sandboxes(self.root, grace_s=0.1).remove([node])

    def plugin(self, root: Path) -> tuple[str, str, type]:
        """For ``Session(plugins=[...])``."""
        self.root = root / self.name
        facts = {"name": self.name, "script": self, "capabilities": ScriptedDriver.capabilities | self.can}
        return "cloud", self.name, type(f"Scripted_{self.name}", (ScriptedDriver,), facts)

    def answer(self, region: str, zone: str | None) -> None:
        """Raise or do what is written down for this place."""
        found = self.answers.get((region, zone))
        if isinstance(found, Sequence):
            several = list(found)
            count = self.tried().count((region, zone))
            found = several[min(count, len(several)) - 1]
        _give(found)


def _give(answer: Answer) -> None:
    if isinstance(answer, BaseException):
        raise answer
    if answer is not None:
        answer()


class ScriptedDriver(CloudDriver[Any]):
    """See ``Script``."""

    name = "scripted"
    script: Script
    capabilities = frozenset({Capability.SPOT, Capability.MULTI_NODE, Capability.ZONES})
    idempotency = Idempotency.TOKEN_AND_TAG
    link = Link.SANDBOX
    settle_s = 0.0

    @property
    def _nodes(self) -> Sandboxes:
        return Sandboxes(self.script.root, grace_s=0.3)

    def fingerprint(self) -> str:
        return self.script.key

    def identity(self) -> str:
        return self.script.account

    def quota(self, candidate: Candidate) -> WhyNot | None:
        return WhyNot(subject=self.name, reason=self.script.denied) if self.script.denied else None

    def name_problem(self, cloud_name: str) -> str | None:
        return self.script.name_problem

    def offers(self, query: Request) -> list[Offer]:
        script = self.script
        spot = script.spot_price if script.spot_price is not None else script.price
        found = [
            Offer(
                cloud=self.name,
                region=region,
                instance_type=script.instance_type,
                cpus=4,
                memory_gb=16,
                accelerators=dict(script.accelerators),
                use_spot=query.use_spot,
                hourly_usd=(spot if query.use_spot else script.price) + number / 1000,
            )
            for number, region in enumerate(script.regions)
            if query.region in (None, region)
        ]
        fitting = [offer for offer in found if not query.accelerators or offer.accelerators == query.accelerators]
        return [offer.model_copy(update=dict(script.offer_update)) for offer in fitting]

    def lacks(self, candidate: Candidate, needs: Request) -> Sequence[WhyNot]:
        if self.script.lacking is not None:
            raise self.script.lacking
        return ()

    def locate(self, request: Request, region: str) -> list[ZoneOption]:
        self.script.calls.append(("zones", region, None))
        _give(self.script.locating.get(region))
        options = [ZoneOption(zone=z[0], skip=z[1]) if isinstance(z, tuple) else ZoneOption(zone=z) for z in
                   self.script.regions[region]]  # fmt: skip
        return [option for option in options if request.zone in (None, option.zone)]

    def provision(self, place: Place, request: Request, attempt: Attempt) -> Cluster:
        zone = place.zones[0] if place.zones else None
        there = {node.rank for node in self.describe(attempt.handle, place).nodes}
        ranks = [rank for rank in range(request.num_nodes) if rank not in there]
        with attempt.creating("nodes", place, ranks, {"zone": zone}) as intent:
            self.script.calls.append(("create", place.region, zone))
            if self.script.leaves_nodes:
                self._make(attempt.handle, intent, ranks)
            self.script.answer(place.region, zone)
            intent.made(self._make(attempt.handle, intent, ranks))
        nodes = self.describe(attempt.handle, place).nodes
        return Cluster(handle=attempt.handle, place=place, nodes=nodes, link=Link.SANDBOX)

    def _make(self, handle: ClusterHandle, intent: Intent, ranks: Sequence[int]) -> list[str]:
        ids = [f"{handle.uid[:6]}-{intent.id[:6]}-{rank}" for rank in ranks]
        number = len(self._nodes.ids())
        for rank, node in zip(ranks, ids, strict=True):
            address = f"127.88.{len(self.name)}.{number + rank + 1}"
            if self._nodes.get(node) is None:
                self._nodes.create(
                    SandboxSpec(id=node, cluster_uid=handle.uid, address=address, rank=rank, tags=dict(intent.tags))
                )
        return ids

    def describe(self, handle: ClusterHandle, place: Place) -> Observation:
        found = [box for node in self._nodes.ids() if (box := self._nodes.get(node)) is not None]
        nodes = [
            Node(
                rank=box.rank,
                id=box.id,
                address=box.address,
                zone=place.zones[0] if place.zones else None,
                state=NodeState.RUNNING,
                data={"sandbox": str(box.folder), "home": str(box.home)},
            )
            for box in found
            if box.cluster_uid == handle.uid
        ]
        return Observation(complete=True, nodes=tuple(sorted(nodes, key=lambda node: node.rank)))

    def find(self, intent: Intent) -> Observation:
        return Observation(complete=True)

    def teardown(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        self.script.calls.append(("end", place.region, place.zones[0] if place.zones else None))
        left = self._nodes.remove([node.id for node in self.describe(handle, place).nodes])
        return TeardownResult(done=not left, remaining=tuple(left))

    def inventory(self, owner: str | None, places: Sequence[Place]) -> list[Inventory]:
        return []

    def runner(self, cluster: ClusterHandle, node: Node) -> Runner:
        return SandboxRunner(Path(node.data["sandbox"]), node="head" if node.rank == 0 else f"worker{node.rank}")
