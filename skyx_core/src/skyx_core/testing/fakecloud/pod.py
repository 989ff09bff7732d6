"""Driver of the pod-like fake cloud: contexts, one call per node, names instead of tokens; nothing can be stopped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    TeardownResult,
    WhyNot,
    ZoneOption,
)
from skyx_core.testing.fakecloud.catalogue import POD_CONTEXTS, POD_TYPES
from skyx_core.testing.fakecloud.client import Client
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
from skyx_core.testing.fakecloud.rules import POD_RULES
from skyx_core.testing.fakecloud.selling import catalogue, matching
from skyx_core.testing.fakecloud.settings import FakeCloudSettings, endpoint_missing, endpoint_of

_LEAVING = (NodeState.TERMINATING, NodeState.GONE)
_LABELS = ("skyx-owner", "skyx-uid", "skyx-intent")  # what is searched for; other tags may hold what labels can't


class FakePodDriver(CloudDriver[FakeCloudSettings], SupportsSelfEnd):
    """See the module."""

    name = "fakepod"
    settings_model = FakeCloudSettings
    capabilities = frozenset({Capability.MULTI_NODE, Capability.LABELS})
    idempotency = Idempotency.NAME
    link = Link.SANDBOX
    error_rules: ClassVar[tuple[ErrorRule, ...]] = POD_RULES

    def __init__(self, settings: FakeCloudSettings, context: DriverContext) -> None:
        super().__init__(settings, context)
        self.settle_s = settings.call_timeout_s
        self._client = Client(self.name, endpoint_of(settings, context, self.name), settings.call_timeout_s)

    def disabled(self) -> WhyNot | None:
        return endpoint_missing(self.settings, self.context, self.name)

    def fingerprint(self) -> str:
        """Whose servers are asked stands for the credentials: there are no others."""
        return endpoint_of(self.settings, self.context, self.name)

    def check_credentials(self) -> Sequence[CheckLine]:
        try:
            answer = self._client.call("ListContexts", "GET", "/api/contexts")
            return (CheckLine(name="endpoint", ok=True, detail=f"contexts: {answer.get('contexts')}"),)
        except CloudError as error:
            return (CheckLine(name="endpoint", ok=False, detail=str(error), fix="start the fake cloud's server"),)

    def offers(self, query: Request) -> Iterable[Offer]:
        return matching(self.settings.offers or catalogue(self.name, POD_CONTEXTS, POD_TYPES, (False,)), query, {})

    def lacks(self, candidate: Candidate, needs: Request) -> Sequence[WhyNot]:
        del candidate
        if needs.autostop and not needs.autostop_down:
            return (WhyNot(subject=self.name, reason="pods can't be stopped", fix="end them instead (autodown)"),)
        return ()

    def locate(self, request: Request, region: str) -> Sequence[ZoneOption]:
        del request
        return (ZoneOption(),) if region in POD_CONTEXTS else ()

    def provision(self, place: Place, request: Request, attempt: Attempt) -> Cluster:
        seen = complete(self.name, self.describe(attempt.handle, place))
        names = {node.rank: node.id for node in seen.nodes if node.state not in _LEAVING}
        for rank in range(request.num_nodes):
            if rank not in names:
                names[rank] = self._create(place, request, attempt, rank)
        nodes = self._wait(place, attempt, [names[rank] for rank in sorted(names)])
        return cluster_of(attempt.handle, place, nodes)

    def _create(self, place: Place, request: Request, attempt: Attempt, rank: int) -> str:
        """One pod. Its name holds the intent's id, so a name that is taken is this very call, made before."""
        with attempt.creating("pod", place, (rank,), {"type": request.instance_type, "rank": rank}) as intent:
            name = f"{attempt.handle.cloud_name}-{rank}-{intent.id[:12].lower()}"
            extra = {key: value for key, value in intent.tags.items() if key not in _LABELS}
            body = {
                "name": name,
                "type": request.instance_type,
                "labels": {**request.labels, **{key: intent.tags[key] for key in _LABELS}, RANK: str(rank)},
                "annotations": {**extra, CLOUD_NAME: attempt.handle.cloud_name},
            }
            try:
                self._pods("CreatePod", "POST", place, body=body)
            except CloudError as error:
                if error.code != "AlreadyExists" or self._intent_of(place, name) != intent.id:
                    raise
            intent.made([name])
        return name

    def _intent_of(self, place: Place, name: str) -> str:
        return next((node.intent for node in self._get(place, [name])), "")

    def _pods(
        self,
        operation: str,
        method: str,
        place: Place,
        name: str = "",
        *,
        body: Mapping[str, object] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> dict[str, object]:
        path = f"/api/contexts/{place.region}/pods" + (f"/{name}" if name else "")
        return self._client.call(operation, method, path, body, query)

    def _get(self, place: Place, names: Sequence[str]) -> list[Node]:
        return list(nodes_of((self._pods("GetPod", "GET", place, name) for name in names), zones=False))

    def _wait(self, place: Place, attempt: Attempt, names: Sequence[str]) -> tuple[Node, ...]:
        """Until all run; a pod without room for too long is this cloud's way to say that it has no capacity."""
        clock, limit = self.context.clock, self.settings.pending_limit_s
        end = clock.monotonic() + limit

        def look() -> list[Node]:
            try:
                nodes = self._get(place, names)
            except CloudError as error:
                if error.status == 404:
                    raise CloudError(self.name, "GetPod", "NodeVanished", error.message, 404) from error
                raise
            waiting = [node for node in nodes if node.state is NodeState.PENDING and node.reason]
            if waiting and clock.monotonic() > end:
                raise CloudError(self.name, "CreatePod", "Unschedulable", f"after {limit:g} s: {waiting[0].reason}")
            return nodes

        return wait_running(self.name, len(names), look, attempt, clock, poll_s=self.settings.poll_s)

    def _list(self, place: Place, labels: str) -> tuple[list[View], str]:
        size = {"limit": str(self.settings.page_size)} if self.settings.page_size else {}

        def fetch(mark: str) -> Mapping[str, object]:
            return self._pods("ListPods", "GET", place, query={"labels": labels, "continue": mark, **size})

        return list_all(fetch, self.settings.list_pages)

    def find(self, intent: Intent) -> Observation:
        return observe(self._list(intent.place, f"skyx-intent={intent.id}"), zones=False)

    def describe(self, handle: ClusterHandle, place: Place) -> Observation:
        return observe(self._list(place, f"skyx-uid={handle.uid},skyx-owner={handle.owner}"), zones=False)

    def teardown(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        for node in self.describe(handle, place).nodes:
            if node.state not in _LEAVING:
                self._delete(place, node.id)
        return ended(self.describe(handle, place), (NodeState.GONE,))

    def _delete(self, place: Place, name: str) -> None:
        try:
            self._pods("DeletePod", "DELETE", place, name)
        except CloudError as error:
            if error.status != 404:
                raise

    def self_end(self, cluster: Cluster, *, down: bool) -> SelfEnd:
        """The end of the head's pod ends the others with it; the cloud does that, the head holds no credential."""
        if not down:
            raise CloudError(self.name, "PatchPod", "UnsupportedOperation", "pods can't be stopped, only ended")
        head = cluster.nodes[0]
        for node in cluster.nodes:
            self._pods("PatchPod", "PATCH", cluster.place, node.id, body={"end_with": head.id})
        return SelfEnd(argv=poweroff_argv(head))

    def inventory(self, owner: str | None, places: Sequence[Place]) -> Iterable[Inventory]:
        labels = f"skyx-uid,skyx-owner={owner}" if owner else "skyx-uid"
        return inventories(places, lambda place: self._list(place, labels), zones=False)

    def runner(self, cluster: ClusterHandle, node: Node) -> Runner:
        del cluster
        return runner_of(node)
