"""What the driver does with nodes, apart from it: reaching a node that is up needs none of this."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from skyx_core.api import (
    Attempt,
    CheckLine,
    Clock,
    CloudError,
    Cluster,
    ClusterHandle,
    Intent,
    Inventory,
    Link,
    Observation,
    Offer,
    Place,
    Request,
    Sandbox,
    Sandboxes,
    TeardownResult,
    WhyNot,
)
from skyx_local.capacity import Machine, lacks_of
from skyx_local.check import check_lines
from skyx_local.codes import NO_SUCH_TYPE, NODE_DAMAGED, cloud_error
from skyx_local.ending import remove_cluster, stop_cluster
from skyx_local.ledger import Ledger, ledger_folder
from skyx_local.names import REGION
from skyx_local.nodes import Nodes, accelerator_of, as_node, handle_of, reported, stray_node
from skyx_local.settings import LocalSettings
from skyx_local.shape import Shape


class Operations:
    """See ``CloudDriver`` for what each does. ``root``: the folder of the nodes. Making one does no I/O."""

    def __init__(self, settings: LocalSettings, root: Path, environ: Mapping[str, str], clock: Clock) -> None:
        self.sandboxes = Sandboxes(root, clock=clock)
        self.machine = Machine(settings, environ)
        self._environ = environ
        self._clock = clock

    @cached_property
    def ledger(self) -> Ledger:
        folder = ledger_folder(self._environ or os.environ)
        return Ledger(folder, clock=self._clock, nodes=self.sandboxes.root)

    @cached_property
    def _nodes(self) -> Nodes:
        return Nodes(self.sandboxes, self.ledger, self.machine)

    def offers(self, query: Request) -> list[Offer]:
        queries = [query]
        if query.any_accelerators and not query.accelerators and query.instance_type is None:
            queries += [query.model_copy(update={"accelerators": found}) for found in self.machine.accelerators()]
        return [offer for each in queries if (offer := self._offer(each)) is not None]

    def _offer(self, query: Request) -> Offer | None:
        shape = Shape.chosen(query)
        if shape is None or self.why_nothing(query):
            return None
        return Offer(
            cloud="local",
            region=REGION,
            instance_type=shape.name,
            cpus=shape.cpus,
            memory_gb=shape.memory_gb,
            accelerators=shape.accelerators,
            hourly_usd=0.0,
        )

    def why_nothing(self, query: Request) -> tuple[WhyNot, ...]:
        shape = Shape.chosen(query)
        if shape is None:
            fix = "leave it out and ask by cpus, memory and accelerators"
            reason = f"there is no instance type {query.instance_type!r} that has what is asked for"
            return (WhyNot(subject="local", reason=reason, fix=fix),)
        return (*lacks_of(query), *self.machine.lacking(shape, query.num_nodes))

    def provision(self, place: Place, request: Request, attempt: Attempt) -> Cluster:
        attempt.check()
        shape = Shape.chosen(request)
        if shape is None:
            raise cloud_error(
                "provision", NO_SUCH_TYPE, f"there is no type {request.instance_type!r}", nodes_may_exist=False
            )
        handle = attempt.handle
        with reported("provision"):
            found = self._sound(handle)
            there = {node.rank: node for node in found if node.rank < request.num_nodes}
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
            link=Link.SANDBOX,
            data={"root": str(self.sandboxes.root), "accelerator": accelerator_of(ordered)},
        )

    def _all(self, handle: ClusterHandle) -> tuple[list[Sandbox], list[str]]:
        return self.sandboxes.scan(f"{handle.uid}-")

    def _sound(self, handle: ClusterHandle) -> list[Sandbox]:
        """Its nodes; ``CloudError`` if the record of one of them can't be read."""
        nodes, problems = self._all(handle)
        if problems:
            raise cloud_error("provision", NODE_DAMAGED, "; ".join(problems))
        return nodes

    def find(self, intent: Intent) -> Observation:
        uid = intent.tags.get("skyx-uid", "")
        with reported("find"):
            found, problems = self.sandboxes.scan(f"{uid}-" if uid else "")
        return _observation([node for node in found if node.intent == intent.id], problems)

    def describe(self, handle: ClusterHandle) -> Observation:
        with reported("describe"):
            found, problems = self._all(handle)
            strays = self.sandboxes.strays(f"{handle.uid}-") if not found and not problems else []
            seen = _observation(found, problems)
            return seen.model_copy(update={"nodes": tuple(map(stray_node, strays))}) if strays else seen

    def teardown(self, handle: ClusterHandle) -> TeardownResult:
        with reported("teardown"):
            return self._ended(handle, remove_cluster)

    def stop(self, handle: ClusterHandle) -> TeardownResult:
        with reported("stop"):
            return self._ended(handle, stop_cluster)

    def _ended(self, handle: ClusterHandle, end: Callable[[Sandboxes, Ledger, str], list[str]]) -> TeardownResult:
        left = end(self.sandboxes, self.ledger, handle.uid)
        remaining = (tuple(self.sandboxes.ids(f"{handle.uid}-")) or tuple(left)) if left else ()
        return TeardownResult(done=not left, remaining=remaining, reason="; ".join(left))

    def start(self, handle: ClusterHandle, place: Place, attempt: Attempt) -> Cluster:
        attempt.check()
        with reported("start"):
            nodes = self._sound(handle)
            return self._cluster(handle, place, self._nodes.start(handle, sorted(nodes, key=lambda n: n.rank)))

    def inventory(self, owner: str | None, place: Place) -> Inventory:
        if place.region != REGION:
            return Inventory(place=place, complete=True)
        try:
            with reported("inventory"):
                found, problems = self.sandboxes.scan()
        except CloudError as error:
            return Inventory(place=place, complete=False, error=str(error))
        nodes = tuple((handle_of(node), as_node(node)) for node in found if owner in (None, node.owner))
        return Inventory(place=place, complete=not problems, nodes=nodes, error="; ".join(problems))

    def check(self) -> Sequence[CheckLine]:
        return check_lines(self.sandboxes.root, self.ledger, self.machine, self._environ)


def _observation(nodes: Sequence[Sandbox], problems: Sequence[str]) -> Observation:
    ordered = sorted(nodes, key=lambda node: node.rank)
    return Observation(
        complete=not problems, nodes=tuple(as_node(node) for node in ordered), reason="; ".join(problems)
    )
