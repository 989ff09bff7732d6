"""The VM-like cloud: regions and zones, tokens, one call for n nodes, tags, stop and start, paged lists.

Every call is ``POST /v1/<Action>`` with a JSON body.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from skyx_core.testing.fakecloud.catalogue import NOT_SOLD, VM_REGIONS, VM_TYPES, machine_named, price
from skyx_core.testing.fakecloud.refusals import Body, Refusal, flag, invalid, mapping, mappings, number, strings, text
from skyx_core.testing.fakecloud.world import GONE, FakeNode, Spec, World

Answer = dict[str, object]
_SHOWN = {GONE: "terminated"}
ACCOUNT = "fake-account-1"


@dataclass
class Launched:
    """What a token stands for."""

    body: str
    ids: list[str]


class VmApi:
    """The actions. To be called with the world's lock held."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._tokens: dict[tuple[str, str, str], Launched] = {}
        self._actions: Mapping[str, Callable[[Body], Answer]] = {
            "WhoAmI": lambda _: {"account": ACCOUNT},
            "DescribeZones": self._zones,
            "RunNodes": self._run,
            "DescribeNodes": self._describe,
            "TerminateNodes": self._terminate,
            "StopNodes": self._stop,
            "StartNodes": self._start,
            "ModifyNodes": self._modify,
        }
        self.mutating = frozenset({"RunNodes", "TerminateNodes", "StopNodes", "StartNodes", "ModifyNodes"})
        self.lists = frozenset({"DescribeNodes"})

    def route(self, method: str, path: str, query: Mapping[str, str]) -> tuple[str, Callable[[Body], Answer]]:
        """The action's name, and the function that carries it out."""
        del query
        action = path.removeprefix("/v1/")
        if method != "POST" or action not in self._actions:
            raise Refusal(404, "InvalidAction", f"{method} {path} is no action of this cloud")
        return action, self._actions[action]

    def _zones(self, body: Body) -> Answer:
        region, machine = self._region(body), text(body, "type")
        zones = VM_REGIONS[region] if (region, machine) not in NOT_SOLD else ()
        return {"zones": [{"zone": zone, "state": "available"} for zone in zones]}

    def _region(self, body: Body) -> str:
        region = text(body, "region")
        if region not in VM_REGIONS:
            raise invalid(f"there is no region {region!r}")
        return region

    def _run(self, body: Body) -> Answer:
        specs = self._specs(body)
        token = text(body, "token", "")
        key = (specs[0].region, specs[0].place, token)
        canonical = json.dumps({name: value for name, value in body.items() if name != "token"}, sort_keys=True)
        earlier = self._tokens.get(key) if token else None
        if earlier is None:
            nodes = self._world.make(specs)
            if token:
                self._tokens[key] = Launched(canonical, [node.id for node in nodes])
        elif earlier.body != canonical:
            raise Refusal(
                400, "IdempotentParameterMismatch", f"token {token} was used before with other parameters in this zone"
            )
        else:
            nodes = [self._world.nodes[node] for node in earlier.ids]
        return {"nodes": [self._view(node) for node in nodes]}

    def _specs(self, body: Body) -> list[Spec]:
        region, zone, name = self._region(body), text(body, "zone"), text(body, "type")
        machine = machine_named(name)
        if zone not in VM_REGIONS[region]:
            raise invalid(f"{region} has no zone {zone!r}")
        if machine not in VM_TYPES or (region, name) in NOT_SOLD:
            raise Refusal(400, "UnsupportedType", f"{name} is not sold in {region}")
        count, spot = int(number(body, "count", 1)), flag(body, "spot")
        per_node = mappings(body, "node_tags") or [{}] * count
        if count < 1 or len(per_node) != count:
            raise invalid(f"count is {count}, but there are node_tags for {len(per_node)} nodes")
        tags, usd = mapping(body, "tags"), price(region, machine, spot=spot)
        return [Spec(region, zone, name, spot, usd, {**tags, **own}) for own in per_node]

    def _view(self, node: FakeNode) -> Answer:
        return {**node.view(), "state": _SHOWN.get(node.state, node.state)}

    def _describe(self, body: Body) -> Answer:
        region, ids, tags = self._region(body), strings(body, "ids"), mapping(body, "tags")
        if ids:
            return {"nodes": [self._view(node) for node in self._named(region, ids)], "next": "", "unreachable": []}
        keys = strings(body, "tag_keys")
        found = [
            self._view(node)
            for node in self._world.listed()
            if node.spec.region == region
            and all(node.spec.tags.get(key) == value for key, value in tags.items())
            and all(key in node.spec.tags for key in keys)
        ]
        size = int(number(body, "page_size", 0) or self._world.timing.page_size)
        first = int(text(body, "page", "") or 0)
        rest = first + size
        return {"nodes": found[first:rest], "next": str(rest) if rest < len(found) else "", "unreachable": []}

    def _named(self, region: str, ids: list[str]) -> list[FakeNode]:
        missing = [i for i in ids if i not in self._world.nodes or self._world.nodes[i].spec.region != region]
        if missing:
            raise Refusal(400, "InvalidNodeID.NotFound", f"there is no node {', '.join(missing)} in {region}")
        return [self._world.nodes[node] for node in ids]

    def _terminate(self, body: Body) -> Answer:
        nodes = self._named(self._region(body), strings(body, "ids"))
        for node in nodes:
            self._world.terminate(node, "UserInitiatedShutdown")
        return {"nodes": [self._view(node) for node in nodes]}

    def _stop(self, body: Body) -> Answer:
        nodes = self._named(self._region(body), strings(body, "ids"))
        if any(node.spec.spot for node in nodes):
            raise Refusal(400, "UnsupportedOperation", "spot nodes can't be stopped")
        for node in nodes:
            self._world.stop(node, "UserInitiatedShutdown")
        return {"nodes": [self._view(node) for node in nodes]}

    def _start(self, body: Body) -> Answer:
        nodes = self._named(self._region(body), strings(body, "ids"))
        for node in nodes:
            self._world.start(node)
        return {"nodes": [self._view(node) for node in nodes]}

    def _modify(self, body: Body) -> Answer:
        """What a power-off from inside does: ``on_shutdown`` stop or terminate; ``linked_to``: the node it follows."""
        behaviour = text(body, "on_shutdown")
        if behaviour not in ("stop", "terminate"):
            raise invalid("on_shutdown is stop or terminate")
        for node in self._named(self._region(body), strings(body, "ids")):
            node.on_shutdown, node.linked_to = behaviour, text(body, "linked_to", "")
        return {}
