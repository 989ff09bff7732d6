"""Asking the cloud what became of a cluster, and making the record agree."""

from __future__ import annotations

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


def look(services: Services, record: ClusterRecord) -> tuple[Finding, Observation]:
    """One look, or two a pause apart where the first shows nothing."""
    observation = _describe(services, record)
    finding = judge(observation, record.num_nodes)
    if finding is Finding.GONE and not _said_gone(observation, record):
        services.clock.sleep(max(PAUSE_S, _lag(services, record)))
        observation = _describe(services, record)
        finding = judge(observation, record.num_nodes)
    if finding is Finding.HEALTHY and not agent_answers(services, record):
        finding = Finding.SILENT
    return finding, observation


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


def agent_answers(services: Services, record: ClusterRecord) -> bool:
    """One probe of a few seconds."""
    cluster = record.cluster
    if cluster is None:
        return False
    access = ClusterAccess(services, cluster)
    try:
        access.agent.request("status", limit=5.0)
        return True
    except (AgentError, NodeError, PluginError):
        return False
    finally:
        access.close()


def refresh(services: Services, record: ClusterRecord) -> ClusterRecord | None:
    """Bring one record up to date; None = the cluster is gone and now in the history.

    The caller holds the cluster's lock. A failed look changes nothing but the reason.
    """
    finding, observation = look(services, record)
    target = TABLE[record.status][finding]
    if target is None:
        _bury(services, record)
        return None
    now = services.clock.time()
    reason = "" if finding in (Finding.HEALTHY, Finding.STOPPED) else explain(observation, record.num_nodes)
    if finding is Finding.SILENT:
        reason = "the nodes run, the agent does not answer"
    autostop = None if target is ClusterStatus.STOPPED else record.autostop
    if target is not record.status:
        services.event(EventKind.STATUS_CHANGED, record, status=target.value, message=reason)
    return services.store.update(
        record.name,
        record.generation,
        status=target,
        reason=reason or (record.reason if finding is Finding.UNKNOWN else ""),
        ever_up=record.ever_up or target is ClusterStatus.UP,
        autostop=autostop,
        refreshed_at=now,
    )


def _bury(services: Services, record: ClusterRecord) -> None:
    reason = "ended by itself" if record.autostop else "the cloud shows none of its nodes any more"
    if record.status is ClusterStatus.TERMINATING:
        reason = "taken down"
    for intent in services.store.intents(record.uid, open_only=True):
        services.store.intent_gone(intent.id, reason)
    services.event(EventKind.TERMINATED, record, message=reason)
    services.store.remove(record.uid, record.generation, reason)
