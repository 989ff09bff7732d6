"""Rows of the store, as plain frozen dataclasses; models inside them are parsed when asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from skyx_core.results import ClusterStatus, Json

if TYPE_CHECKING:
    from skyx_core.models import Cluster, ClusterHandle, Place


@dataclass(frozen=True, slots=True)
class ClusterRecord:
    """Everything known of one cluster. Times are seconds since the epoch; ``hourly_usd`` is of all nodes.

    ``generation``: the fence; an update must name the one it read, and ``Store.take`` makes the next one.
    ``handle_json``, ``cluster_json`` and ``place_json`` are versioned JSON; ``cluster`` is None until nodes are up.
    ``request_json`` is the caller's own. ``task_yaml``: as the user wrote it, secrets redacted.
    """

    name: str
    uid: str
    handle_json: str
    cloud: str
    account: str = ""
    region: str | None = None
    zone: str | None = None
    instance_type: str | None = None
    accelerators: dict[str, float] = field(default_factory=dict)
    use_spot: bool = False
    num_nodes: int = 1
    hourly_usd: float = 0.0
    status: ClusterStatus = ClusterStatus.INIT
    reason: str = ""
    autostop: dict[str, Json] | None = None
    head: str | None = None
    ever_up: bool = False
    cluster_json: str | None = None
    place_json: str | None = None
    request_json: str = "{}"
    task_yaml: str = ""
    command: str = ""
    executor: str | None = None
    config_hash: str = ""
    generation: int = 0
    created_at: float = 0.0  # 0: set when it is stored
    updated_at: float = 0.0
    refreshed_at: float | None = None

    @classmethod
    def of(cls, handle: ClusterHandle, cloud: str) -> ClusterRecord:
        """A new one; set the rest with ``dataclasses.replace``."""
        from skyx_core.state.documents import encode

        return cls(handle.name, handle.uid, encode(handle), cloud)

    @property
    def handle(self) -> ClusterHandle:
        """Raises ``StateStoreError`` if the stored text is damaged, as do the next two."""
        from skyx_core.models import ClusterHandle
        from skyx_core.state.documents import decode

        return decode(ClusterHandle, self.handle_json)

    @property
    def cluster(self) -> Cluster | None:
        from skyx_core.models import Cluster
        from skyx_core.state.documents import decode

        return None if self.cluster_json is None else decode(Cluster, self.cluster_json)

    @property
    def place(self) -> Place | None:
        from skyx_core.models import Place
        from skyx_core.state.documents import decode

        return None if self.place_json is None else decode(Place, self.place_json)


class ClusterChanges(TypedDict, total=False):
    """What ``Store.update`` may change. The handle never changes; ``ever_up`` never goes back."""

    status: ClusterStatus
    reason: str
    cloud: str
    account: str
    region: str | None
    zone: str | None
    instance_type: str | None
    accelerators: dict[str, float]
    use_spot: bool
    num_nodes: int
    hourly_usd: float
    autostop: dict[str, Json] | None
    head: str | None
    ever_up: bool
    cluster: Cluster | None
    place: Place | None
    request_json: str
    task_yaml: str
    command: str
    executor: str | None
    config_hash: str
    refreshed_at: float | None


@dataclass(frozen=True, slots=True)
class HistoryRecord:
    """A cluster that is gone. ``reason``: why it ended."""

    uid: str
    name: str
    cloud: str
    region: str | None
    zone: str | None
    instance_type: str | None
    num_nodes: int
    use_spot: bool
    created_at: float
    ended_at: float
    hourly_usd: float
    reason: str
    command: str = ""
    task_yaml: str = ""


@dataclass(frozen=True, slots=True)
class EventRecord:
    """One stored event; ``json`` is its text as given. ``seq`` grows over the whole store."""

    seq: int
    uid: str
    name: str
    kind: str
    time: float
    json: str


@dataclass(frozen=True, slots=True)
class IntentRecord:
    """A creating call, stored before it is made. ``state``: in_flight, made, failed or gone.

    Only what a call answered ends ``in_flight``: one that did not return stays so until it is looked up.
    ``ids``: what it made, one per rank.
    """

    id: str
    cluster_uid: str
    attempt: int
    kind: str
    place_json: str
    ranks: tuple[int, ...]
    body_digest: str
    token: str
    created_at: float = 0.0  # 0: set when it is stored
    state: str = "in_flight"
    ids: tuple[str, ...] = ()
    error: str = ""
    ended_at: float | None = None

    @property
    def open(self) -> bool:
        return self.state == "in_flight"
