"""A live cluster: its runners and its agent."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from skyx_core.errors import AgentError, NodeError
from skyx_core.jobs.client import OPEN_TRIES, AgentClient
from skyx_core.models import Cluster, JobReceipt, JobSpec
from skyx_core.node.runner import Channel, Runner

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services

SOCKET = "agent_socket"
CONNECT_LIMIT_S = 10.0


def node_name(rank: int) -> str:
    """``head``, ``worker1``, ... as users see them."""
    return "head" if rank == 0 else f"worker{rank}"


class ClusterAccess:
    """Implements ``drivers.NodeAccess``. Connections are opened when first used and kept until ``close``.

    ``probe``: one look without a second try, which never starts an agent.
    """

    def __init__(self, services: Services, cluster: Cluster, *, probe: bool = False) -> None:
        self._services = services
        self._probe = probe
        self.cluster = cluster
        self.cloud = services.clouds.get(cluster.place.cloud)
        self._runners: dict[int, Runner] = {}
        self._lock = threading.Lock()
        self.agent = AgentClient(
            self._connect, cluster_uid=cluster.handle.uid, tries=1 if probe else OPEN_TRIES, sleep=services.clock.sleep
        )

    def runner(self, rank: int) -> Runner:
        """Raises ``NodeError`` for a rank that the cluster doesn't have."""
        with self._lock:
            if rank not in self._runners:
                nodes = [node for node in self.cluster.nodes if node.rank == rank]
                if not nodes:
                    raise NodeError(f"cluster {self.cluster.handle.name!r} has no node {rank}")
                self._runners[rank] = self.cloud.runner(self.cluster.handle, nodes[0])
            return self._runners[rank]

    def queue(self, job: JobSpec) -> JobReceipt:
        return self.agent.submit(job)

    def _connect(self) -> Channel:
        """An agent that was killed together with its supervisor is started again; it finds its queue on disk."""
        name, socket = self.cluster.handle.name, self.cluster.data.get(SOCKET)
        if not socket:
            raise AgentError("the cluster's agent was never started", where=name)
        try:
            runner = self.runner(0)
            try:
                return runner.connect(socket, timeout=CONNECT_LIMIT_S)
            except (NodeError, OSError):
                if self._probe:
                    raise
                from skyx_core.cluster.agent_start import start_agent

                socket = start_agent(runner, self._services.environ, self._services.dirs.cache)
                return runner.connect(socket, timeout=CONNECT_LIMIT_S)
        except (NodeError, OSError, AgentError) as error:
            raise AgentError(
                "the cluster's agent can't be reached",
                where=name,
                why=str(error),
                hint=f"see what the cloud says: skyx status {name} --refresh",
            ) from error

    def close(self) -> None:
        """Safe to repeat."""
        self.agent.close()
        with self._lock:
            runners, self._runners = list(self._runners.values()), {}
        for runner in runners:
            runner.close()
