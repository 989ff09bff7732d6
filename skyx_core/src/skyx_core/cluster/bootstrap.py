"""From running nodes to an agent that answers. Every step is safe to repeat."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from skyx_core.calls import Fence
from skyx_core.cluster.access import SOCKET, ClusterAccess, node_name
from skyx_core.cluster.agent_start import start_agent
from skyx_core.cluster.parallel import in_parallel
from skyx_core.errors import NodeError
from skyx_core.failpoints import failpoint
from skyx_core.models import Cluster, EventKind, Link, Node
from skyx_core.node.runner import NodeLostError, Runner
from skyx_core.results import Json

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services
    from skyx_core.state.records import ClusterRecord

REACH_PAUSE_S = 0.5
STEP_LIMIT_S = 30.0


def bootstrap(services: Services, record: ClusterRecord, cluster: Cluster, *, fence: Fence, deadline: float) -> Cluster:
    """Reach all nodes in parallel, start the agent on the head and tell it about the cluster.

    ``deadline``: in monotonic seconds. Returns the cluster with the agent's socket. Raises ``NodeError`` naming
    node, step and the last lines, or ``AgentError``.
    """
    access = ClusterAccess(services, cluster)
    try:
        total = len(cluster.nodes)
        counter = itertools.count(1)

        def ready(node: Node) -> None:
            _reach(services, access.runner(node.rank), fence, deadline)
            services.event(
                EventKind.NODE_READY,
                record,
                node=node_name(node.rank),
                rank=node.rank,
                done=next(counter),
                total=total,
                message=node.address,
            )

        in_parallel([lambda node=node: ready(node) for node in cluster.nodes], fence=fence)  # type: ignore[misc]
        failpoint("bootstrap.before_agent")
        socket = start_agent(access.runner(0), services.environ, services.dirs.cache)
        boot = services.token(8)
        cluster = cluster.model_copy(update={"data": {**cluster.data, SOCKET: socket, "boot": boot}})
        access.cluster = cluster
        failpoint("bootstrap.before_configure")
        configure(access)
        return cluster
    finally:
        access.close()


def _reach(services: Services, runner: Runner, fence: Fence, deadline: float) -> None:
    """Wait until the node runs commands; a node that is lost for good is not waited for."""
    while True:
        try:
            result = runner.run(["mkdir", "-p", "skyx_workdir", ".skyx"], timeout=STEP_LIMIT_S, cwd="~")
            if result.returncode == 0:
                return
            problem = result.stderr.decode("utf-8", "replace").strip()[-500:]
        except NodeLostError:
            raise
        except NodeError as error:
            problem = str(error)
        if services.clock.monotonic() > deadline or fence.cancelled:
            raise NodeError(f"node {runner.node} could not be prepared", where="first command", why=problem)
        services.clock.sleep(REACH_PAUSE_S)


def configure(access: ClusterAccess) -> None:
    """Tell the agent about its cluster; idempotent."""
    cluster = access.cluster
    body: dict[str, Json] = {
        "name": cluster.handle.name,
        "uid": cluster.handle.uid,
        "cloud": cluster.place.cloud,
        "region": cluster.place.region,
        "zone": cluster.nodes[0].zone,
        "boot": cluster.data.get("boot", ""),
        "strict": False,
        "watch_ssh": cluster.link is not Link.SANDBOX,
        "accelerator": cluster.data.get("accelerator", ""),
        "nodes": [_node(access, node) for node in cluster.nodes],
    }
    access.agent.request("configure", cluster=body)


def _node(access: ClusterAccess, node: Node) -> dict[str, Json]:
    runner = access.runner(node.rank)
    facts = runner.facts()
    gpus = [gpu for gpu in node.data.get("gpus", "").split(",") if gpu]
    return {
        "rank": node.rank,
        "node": node_name(node.rank),
        "address": node.address,
        "home": facts.home,
        "env": dict(facts.env),
        "gpus": list(gpus),
    }
