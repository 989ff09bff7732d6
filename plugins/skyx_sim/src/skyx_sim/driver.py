"""The clouds ``sim``, ``sim2`` and ``sim3``: what a scenario says, with sandboxes on this machine as nodes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from skyx_core.api import (
    Capability,
    CheckLine,
    CloudDriver,
    CloudError,
    Cluster,
    Idempotency,
    Link,
    RuleTable,
    ScenarioError,
    SelfEnd,
    SupportsSelfEnd,
    SupportsStop,
    WhyNot,
)
from skyx_sim.settings import VARIABLE, SimSettings, scenario_path, set_by

if TYPE_CHECKING:
    from skyx_core.api import (
        Attempt,
        Candidate,
        ClusterHandle,
        Intent,
        Inventory,
        Node,
        Observation,
        Offer,
        Place,
        Request,
        Runner,
        Sandbox,
        TeardownResult,
        ZoneOption,
    )
    from skyx_sim.clockwork import Clockwork
    from skyx_sim.nodes import SimNodes
    from skyx_sim.world import Answer

_POLL_S = 0.05


class SimDriver(CloudDriver[SimSettings], SupportsStop, SupportsSelfEnd):
    """Costs nothing, whatever its prices say. A scenario must be set, so that it is in nobody's plan by chance."""

    name: ClassVar[str] = "sim"
    settings_model = SimSettings
    capabilities = frozenset(
        {
            Capability.ZONES,
            Capability.SPOT,
            Capability.MULTI_NODE,
            Capability.LABELS,
            Capability.DISK_TIER,
            Capability.NETWORK_TIER,
            Capability.FALLBACK,  # never beside real clouds, unless it is named
            Capability.PORTS_AT_LAUNCH,  # every port of a node's loopback address can be reached from this machine
        }
    )
    idempotency = Idempotency.NAME
    link = Link.SANDBOX
    settle_s = 0  # a call that isn't there any more does nothing any more

    @cached_property
    def _path(self) -> Path | None:
        return scenario_path(self.settings, self.context)

    @cached_property
    def _clockwork(self) -> Clockwork:
        from skyx_sim.clockwork import Clockwork

        path = self._path
        if path is None:
            raise CloudError(self.name, "scenario", "NoScenario", "no scenario is set")
        return Clockwork(self.name, path, self.context.home, self.context.clock, self.settings.speed)

    @cached_property
    def _nodes(self) -> SimNodes:
        from skyx_sim.nodes import SimNodes

        return SimNodes(self.name, self.context.home / "nodes", self.context.clock)

    def rules(self) -> RuleTable:
        from skyx_sim.table import table_of

        return table_of(self._clockwork.cloud)

    def disabled(self) -> WhyNot | None:
        if self._path is None:
            fix = f"set clouds.{self.name}.scenario in the settings, or {VARIABLE}, to a scenario's file"
            return WhyNot(subject=self.name, reason="no scenario is set", fix=fix, quiet=True)
        try:
            names = self._clockwork.names()
        except ScenarioError as error:
            fix = error.hint or "set another scenario"
            if not self._path.exists():
                fix = f"set {set_by(self.settings, self.name)} to a scenario's file"
            return WhyNot(subject=self.name, reason=f"{error}", fix=fix)
        if self.name in names:
            return None
        reason = f"the scenario has no cloud named {self.name!r}, only {', '.join(names)}"
        return WhyNot(subject=self.name, reason=reason, fix="set another scenario", quiet=True)

    def fingerprint(self) -> str:
        """Of the scenario, and of the credentials that are in use by now."""
        cloud, now = self._clockwork.cloud, self._clockwork.now()
        renewed = (
            cloud.credentials is not None and cloud.credentials.renew is not None and now >= cloud.credentials.renew
        )
        return f"{self._clockwork.digest}{'-renewed' if renewed else ''}"

    def check_credentials(self) -> Sequence[CheckLine]:
        why = self.disabled()
        if why is not None:
            return (CheckLine(name="scenario", ok=False, detail=why.reason, fix=why.fix),)
        detail = f"{self._path}, {self._clockwork.speed:g} times as fast as the clock"
        return (CheckLine(name="scenario", ok=True, detail=detail),)

    def offers(self, query: Request) -> Iterable[Offer]:
        return self._clockwork.world.shop.offers(query)

    def lacks(self, candidate: Candidate, needs: Request) -> Sequence[WhyNot]:
        if candidate.use_spot and needs.autostop and not needs.autostop_down:
            fix = "end it instead (autodown), or ask for on-demand"
            return (WhyNot(subject=candidate.infra(), reason="spot nodes can't be stopped", fix=fix),)
        return ()

    def locate(self, request: Request, region: str) -> Sequence[ZoneOption]:
        return self._clockwork.world.shop.locate(request.instance_type or "", region, request.zone)

    def provision(self, place: Place, request: Request, attempt: Attempt) -> Cluster:
        """Takes the scenario's latency, divided by its speed."""
        attempt.check()
        found = self._sound(attempt.handle, place)
        there = {node.rank: node for node in found if node.rank < request.num_nodes}
        nodes = self._nodes.start([there[rank] for rank in sorted(there)])
        missing = [rank for rank in range(request.num_nodes) if rank not in there]
        if missing:
            nodes += self._create(place, request, attempt, missing)
        return self._cluster(attempt.handle, place, nodes)

    def _create(self, place: Place, request: Request, attempt: Attempt, ranks: Sequence[int]) -> list[Sandbox]:
        from skyx_sim.world import Ask

        candidate, work = attempt.candidate, self._clockwork
        body: dict[str, object] = {"type": candidate.instance_type, "spot": candidate.use_spot, "ranks": list(ranks)}
        with attempt.creating("nodes", place, ranks, body) as intent:
            ask = Ask(place.region, place.zones, candidate.instance_type, candidate.use_spot, len(ranks))
            answer = work.ask(ask, self._nodes.held())
            tags = {**request.labels, **self._tags(answer)}
            made = self._nodes.create(attempt.handle, ranks[: answer.made], intent, candidate, tags)
            if answer.error is not None:
                self._wait(attempt, work.real(answer.after))
                raise answer.error
            intent.made([node.id for node in made])
        self._wait(attempt, work.real(answer.after))
        return made

    def _tags(self, answer: Answer) -> dict[str, str]:
        from skyx_sim.nodes import PREEMPTED, REGION, SPOT, TYPE, ZONE

        if answer.slot is None:
            return {}
        region, zone, kind, spot = answer.slot
        tags = {REGION: region, ZONE: zone, TYPE: kind, SPOT: "yes" if spot else "no"}
        at = self._clockwork.preempted_at(answer)
        return tags if at is None else {**tags, PREEMPTED: repr(at)}

    def _wait(self, attempt: Attempt, seconds: float) -> None:
        clock = self.context.clock
        end = clock.monotonic() + seconds
        while (left := end - clock.monotonic()) > 0:
            attempt.check()
            clock.sleep(min(left, _POLL_S))
        attempt.check()

    def _sound(self, handle: ClusterHandle, place: Place) -> list[Sandbox]:
        from skyx_sim.nodes import REGION

        found, problems = self._nodes.of(f"{handle.uid}-")
        if problems:
            raise CloudError(self.name, "list", "ListIncomplete", "; ".join(problems))
        return [node for node in found if node.tags.get(REGION) == place.region]

    def _cluster(self, handle: ClusterHandle, place: Place, nodes: Sequence[Sandbox]) -> Cluster:
        from skyx_sim.nodes import TYPE, as_node

        ordered = sorted(nodes, key=lambda node: node.rank)
        kind = self._clockwork.world.shop.types.get(ordered[0].tags.get(TYPE, "")) if ordered else None
        names = list(kind.accelerators) if kind else []
        data = {"accelerator": names[0]} if names else {}
        return Cluster(handle=handle, place=place, nodes=tuple(map(as_node, ordered)), link=self.link, data=data)

    def find(self, intent: Intent) -> Observation:
        uid = intent.tags.get("skyx-uid", "")
        return self._nodes.observe(f"{uid}-" if uid else "", intent.id)

    def describe(self, handle: ClusterHandle, place: Place) -> Observation:
        del place
        return self._nodes.observe(f"{handle.uid}-")

    def teardown(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        """Takes at most some 11 s, if processes don't end when asked to."""
        del place
        return self._nodes.end(handle.uid, remove=True)

    def stop(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        """Files and addresses stay; the room is given back. Takes at most some 11 s."""
        del place
        return self._nodes.end(handle.uid, remove=False)

    def start(self, handle: ClusterHandle, place: Place, attempt: Attempt) -> Cluster:
        attempt.check()
        return self._cluster(handle, place, self._nodes.start(self._sound(handle, place)))

    def self_end(self, cluster: Cluster, *, down: bool) -> SelfEnd:
        program = (sys.executable, "-P", "-m", "skyx_sim.end")
        root = str(self._nodes.sandboxes.root)
        return SelfEnd(argv=(*program, "down" if down else "stop", root, cluster.handle.uid))

    def inventory(self, owner: str | None, places: Sequence[Place]) -> Iterable[Inventory]:
        for place in places:
            yield self._nodes.inventory(owner, place)

    def runner(self, cluster: ClusterHandle, node: Node) -> Runner:
        from skyx_core.api import SandboxRunner

        del cluster
        return SandboxRunner(Path(node.data["sandbox"]), node="head" if node.rank == 0 else f"worker{node.rank}")


class Sim2Driver(SimDriver):
    """A second cloud of the same scenario."""

    name: ClassVar[str] = "sim2"


class Sim3Driver(SimDriver):
    """A third one."""

    name: ClassVar[str] = "sim3"
