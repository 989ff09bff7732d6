"""What a look at a cluster means: state x finding -> state, as one total table. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from skyx_core.models import Node, NodeState, Observation
from skyx_core.results import ClusterStatus as S


class Finding(Enum):
    """What one look showed."""

    HEALTHY = auto()  # all nodes run and the agent answers
    ENDING = auto()  # all nodes run, and the agent says that it is ending the cluster
    SILENT = auto()  # all nodes run, the agent doesn't answer
    LOST = auto()  # as SILENT, for a long time
    PARTIAL = auto()  # some nodes are missing, failed or in another state than the rest
    STOPPED = auto()  # every node is stopped
    CHANGING = auto()  # nodes are pending, stopping or terminating
    GONE = auto()  # no node is left, as complete lists said twice, or as the cloud said of each
    UNKNOWN = auto()  # the list was partial or failed


GONE_STATE = None  # the record goes to the history

TABLE: Mapping[S, Mapping[Finding, S | None]] = {
    S.INIT: {
        Finding.HEALTHY: S.UP,
        Finding.ENDING: S.AUTOSTOPPING,
        Finding.SILENT: S.INIT,
        Finding.LOST: S.INIT,
        Finding.PARTIAL: S.INIT,
        Finding.STOPPED: S.STOPPED,
        Finding.CHANGING: S.INIT,
        Finding.GONE: GONE_STATE,
        Finding.UNKNOWN: S.INIT,
    },
    S.UP: {
        Finding.HEALTHY: S.UP,
        Finding.ENDING: S.AUTOSTOPPING,
        Finding.SILENT: S.UP,  # one failed probe changes nothing
        Finding.LOST: S.INIT,
        Finding.PARTIAL: S.INIT,
        Finding.STOPPED: S.STOPPED,
        Finding.CHANGING: S.INIT,
        Finding.GONE: GONE_STATE,
        Finding.UNKNOWN: S.UP,
    },
    S.STARTING: {
        Finding.HEALTHY: S.UP,
        Finding.ENDING: S.AUTOSTOPPING,
        Finding.SILENT: S.STARTING,
        Finding.LOST: S.INIT,
        Finding.PARTIAL: S.STARTING,
        Finding.STOPPED: S.STOPPED,
        Finding.CHANGING: S.STARTING,
        Finding.GONE: GONE_STATE,
        Finding.UNKNOWN: S.STARTING,
    },
    S.STOPPING: {
        Finding.HEALTHY: S.STOPPING,
        Finding.ENDING: S.STOPPING,
        Finding.SILENT: S.STOPPING,
        Finding.LOST: S.STOPPING,
        Finding.PARTIAL: S.STOPPING,
        Finding.STOPPED: S.STOPPED,
        Finding.CHANGING: S.STOPPING,
        Finding.GONE: GONE_STATE,
        Finding.UNKNOWN: S.STOPPING,
    },
    S.STOPPED: {
        Finding.HEALTHY: S.UP,
        Finding.ENDING: S.AUTOSTOPPING,
        Finding.SILENT: S.INIT,
        Finding.LOST: S.INIT,
        Finding.PARTIAL: S.INIT,
        Finding.STOPPED: S.STOPPED,
        Finding.CHANGING: S.STOPPED,
        Finding.GONE: GONE_STATE,
        Finding.UNKNOWN: S.STOPPED,
    },
    S.AUTOSTOPPING: {
        Finding.HEALTHY: S.UP,
        Finding.ENDING: S.AUTOSTOPPING,
        Finding.SILENT: S.AUTOSTOPPING,
        Finding.LOST: S.AUTOSTOPPING,
        Finding.PARTIAL: S.AUTOSTOPPING,
        Finding.STOPPED: S.STOPPED,
        Finding.CHANGING: S.AUTOSTOPPING,
        Finding.GONE: GONE_STATE,
        Finding.UNKNOWN: S.AUTOSTOPPING,
    },
    S.TERMINATING: {
        Finding.HEALTHY: S.TERMINATING,
        Finding.ENDING: S.TERMINATING,
        Finding.SILENT: S.TERMINATING,
        Finding.LOST: S.TERMINATING,
        Finding.PARTIAL: S.TERMINATING,
        Finding.STOPPED: S.TERMINATING,
        Finding.CHANGING: S.TERMINATING,
        Finding.GONE: GONE_STATE,
        Finding.UNKNOWN: S.TERMINATING,
    },
}


def judge(observation: Observation, num_nodes: int) -> Finding:
    """Without the agent's word: all running is HEALTHY. An empty complete list is GONE only for this one look."""
    if not observation.complete:
        return Finding.UNKNOWN
    living = [node for node in observation.nodes if node.state is not NodeState.GONE]
    states = {node.state for node in living}
    if not living:
        return Finding.GONE
    if len(living) >= num_nodes and states == {NodeState.RUNNING}:
        return Finding.HEALTHY
    if len(living) >= num_nodes and states == {NodeState.STOPPED}:
        return Finding.STOPPED
    if states & {NodeState.PENDING, NodeState.STOPPING, NodeState.TERMINATING}:
        return Finding.CHANGING
    return Finding.PARTIAL


def explain(observation: Observation, num_nodes: int) -> str:
    """Why a cluster isn't healthy, in a few words, from what the cloud says of its nodes."""
    if not observation.complete:
        return f"unknown: {observation.reason or 'the list of nodes was not complete'}"
    reasons = [_of(node) for node in observation.nodes if node.state is not NodeState.RUNNING]
    missing = num_nodes - len(observation.nodes)
    if missing > 0:
        reasons.append(f"{missing} of {num_nodes} nodes are missing")
    return "; ".join(reasons)


def _of(node: Node) -> str:
    name = "head" if node.rank == 0 else f"worker{node.rank}"
    return f"{name} is {node.state.value}" + (f" ({node.reason})" if node.reason else "")
