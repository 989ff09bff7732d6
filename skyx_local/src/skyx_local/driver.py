"""The cloud named ``local``: its nodes are sandboxes on this machine; it costs nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel  # noqa: TID253 - reached only when this cloud is used

from skyx_core.api import (
    Attempt,
    Candidate,
    Capability,
    CheckLine,
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
    NodeError,
    Observation,
    Offer,
    Place,
    Request,
    Runner,
    Sandbox,
    Sandboxes,
    SandboxRunner,
    SelfEnd,
    SupportsSelfEnd,
    SupportsStop,
    TeardownResult,
    WhyNot,
    ZoneOption,
)
from skyx_local.capacity import ANOTHER_CLOUD, REGION, Machine, lacks_of
from skyx_local.check import check_lines, platform
from skyx_local.codes import NO_SUCH_TYPE, cloud_error
from skyx_local.ending import remove_cluster, stop_cluster
from skyx_local.errors import RULES
from skyx_local.ledger import Ledger, ledger_folder
from skyx_local.nodes import Nodes, accelerator_of, as_node, handle_of, reported
from skyx_local.settings import LocalSettings
from skyx_local.shape import Shape


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
    error_rules: ClassVar[tuple[ErrorRule, ...]] = RULES

    @cached_property
    def _machine(self) -> Machine:
        return Machine(self.settings, self.context.environ)

    @cached_property
    def _sandboxes(self) -> Sandboxes:
        return Sandboxes(self.settings.root or self.context.home / "nodes", clock=self.context.clock)

    @cached_property
    def _ledger(self) -> Ledger:
        environ = self.context.environ or os.environ
        return Ledger(ledger_folder(environ), clock=self.context.clock)

    @cached_property
    def _nodes(self) -> Nodes:
        return Nodes(self._sandboxes, self._ledger, self._machine)

    def disabled(self) -> WhyNot | None:
        return None if platform() == "linux" else WhyNot(subject="local", reason="it needs Linux", fix=ANOTHER_CLOUD)

    def offers(self, query: Request) -> Iterable[Offer]:
        """One offer, which reserves exactly what is asked for, or nothing when this machine can never have that."""
        shape = self._shape(query)
        if shape is None or query.cloud not in (None, self.name) or self.why_nothing(query):
            return
        yield Offer(
            cloud=self.name,
            region=REGION,
            instance_type=shape.name,
            cpus=shape.cpus,
            memory_gb=shape.memory_gb,
            accelerators=shape.accelerators,
            hourly_usd=0.0,
        )

    def why_nothing(self, query: Request) -> tuple[WhyNot, ...]:
        """Why there are no offers for this query, with the numbers; empty if there are."""
        shape = self._shape(query)
        if shape is None:
            fix = "leave it out and ask by cpus, memory and accelerators"
            reason = f"there is no instance type {query.instance_type!r} that has what is asked for"
            return (WhyNot(subject="local", reason=reason, fix=fix),)
        return (*lacks_of(query), *self._machine.lacking(shape, query.num_nodes))

    @staticmethod
    def _shape(query: Request) -> Shape | None:
        """What each node reserves; None if the type that is named can't be, or hasn't what is asked for."""
        asked = Shape.of(query)
        if query.instance_type is None:
            return asked
        named = Shape.parse(query.instance_type)
        if named is None:
            return None
        fits = (
            (query.cpus is None or query.cpus.admits(named.cpus))
            and (query.memory_gb is None or query.memory_gb.admits(named.memory_gb))
            and all(named.accelerators.get(name, 0) == count for name, count in asked.accelerators.items())
        )
        return named if fits else None

    def lacks(self, candidate: Candidate, needs: Request) -> Sequence[WhyNot]:
        del candidate
        return tuple(lacks_of(needs))

    def locate(self, request: Request, region: str) -> Sequence[ZoneOption]:
        del request
        return (ZoneOption(),) if region == REGION else ()

    def provision(self, place: Place, request: Request, attempt: Attempt) -> Cluster:
        """Takes milliseconds per node. Out of capacity: ``CloudError`` with the numbers, nothing made."""
        attempt.check()
        shape = self._shape(request)
        if shape is None:
            raise cloud_error(
                "provision", NO_SUCH_TYPE, f"there is no type {request.instance_type!r}", nodes_may_exist=False
            )
        handle = attempt.handle
        with reported("provision"):
            there = {node.rank: node for node in self._all(handle)[0] if node.rank < request.num_nodes}
            nodes = self._nodes.start(handle, [there[rank] for rank in sorted(there)])
        missing = [rank for rank in range(request.num_nodes) if rank not in there]
        if missing:
            body: dict[str, object] = {"instance_type": shape.name, "ranks": missing, "labels": dict(request.labels)}
            with attempt.creating("nodes", place, missing, body) as intent, reported("provision"):
                made = self._nodes.create(handle, shape, missing, intent, request.labels)
                intent.made([node.id for node in made])
            nodes = [*nodes, *made]
        return self._cluster(handle, place, nodes)

    def _cluster(self, handle: ClusterHandle, place: Place, nodes: Sequence[Sandbox]) -> Cluster:
        ordered = sorted(nodes, key=lambda node: node.rank)
        return Cluster(
            handle=handle,
            place=place,
            nodes=tuple(as_node(node) for node in ordered),
            link=self.link,
            data={"root": str(self._sandboxes.root), "accelerator": accelerator_of(ordered)},
        )

    def _all(self, handle: ClusterHandle) -> tuple[list[Sandbox], list[str]]:
        return self._sandboxes.scan(f"{handle.uid}-")

    def find(self, intent: Intent) -> Observation:
        uid = intent.tags.get("skyx-uid", "")
        with reported("find"):
            found, problems = self._sandboxes.scan(f"{uid}-" if uid else "")
        return _observation([node for node in found if node.intent == intent.id], problems)

    def describe(self, handle: ClusterHandle, place: Place) -> Observation:
        del place
        with reported("describe"):
            return _observation(*self._all(handle))

    def teardown(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        """Takes at most some 12 s, if processes don't end when asked to."""
        del place
        with reported("teardown"):
            left = remove_cluster(self._sandboxes, self._ledger, handle.uid)
            remaining = tuple(self._sandboxes.ids(f"{handle.uid}-")) or tuple(left)
        return TeardownResult(done=not left, remaining=remaining if left else (), reason="; ".join(left))

    def stop(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        """Files and addresses stay, all else is given back. Takes at most some 12 s."""
        del place
        with reported("stop"):
            left = stop_cluster(self._sandboxes, self._ledger, handle.uid)
            remaining = tuple(self._sandboxes.ids(f"{handle.uid}-")) if left else ()
        return TeardownResult(done=not left, remaining=remaining, reason="; ".join(left))

    def start(self, handle: ClusterHandle, place: Place, attempt: Attempt) -> Cluster:
        """Raises ``CloudError`` with the numbers, and starts none, if what the nodes had is no longer free."""
        attempt.check()
        with reported("start"):
            nodes, problems = self._all(handle)
            if problems:
                raise NodeError("; ".join(problems))
            return self._cluster(handle, place, self._nodes.start(handle, sorted(nodes, key=lambda n: n.rank)))

    def inventory(self, owner: str | None, places: Sequence[Place]) -> Iterable[Inventory]:
        for place in places:
            yield self._inventory(owner, place) if place.region == REGION else Inventory(place=place, complete=True)

    def _inventory(self, owner: str | None, place: Place) -> Inventory:
        try:
            with reported("inventory"):
                found, problems = self._sandboxes.scan()
        except CloudError as error:
            return Inventory(place=place, complete=False, error=str(error))
        nodes = tuple((handle_of(node), as_node(node)) for node in found if owner in (None, node.owner))
        return Inventory(place=place, complete=not problems, nodes=nodes, error="; ".join(problems))

    def runner(self, cluster: ClusterHandle, node: Node) -> Runner:
        del cluster
        folder = Path(node.data["sandbox"]) if "sandbox" in node.data else self._sandboxes.folder(node.id)
        return SandboxRunner(folder, node="head" if node.rank == 0 else f"worker{node.rank}")

    def self_end(self, cluster: Cluster, *, down: bool) -> SelfEnd:
        mode, root = ("down" if down else "stop"), str(self._sandboxes.root)
        program = (sys.executable, "-P", "-m", "skyx_local.end")
        return SelfEnd(argv=(*program, mode, root, cluster.handle.uid, "--ledger", str(self._ledger.folder)))

    def check_credentials(self) -> Sequence[CheckLine]:
        return check_lines(self._sandboxes.root, self._ledger, self._machine, self.context.environ)


def _observation(nodes: Sequence[Sandbox], problems: Sequence[str]) -> Observation:
    ordered = sorted(nodes, key=lambda node: node.rank)
    return Observation(
        complete=not problems, nodes=tuple(as_node(node) for node in ordered), reason="; ".join(problems)
    )
