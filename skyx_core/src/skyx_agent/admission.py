"""Whether a job can ever run on this cluster."""

from __future__ import annotations

from skyx_agent.errors import AgentError
from skyx_agent.scheduler import Demand, amount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skyx_agent.cluster import Cluster
    from skyx_agent.jobspec import JobSpec
    from skyx_agent.scheduler import Ledger


def check_fits(cluster: Cluster, ledger: Ledger, spec: JobSpec) -> None:
    """Refuses (``too_big``), with the numbers, what the whole cluster could not run when it is free."""
    if spec.num_nodes > len(cluster.nodes):
        raise AgentError(
            "too_large", f"the job asks for {spec.num_nodes} nodes; cluster {cluster.name} has {len(cluster.nodes)}"
        )
    for name in spec.accelerators:
        if cluster.accelerator and name.lower() != cluster.accelerator:
            raise AgentError("too_large", f"the job asks for {name}; cluster {cluster.name} has {cluster.accelerator}")
    demand = Demand.of(spec.num_nodes, spec.gpus)
    if not ledger.possible(demand):
        have = ", ".join(f"{node.name} {len(node.gpus)}" for node in cluster.nodes[:8])
        raise AgentError(
            "too_large",
            f"the job asks for {amount(demand.per_node)} accelerators on each of {spec.num_nodes} node(s); "
            f"cluster {cluster.name} has: {have}",
        )
