"""The cluster as its client describes it with ``configure``."""

from __future__ import annotations

import json
import os

from skyx_agent import values
from skyx_agent.errors import AgentError
from skyx_agent.files import read_bytes, write_atomically

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from skyx_agent.journal import Journal
    from skyx_agent.values import Json

GRACE_SECONDS = 3.0


class Node:
    """One node: rank, name, address, home folder, its own variables and its accelerators' ids."""

    def __init__(self, data: Mapping[str, object]) -> None:
        self.rank = values.whole(data, "rank")
        self.name = values.text(data, "node", "") or ("head" if self.rank == 0 else f"worker{self.rank}")
        self.address = values.text(data, "address")
        self.home = values.text(data, "home")
        self.env = values.texts(data, "env")
        self.gpus = _gpu_ids(data.get("gpus"))
        self.marker = values.text(data, "marker", "")
        if not os.path.isabs(self.home) or values.NUL in self.home:
            raise AgentError("invalid", f"the home of node {self.rank} must be an absolute path: {self.home!r}")


class Cluster:
    """Name, uid, place and nodes of the cluster. ``strict``: the queue is FIFO without backfill.

    ``watch_ssh``: whether ssh sessions on this machine belong to the cluster. ``grace``: seconds between SIGTERM
    and SIGKILL.
    """

    def __init__(self, data: Json) -> None:
        self.data = data
        self.name = values.text(data, "name")
        self.uid = values.text(data, "uid")
        self.boot = values.text(data, "boot", "")
        self.strict = values.flag(data, "strict")
        self.watch_ssh = data.get("watch_ssh", True) is not False
        self.grace = values.number(data, "grace_s", GRACE_SECONDS)
        self.accelerator = values.text(data, "accelerator", "").lower()
        self.nodes = [Node(_mapping(node)) for node in values.items(data, "nodes")]
        self.nodes.sort(key=lambda node: node.rank)
        self._by_rank = {node.rank: node for node in self.nodes}
        self.has_gpus = any(node.gpus for node in self.nodes)
        self._check()

    def _check(self) -> None:
        ranks = [node.rank for node in self.nodes]
        if not ranks or len(set(ranks)) != len(ranks):
            raise AgentError("invalid", f"a cluster needs nodes with different ranks, not {ranks}")

    def node(self, rank: int) -> Node:
        node = self._by_rank.get(rank)
        if node is None:
            raise AgentError("invalid", f"the cluster has no node {rank} any more")
        return node

    def info(self) -> str:
        """SKYX_CLUSTER_INFO: JSON of name, cloud, region and zone."""
        place = {key: self.data.get(key) for key in ("cloud", "region", "zone")}
        return json.dumps({"cluster_name": self.name, "name": self.name, **place})

    def save(self, path: str) -> None:
        write_atomically(path, json.dumps(self.data).encode("ascii"))


def stored_cluster(folder: str, copy: str, journal: Journal) -> Cluster | None:
    """From its file; if that is missing or damaged, from the ``copy``, which then takes its place. Else None."""
    path = os.path.join(folder, "cluster.json")
    try:
        cluster = _parse(read_bytes(path))
    except OSError:
        cluster = None
    if cluster is not None or not copy:
        return cluster
    cluster = _parse(copy.encode("ascii", "replace"))
    journal.say(f"{path} can't be read; using the copy in the job record")
    if cluster is not None:
        try:
            cluster.save(path)
        except OSError as error:
            journal.say(f"{path} can't be written: {error.strerror}")
    return cluster


def not_configured() -> AgentError:
    return AgentError(
        "not_configured",
        "the agent on the head doesn't know its cluster: it was never told, or cluster.json was damaged",
        "'skyx stop NAME && skyx start NAME' (or 'skyx launch' on the cluster) tells it again",
    )


def _parse(text: bytes) -> Cluster | None:
    """None when it isn't the JSON of a cluster."""
    try:
        data = json.loads(text)
        return Cluster(data) if isinstance(data, dict) else None
    except (ValueError, RecursionError, AgentError):
        return None


def _mapping(value: object) -> Json:
    if not isinstance(value, dict):
        raise values.bad("nodes", "a list of mappings", value)
    return value


def _gpu_ids(value: object) -> list[str]:
    if value is None:
        return []
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return [str(one) for one in range(value)]
    if isinstance(value, list) and all(isinstance(one, (str, int)) for one in value):
        return [str(one) for one in value]
    raise values.bad("gpus", "a count or a list of ids", value)
