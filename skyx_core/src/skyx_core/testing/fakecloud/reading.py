"""What the two drivers share: reading nodes, waiting for them, reaching them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from skyx_core.api import (
    Attempt,
    Clock,
    CloudError,
    Cluster,
    ClusterHandle,
    Link,
    Node,
    NodeState,
    Place,
    Runner,
    SandboxRunner,
)
from skyx_core.testing.fakecloud.catalogue import machine_named

RANK, CLOUD_NAME = "skyx-rank", "skyx-cloud-name"
View = Mapping[str, object]
_STATES = {"terminated": NodeState.GONE, **{str(state): state for state in NodeState}}
_ENDED = (NodeState.TERMINATING, NodeState.GONE, NodeState.FAILED)


def tags_of(view: View) -> dict[str, str]:
    """Tags and annotations together."""
    both: dict[str, str] = {}
    for key in ("tags", "annotations"):
        part = view.get(key)
        if isinstance(part, dict):
            both.update({str(name): str(value) for name, value in part.items()})
    return both


def node_of(view: View, *, zones: bool) -> Node | None:
    """A node of skyx's, or None for one without a rank. An unknown state is FAILED, with its name as the reason."""
    tags, state = tags_of(view), str(view.get("state", ""))
    rank = tags.get(RANK, "")
    if not rank.isdecimal():
        return None
    return Node(
        rank=int(rank),
        id=str(view.get("name") or view["id"]),
        address=str(view.get("address", "")),
        external_address=str(view.get("address", "")),
        zone=str(view.get("place", "")) if zones else None,
        state=_STATES.get(state, NodeState.FAILED),
        reason=str(view.get("reason", "")) if state in _STATES else f"unknown state {state!r}",
        intent=tags.get("skyx-intent", ""),
        data={"sandbox": str(view.get("sandbox", "")), "home": str(view.get("home", "")), **_hardware(view)},
    )


def _hardware(view: View) -> dict[str, str]:
    machine = machine_named(str(view.get("type", "")))
    if machine is None:
        return {}
    return {
        "cpus": str(machine.cpus),
        "gpus": ",".join(str(number) for number in range(machine.count)),
        "accelerator": machine.accelerator,
    }


def cluster_of(handle: ClusterHandle, place: Place, nodes: Sequence[Node]) -> Cluster:
    """All nodes of a cluster, which are of one type."""
    accelerator = nodes[0].data.get("accelerator", "") if nodes else ""
    data = {"accelerator": accelerator} if accelerator else {}
    return Cluster(handle=handle, place=place, nodes=tuple(nodes), link=Link.SANDBOX, data=data)


def handle_of(view: View) -> ClusterHandle | None:
    """Whose node it is, by its tags; None when they don't say."""
    tags = tags_of(view)
    if not (tags.get("skyx-uid") and tags.get("skyx-owner")):
        return None
    name = tags.get("skyx-cluster", "")
    return ClusterHandle(
        uid=tags["skyx-uid"],
        name=name,
        owner=tags["skyx-owner"],
        cloud_name=tags.get(CLOUD_NAME, name),
    )


def wait_running(
    cloud: str, count: int, look: Callable[[], Sequence[Node]], attempt: Attempt, clock: Clock, *, poll_s: float
) -> tuple[Node, ...]:
    """Until ``look`` shows ``count`` nodes and all run, or the attempt's deadline. ``CloudError`` if one ended."""
    shown = -1
    while True:
        attempt.check()
        nodes = sorted(look(), key=lambda node: node.rank)
        for node in nodes:
            if node.state in _ENDED:
                raise CloudError(
                    cloud, "wait", "NodeVanished", f"{node.id} is {node.state} while it should start: {node.reason}"
                )
        up = sum(node.state is NodeState.RUNNING for node in nodes)
        if up != shown:
            attempt.progress("Starting nodes", up, count)
            shown = up
        if up == count:
            return tuple(nodes)
        clock.sleep(poll_s)


def poweroff_argv(head: Node) -> tuple[str, ...]:
    """What a node runs to power itself off."""
    return ("/usr/bin/touch", f"{head.data['home']}/.poweroff")


def runner_of(node: Node) -> Runner:
    """The sandbox under the node."""
    return SandboxRunner(Path(node.data["sandbox"]), node="head" if node.rank == 0 else f"worker{node.rank}")
