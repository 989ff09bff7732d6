"""Asking the cloud what became of a cluster, and making the record agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from skyx_core.cluster.access import ClusterAccess
from skyx_core.cluster.findings import TABLE, Finding, explain, judge
from skyx_core.errors import AgentError, CloudError, NodeError, PluginError
from skyx_core.models import EventKind, NodeState, Observation
from skyx_core.results import ClusterStatus
from skyx_core.state.records import ClusterRecord

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services

PAUSE_S = 0.2  # between the two lists that prove absence, at least
PROBE_S = 5.0
SILENT_LIMIT_S = 120.0  # an agent that was silent for so long is lost


@dataclass(frozen=True)
class Look:
    """What one look showed, and why, in words."""

    finding: Finding
    reason: str = ""


def look(services: Services, record: ClusterRecord) -> Look:
    """One look, or two a pause apart where the first shows nothing; then the agent's own word."""
    observation = _describe(services, record)
    finding = judge(observation, record.num_nodes)
    if finding is Finding.GONE and not _said_gone(observation, record):
        services.clock.sleep(max(PAUSE_S, _lag(services, record)))
        observation = _describe(services, record)
        finding = judge(observation, record.num_nodes)
    if finding is Finding.HEALTHY:
        return _ask_agent(services, record)
    return Look(finding, "" if finding is Finding.STOPPED else explain(observation, record.num_nodes))


def _lag(services: Services, record: ClusterRecord) -> float:
    return services.clouds.get(record.cloud).driver.list_lag_s


def _describe(services: Services, record: ClusterRecord) -> Observation:
    place = record.place
    if place is None:
        return Observation(complete=True, reason="no attempt was ever made")
    try:
        return services.clouds.get(place.cloud).describe(record.handle, place)
    except (CloudError, PluginError) as error:
        return Observation(complete=False, reason=str(error))


def _said_gone(observation: Observation, record: ClusterRecord) -> bool:
    """The cloud itself says of each node that it is gone; absence is not this."""
    states = [node.state for node in observation.nodes]
    return len(states) >= record.num_nodes and all(state is NodeState.GONE for state in states)


def _ask_agent(services: Services, record: ClusterRecord) -> Look:
    """One probe of a few seconds. Silence counts only once it has lasted."""
    cluster = record.cluster
    if cluster is None:
        return Look(Finding.SILENT, "the nodes run, the agent was never started")
    access = ClusterAccess(services, cluster, probe=True)
    try:
        autostop = access.agent.request("status", limit=PROBE_S).get("autostop")
    except (AgentError, NodeError, PluginError) as error:
        since = record.refreshed_at if record.refreshed_at is not None else record.created_at
        lasting = services.clock.time() - since > SILENT_LIMIT_S
        return Look(Finding.LOST if lasting else Finding.SILENT, f"the nodes run, the agent does not answer: {error}")
    finally:
        access.close()
    state = autostop if isinstance(autostop, dict) else {}
    if state.get("state") == "AUTOSTOPPING":
        return Look(Finding.ENDING, "idle: it is ending itself")
    return Look(Finding.HEALTHY, f"autostop is {state['reason']}" if state.get("reason") else "")


def refresh(services: Services, record: ClusterRecord) -> ClusterRecord | None:
    """Bring one record up to date; None = the cluster is gone and now in the history.

    The caller holds the cluster's lock. A failed look changes nothing but the reason.
    """
    seen = look(services, record)
    target = TABLE[record.status][seen.finding]
    if target is None:
        _bury(services, record)
        return None
    if target is not record.status:
        services.event(EventKind.STATUS_CHANGED, record, status=target.value, message=seen.reason)
    keeps_old = seen.finding is Finding.UNKNOWN and not seen.reason
    answered = seen.finding not in (Finding.UNKNOWN, Finding.SILENT, Finding.LOST)
    return services.store.update(
        record.name,
        record.generation,
        status=target,
        reason=record.reason if keeps_old else seen.reason,
        ever_up=record.ever_up or target is ClusterStatus.UP,
        autostop=None if target is ClusterStatus.STOPPED else record.autostop,
        refreshed_at=services.clock.time() if answered else record.refreshed_at,
    )


def _bury(services: Services, record: ClusterRecord) -> None:
    reason = "ended by itself" if record.autostop else "the cloud shows none of its nodes any more"
    if record.status is ClusterStatus.TERMINATING:
        reason = "taken down"
    for intent in services.store.intents(record.uid, open_only=True):
        services.store.intent_gone(intent.id, reason)
    services.event(EventKind.TERMINATED, record, message=reason)
    services.store.remove(record.uid, record.generation, reason)
