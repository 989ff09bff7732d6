"""Running one attempt: nodes, bootstrap, autostop; and removing what it made."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skyx_core.calls import Fence
from skyx_core.cluster.access import ClusterAccess
from skyx_core.cluster.bootstrap import bootstrap
from skyx_core.cluster.ending import remove_nodes, settle_stopped
from skyx_core.cluster.journal import AttemptRun
from skyx_core.cluster.judging import CANCELLED, Judge
from skyx_core.errors import AgentError, AttemptCancelled, CloudError, LeftoverError, NodeError, PluginError
from skyx_core.failover.engine import Start
from skyx_core.failpoints import failpoint
from skyx_core.models import Autostop, Candidate, Cluster, EventKind, Place, Request, Verdict, ZoneOption
from skyx_core.results import ClusterStatus
from skyx_core.state.records import ClusterRecord

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services


@dataclass
class Build:
    """A cluster in the making: its record as last stored, and what may be asked of it."""

    services: Services
    record: ClusterRecord
    fence: Fence
    held: ExitStack
    autostop: Autostop | None = None
    attempt: AttemptRun | None = None
    ports: tuple[str, ...] = ()
    candidate: Candidate | None = None

    def run(self, start: Start, now: float) -> Verdict | None:
        """The whole attempt, until the agent answers. None = the cluster is UP and stored as such. ``now``: what the
        engine was told when it decided this.
        """
        candidate, services = start.choice.candidate, self.services
        place = Place(cloud=candidate.cloud, region=candidate.region, zones=start.zones)
        try:
            account = services.clouds.get(candidate.cloud).identity()
            place = place.model_copy(update={"account": account})
            self._announce(start, place, now)
            cluster = self._provision(start, place)
            self.finish(cluster)
        except (AttemptCancelled, CloudError, PluginError, NodeError, AgentError) as error:
            if isinstance(error, AttemptCancelled) and self.fence.cancelled:
                return CANCELLED.model_copy(update={"reason": str(error)})
            return self.judge.attempt(start.choice, place, error)
        finally:
            if self.attempt is not None:
                self.attempt.close()
        return None

    @property
    def judge(self) -> Judge:
        """Says what failures mean."""
        return Judge(self.services)

    def _announce(self, start: Start, place: Place, now: float) -> None:
        """On disk before the first creating call: where it is tried."""
        candidate = start.choice.candidate
        self.record = self.services.store.announce(
            self.record.name,
            self.record.generation,
            cloud=place.cloud,
            account=place.account,
            status=ClusterStatus.STARTING if self.record.ever_up else ClusterStatus.INIT,
            reason="",
            region=place.region,
            zone=candidate.zone,
            instance_type=candidate.instance_type,
            accelerators=dict(candidate.accelerators),
            use_spot=candidate.use_spot,
            num_nodes=start.choice.request.num_nodes,
            hourly_usd=candidate.hourly_usd,
            place=place,
            request_json=start.choice.request.model_dump_json(),
        )
        self.services.event(
            EventKind.ATTEMPT_STARTED,
            self.record,
            attempt=start.attempt,
            candidate=candidate,
            total=self.record.num_nodes,
            zones=tuple(ZoneOption(zone=zone) for zone in start.zones),
            decided_at=now,
            alternative=start.choice.alternative,
            request=start.choice.digest,
        )

    def _provision(self, start: Start, place: Place) -> Cluster:
        services, candidate = self.services, start.choice.candidate
        cloud = services.clouds.get(place.cloud)
        limit = services.settings.attempt_timeout_s
        self.attempt = AttemptRun(
            services,
            self.record.handle,
            candidate,
            number=start.attempt,
            generation=self.record.generation,
            limit=limit,
            fence=self.fence,
        )
        failpoint("launch.before_provision")
        request = concrete(start.choice.request, candidate, place.zones)
        cluster = cloud.provision(place, request, self.attempt, limit=limit, fence=self.fence)
        failpoint("launch.after_provision")
        self.ports, self.candidate = request.ports, candidate
        return complete(cluster, request.num_nodes, cloud.name)

    def finish(self, cluster: Cluster) -> None:
        """Store the nodes, start the agent, arm autostop, say UP."""
        services, store = self.services, self.services.store
        self.record = store.update(self.record.name, self.record.generation, cluster=cluster)
        services.event(EventKind.NODES_UP, self.record, total=len(cluster.nodes))
        attempt = self.attempt
        deadline = attempt.deadline if attempt else services.clock.monotonic() + 300
        cluster = bootstrap(services, self.record, cluster, fence=self.fence, deadline=deadline)
        services.clouds.get(cluster.place.cloud).open_ports(cluster.handle, cluster.place, self.ports)
        setting = self.autostop or (Autostop.model_validate(self.record.autostop) if self.record.autostop else None)
        if setting is not None:
            arm(services, cluster, setting, self.held)
        failpoint("launch.before_up")
        head = cluster.nodes[0].address or None
        size = (
            {"cpus": f"{self.candidate.cpus:g}", "memory_gb": f"{self.candidate.memory_gb:g}"} if self.candidate else {}
        )
        cluster = cluster.model_copy(update={"data": {**cluster.data, **size}})
        self.record = store.update(
            self.record.name,
            self.record.generation,
            cluster=cluster,
            zone=cluster.nodes[0].zone or self.record.zone,
            status=ClusterStatus.UP,
            reason="",
            ever_up=True,
            head=head,
            autostop=setting.model_dump(mode="json") if setting else None,
            refreshed_at=services.clock.time(),
        )
        failpoint("launch.after_up")
        number = self.attempt.number if self.attempt else None
        services.event(EventKind.CLUSTER_UP, self.record, message=head or "", attempt=number)

    def clean_up(self) -> bool:
        """Remove what the attempt made: terminate a cluster that never was up, stop one that was. False: there was
        nothing to remove.

        Raises ``LeftoverError`` when that can't be done now; the record then stays, and says why.
        """
        if self.record.ever_up:
            self._rest()
            return True
        place, attempt = self.record.place, self.attempt
        if place is None or attempt is None:
            return False
        suspect = attempt.may_have_made or attempt.under_way
        if suspect:
            remove_nodes(self.services, self.record, place)
        if attempt.under_way:
            raise LeftoverError(
                f"a call that makes nodes of {self.record.name!r} has not returned",
                why="it may still take effect",
                hint=f"end what it makes: skyx down {self.record.name}",
            )
        for intent in self.services.store.intents(self.record.uid, open_only=True):
            self.services.store.intent_gone(intent.id, "the attempt was cleaned up")
        self.attempt = None
        return suspect

    @property
    def clean(self) -> bool:
        """Whether nothing of the last attempt is left."""
        return self.attempt is None

    def _rest(self) -> None:
        """Of a cluster that was up: stopped where that can be, else left as it is; it may hold data."""
        cloud = self.services.clouds.get(self.record.cloud)
        status = ClusterStatus.INIT
        if cloud.can_stop:
            settle_stopped(self.services, self.record)
            status = ClusterStatus.STOPPED
        self.record = self.services.store.update(
            self.record.name, self.record.generation, status=status, reason="the last launch could not make it whole"
        )


def concrete(request: Request, candidate: Candidate, zones: tuple[str, ...] = ()) -> Request:
    """The request as a driver gets it: where and what the candidate is."""
    return request.model_copy(
        update={
            "cloud": candidate.cloud,
            "region": candidate.region,
            "zone": candidate.zone if len(zones) <= 1 else None,
            "instance_type": candidate.instance_type,
            "use_spot": candidate.use_spot,
        }
    )


def complete(cluster: Cluster, num_nodes: int, cloud: str) -> Cluster:
    """All nodes or none: count, ranks and ids are checked before anything is built on them."""
    ranks = sorted(node.rank for node in cluster.nodes)
    ids = {node.id for node in cluster.nodes}
    if ranks == list(range(num_nodes)) and len(ids) == num_nodes:
        ordered = tuple(sorted(cluster.nodes, key=lambda node: node.rank))
        return cluster.model_copy(update={"nodes": ordered})
    message = f"got {len(ids)} of {num_nodes} nodes (ranks {ranks})"
    raise CloudError(cloud, "provision", code="IncompleteGang", message=message)


def arm(services: Services, cluster: Cluster, setting: Autostop, held: ExitStack) -> None:
    """Tell the agent when and how to end its cluster. It counts as busy until ``held`` is closed."""
    plan = services.clouds.get(cluster.place.cloud).self_end(cluster, setting)
    access = ClusterAccess(services, cluster)
    held.callback(access.close)
    held.enter_context(access.agent.hold())
    access.agent.set_autostop(setting, plan.argv)
