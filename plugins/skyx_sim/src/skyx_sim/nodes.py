"""Nodes of simulated clouds: sandboxes on this machine."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from skyx_core.api import (
    Candidate,
    Clock,
    CloudError,
    ClusterHandle,
    Intent,
    Inventory,
    Node,
    NodeError,
    NodeState,
    Observation,
    Place,
    Sandbox,
    Sandboxes,
    SandboxSpec,
    TeardownResult,
)
from skyx_sim.world import Slot

REGION, ZONE, TYPE, SPOT, GPUS = "sim-region", "sim-zone", "sim-type", "sim-spot", "sim-gpus"
PREEMPTED, CLOUD_NAME, PROFILE = "sim-preempted-at", "sim-cloud-name", "sim-profile"


class SimNodes:
    """The nodes of one cloud, below one folder. Raises ``CloudError``."""

    def __init__(self, cloud: str, root: Path, clock: Clock) -> None:
        self._cloud = cloud
        self._clock = clock
        self.sandboxes = Sandboxes(root, clock=clock, grace_s=0.5)

    def create(
        self, handle: ClusterHandle, ranks: Sequence[int], intent: Intent, candidate: Candidate, tags: Mapping[str, str]
    ) -> list[Sandbox]:
        """One per rank; one that exists is kept."""
        gpus = int(sum(candidate.accelerators.values()))
        made = []
        with self._reported("create"):
            taken = {node.address for node in self.sandboxes.list()}
            for rank in ranks:
                id_ = f"{handle.uid}-{rank}-{intent.id[:8]}"
                address = _address(id_, taken)
                taken.add(address)
                spec = SandboxSpec(
                    id=id_,
                    cluster_uid=handle.uid,
                    name=handle.name,
                    rank=rank,
                    address=address,
                    intent=intent.id,
                    owner=handle.owner,
                    cpus=candidate.cpus,
                    memory_gb=candidate.memory_gb,
                    tags={**tags, **intent.tags, GPUS: str(gpus), **_identity(handle)},
                )
                made.append(self.sandboxes.create(spec))
        return made

    def of(self, prefix: str = "") -> tuple[list[Sandbox], list[str]]:
        """(nodes whose ids begin so, what is wrong with others); those that were preempted are removed first."""
        with self._reported("list"):
            found, problems = self.sandboxes.scan(prefix)
            now = self._clock.time()
            gone = [node.id for node in found if float(node.tags.get(PREEMPTED) or "inf") <= now]
            if gone:
                problems += self.sandboxes.remove(gone)
            return [node for node in found if node.id not in gone], problems

    def held(self) -> Counter[Slot]:
        """Nodes that run, by where and what they are."""
        return Counter(slot_of(node) for node in self.of()[0] if node.running)

    def observe(self, prefix: str, intent: str = "") -> Observation:
        """Of those whose ids begin so, and that this intent made."""
        found, problems = self.of(prefix)
        nodes = sorted((node for node in found if intent in ("", node.intent)), key=lambda node: node.rank)
        return Observation(complete=not problems, nodes=tuple(map(as_node, nodes)), reason="; ".join(problems))

    def inventory(self, owner: str | None, place: Place) -> Inventory:
        """See ``CloudDriver.inventory``."""
        try:
            found, problems = self.of()
        except CloudError as error:
            return Inventory(place=place, complete=False, error=str(error))
        here = [node for node in found if node.tags.get(REGION) == place.region and owner in (None, node.owner)]
        nodes = tuple((handle_of(node), as_node(node)) for node in here)
        return Inventory(place=place, complete=not problems, nodes=nodes, error="; ".join(problems))

    def end(self, uid: str, *, remove: bool) -> TeardownResult:
        """Remove or stop every node of a cluster."""
        with self._reported("remove" if remove else "stop"):
            left = end_nodes(self.sandboxes, uid, remove=remove)
            remaining = tuple(self.sandboxes.ids(f"{uid}-")) or tuple(left)
        return TeardownResult(done=not left, remaining=remaining if left else (), reason="; ".join(left))

    def start(self, nodes: Sequence[Sandbox]) -> list[Sandbox]:
        with self._reported("start"):
            return [node if node.running else self.sandboxes.start(node.id) for node in nodes]

    @contextmanager
    def _reported(self, operation: str) -> Iterator[None]:
        try:
            yield
        except (NodeError, OSError) as error:
            raise CloudError(self._cloud, operation, "MachineFailed", str(error)) from error


def end_nodes(sandboxes: Sandboxes, uid: str, *, remove: bool) -> list[str]:
    """Safe to repeat, also by a node itself: the calling process is left alone."""
    prefix = f"{uid}-"
    ids = sorted({*sandboxes.ids(prefix), *sandboxes.strays(prefix), *(sandboxes.remnants(prefix) if remove else ())})
    return sandboxes.remove(ids) if remove else sandboxes.stop(ids)


def slot_of(node: Sandbox) -> Slot:
    tags = node.tags
    return tags.get(REGION, ""), tags.get(ZONE, ""), tags.get(TYPE, ""), tags.get(SPOT) == "yes"


def as_node(sandbox: Sandbox) -> Node:
    """As core sees it."""
    count = int(sandbox.tags.get(GPUS) or 0)
    return Node(
        rank=sandbox.rank,
        id=sandbox.id,
        address=sandbox.address,
        zone=sandbox.tags.get(ZONE) or None,
        state=NodeState.RUNNING if sandbox.running else NodeState.STOPPED,
        intent=sandbox.intent,
        data={
            "home": str(sandbox.home),
            "sandbox": str(sandbox.folder),
            "cpus": f"{sandbox.cpus:g}",
            "gpus": ",".join(str(number) for number in range(count)),
        },
    )


def handle_of(sandbox: Sandbox) -> ClusterHandle:
    """The identity of the cluster that a node belongs to."""
    tags = sandbox.tags
    return ClusterHandle(
        uid=sandbox.cluster_uid,
        name=sandbox.name,
        owner=sandbox.owner,
        cloud_name=tags.get(CLOUD_NAME, ""),
        profile=tags.get(PROFILE, ""),
    )


def _identity(handle: ClusterHandle) -> dict[str, str]:
    return {CLOUD_NAME: handle.cloud_name, PROFILE: handle.profile}


def _address(id_: str, taken: set[str]) -> str:
    """A loopback address in 127.64.0.0/10, where no other cloud of this machine has its own."""
    number = int.from_bytes(hashlib.sha256(id_.encode()).digest()[:4], "big")
    while True:
        number = (number + 1) % (1 << 22)
        address = f"127.{64 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"
        if address not in taken and 0 < number & 255 < 255:
            return address
