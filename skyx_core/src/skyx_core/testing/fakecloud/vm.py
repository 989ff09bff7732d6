"""Driver of the VM-like fake cloud: zones, tokens, one call for all nodes, stop and start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from skyx_core.api import (
    Attempt,
    Candidate,
    Capability,
    CheckLine,
    CloudDriver,
    CloudError,
    Cluster,
    ClusterHandle,
    DriverContext,
    ErrorRule,
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
    SelfEnd,
    SupportsSelfEnd,
    SupportsStop,
    TeardownResult,
    WhyNot,
    ZoneOption,
)
from skyx_core.testing.fakecloud.catalogue import VM_REGIONS, VM_TYPES
from skyx_core.testing.fakecloud.client import Client, objects
from skyx_core.testing.fakecloud.listing import complete, ended, inventories, list_all, nodes_of, observe
from skyx_core.testing.fakecloud.reading import (
    CLOUD_NAME,
    RANK,
    View,
    cluster_of,
    poweroff_argv,
    runner_of,
    wait_running,
)
from skyx_core.testing.fakecloud.rules import VM_RULES
from skyx_core.testing.fakecloud.selling import catalogue, matching
from skyx_core.testing.fakecloud.settings import FakeCloudSettings, endpoint_missing, endpoint_of

_LEAVING = (NodeState.TERMINATING, NodeState.GONE)


class FakeVmDriver(CloudDriver[FakeCloudSettings], SupportsStop, SupportsSelfEnd):
    """See the module."""

    name = "fakevm"
    settings_model = FakeCloudSettings
    capabilities = frozenset(
        {
            Capability.ZONES,
            Capability.SPOT,
            Capability.MULTI_NODE,
            Capability.ATOMIC_BATCH,
            Capability.LABELS,
        }
    )
    idempotency = Idempotency.TOKEN_AND_TAG
    link = Link.SANDBOX
    error_rules: ClassVar[tuple[ErrorRule, ...]] = VM_RULES

    def __init__(self, settings: FakeCloudSettings, context: DriverContext) -> None:
        super().__init__(settings, context)
        self.settle_s = settings.call_timeout_s
        self._client = Client(self.name, endpoint_of(settings, context, self.name), settings.call_timeout_s)

    def disabled(self) -> WhyNot | None:
        return endpoint_missing(self.settings, self.context, self.name)

    def fingerprint(self) -> str:
        """Whose servers are asked stands for the credentials: there are no others."""
        return endpoint_of(self.settings, self.context, self.name)

    def _call(self, action: str, **body: object) -> dict[str, object]:
        return self._client.call(action, "POST", f"/v1/{action}", body)

    def identity(self) -> str:
        return str(self._call("WhoAmI").get("account", ""))

    def check_credentials(self) -> Sequence[CheckLine]:
        try:
            return (CheckLine(name="endpoint", ok=True, detail=f"account {self.identity()}"),)
        except CloudError as error:
            return (CheckLine(name="endpoint", ok=False, detail=str(error), fix="start the fake cloud's server"),)

    def offers(self, query: Request) -> Iterable[Offer]:
        sold = self.settings.offers or catalogue(self.name, tuple(VM_REGIONS), VM_TYPES, (False, True))
        return matching(sold, query, VM_REGIONS)

    def lacks(self, candidate: Candidate, needs: Request) -> Sequence[WhyNot]:
        if candidate.use_spot and needs.autostop and not needs.autostop_down:
            fix = "end it instead (autodown), or ask for on-demand"
            return (WhyNot(subject=candidate.infra(), reason="spot nodes can't be stopped", fix=fix),)
        return ()

    def locate(self, request: Request, region: str) -> Sequence[ZoneOption]:
        zones = objects(self._call("DescribeZones", region=region, type=request.instance_type or ""), "zones")
        options = []
        for zone in (str(row["zone"]) for row in zones):
            other = request.zone not in (None, zone)
            options.append(ZoneOption(zone=zone, skip=f"{request.zone} was asked for" if other else ""))
        return options

    def provision(self, place: Place, request: Request, attempt: Attempt) -> Cluster:
        seen = complete(self.name, self.describe(attempt.handle, place))
        ids = {node.rank: node.id for node in seen.nodes if node.state not in _LEAVING}
        missing = [rank for rank in range(request.num_nodes) if rank not in ids]
        if missing:
            ids.update(self._run(place, request, attempt, missing))
        return self._running(place, attempt, sorted(ids.values()))

    def _run(self, place: Place, request: Request, attempt: Attempt, ranks: Sequence[int]) -> dict[int, str]:
        body: dict[str, object] = {
            "region": place.region,
            "zone": place.zones[0] if place.zones else "",
            "type": request.instance_type,
            "spot": request.use_spot,
            "count": len(ranks),
            "node_tags": [{RANK: str(rank)} for rank in ranks],
        }
        with attempt.creating("nodes", place, ranks, body) as intent:
            tags = {**request.labels, **intent.tags, CLOUD_NAME: attempt.handle.cloud_name}
            answer = self._call("RunNodes", **body, tags=tags, token=intent.token)
            made = {node.rank: node.id for node in nodes_of(objects(answer, "nodes"), zones=True)}
            if sorted(made) != sorted(ranks):
                raise CloudError(self.name, "RunNodes", "UnreadableAnswer", f"asked for {ranks}, was told of {made}")
            intent.made([made[rank] for rank in ranks])
        return made

    def _running(self, place: Place, attempt: Attempt, ids: Sequence[str]) -> Cluster:
        clock, poll_s = self.context.clock, self.settings.poll_s
        look = partial(self._get, place.region, ids)
        nodes = wait_running(self.name, len(ids), look, attempt, clock, poll_s=poll_s)
        return cluster_of(attempt.handle, place, nodes)

    def _get(self, region: str, ids: Sequence[str]) -> list[Node]:
        """By id, which no list lag hides."""
        return list(nodes_of(objects(self._call("DescribeNodes", region=region, ids=list(ids)), "nodes"), zones=True))

    def _observe(self, region: str, tags: Mapping[str, str]) -> Observation:
        return observe(self._list(region, tags), zones=True)

    def _list(self, region: str, tags: Mapping[str, str], keys: Sequence[str] = ()) -> tuple[list[View], str]:
        query = {"region": region, "tags": tags, "tag_keys": keys, "page_size": self.settings.page_size}
        return list_all(lambda page: self._call("DescribeNodes", **query, page=page), self.settings.list_pages)

    def find(self, intent: Intent) -> Observation:
        return self._observe(intent.place.region, {"skyx-intent": intent.id})

    def describe(self, handle: ClusterHandle, place: Place) -> Observation:
        return self._observe(place.region, {"skyx-uid": handle.uid, "skyx-owner": handle.owner})

    def _each(self, action: str, place: Place, nodes: Sequence[Node]) -> None:
        """One call for all; a node that has vanished meanwhile is no error."""
        if nodes:
            try:
                self._call(action, region=place.region, ids=[node.id for node in nodes])
            except CloudError as error:
                if error.code != "InvalidNodeID.NotFound":
                    raise

    def teardown(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        seen = self.describe(handle, place)
        self._each("TerminateNodes", place, [node for node in seen.nodes if node.state not in _LEAVING])
        return ended(self.describe(handle, place), (NodeState.GONE,))

    def stop(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        running = [node for node in self.describe(handle, place).nodes if node.state is NodeState.RUNNING]
        self._each("StopNodes", place, running)
        return ended(self.describe(handle, place), (NodeState.STOPPED, NodeState.GONE))

    def start(self, handle: ClusterHandle, place: Place, attempt: Attempt) -> Cluster:
        seen = complete(self.name, self.describe(handle, place))
        while any(node.state is NodeState.STOPPING for node in seen.nodes):
            attempt.check()
            self.context.clock.sleep(self.settings.poll_s)
            seen = complete(self.name, self.describe(handle, place))
        self._each("StartNodes", place, [node for node in seen.nodes if node.state is NodeState.STOPPED])
        return self._running(place, attempt, [node.id for node in seen.nodes])

    def self_end(self, cluster: Cluster, *, down: bool) -> SelfEnd:
        """The power-off of the head ends the workers with it; the cloud does that, the head holds no credential."""
        head = cluster.nodes[0]
        self._call(
            "ModifyNodes",
            region=cluster.place.region,
            ids=[node.id for node in cluster.nodes],
            on_shutdown="terminate" if down else "stop",
            linked_to=head.id,
        )
        return SelfEnd(argv=poweroff_argv(head))

    def inventory(self, owner: str | None, places: Sequence[Place]) -> Iterable[Inventory]:
        tags = {"skyx-owner": owner} if owner else {}
        return inventories(places, lambda place: self._list(place.region, tags, ["skyx-uid"]), zones=True)

    def runner(self, cluster: ClusterHandle, node: Node) -> Runner:
        del cluster
        return runner_of(node)
