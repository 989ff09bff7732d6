"""What a test does to the fake cloud: faults, capacity, delays, preemption, strangers' machines, the ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields

from skyx_core.testing.fakecloud.capacity import Slot
from skyx_core.testing.fakecloud.faults import Faults, fault_from
from skyx_core.testing.fakecloud.refusals import Body, Refusal, flag, invalid, mapping, number, text
from skyx_core.testing.fakecloud.world import RUNNING, FakeNode, Spec, Timing, World

Answer = dict[str, object]


class Control:
    """``POST /_control/<what>``. To be called with the world's lock held."""

    def __init__(self, world: World, faults: Faults, calls: list[Answer]) -> None:
        self._world = world
        self._faults = faults
        self._calls = calls
        self._actions: Mapping[str, Callable[[Body], Answer]] = {
            "ping": lambda _: {},
            "fault": self._fault,
            "reset": self._reset,
            "capacity": self._capacity,
            "timing": self._timing,
            "preempt": self._preempt,
            "end": self._end,
            "stranger": self._stranger,
            "nodes": lambda _: {"nodes": [node.view() for node in world.nodes.values()]},
            "calls": lambda _: {"calls": list(self._calls)},
        }

    def route(self, path: str) -> Callable[[Body], Answer]:
        """The function that carries it out."""
        action = path.removeprefix("/_control/")
        if action not in self._actions:
            raise Refusal(404, "NotFound", f"there is no control {action!r}; there are {', '.join(self._actions)}")
        return self._actions[action]

    def _fault(self, body: Body) -> Answer:
        self._faults.add(fault_from(body))
        return {}

    def _capacity(self, body: Body) -> Answer:
        pattern = Slot(text(body, "place", "*"), text(body, "type", "*"), text(body, "market", "*"))
        nodes = None if body.get("nodes") is None else int(number(body, "nodes"))
        self._world.capacity.limit(pattern, nodes)
        return {}

    def _reset(self, body: Body) -> Answer:
        del body
        self._faults.clear()
        self._calls.clear()
        self._world.capacity.clear()
        self._world.timing = Timing()
        for node in self._world.nodes.values():
            self._world.terminate(node, "Reset")
        return {}

    def _timing(self, body: Body) -> Answer:
        known = {field.name for field in fields(Timing)}
        for name in body:
            if name not in known:
                raise invalid(f"there is no delay {name!r}; there are {', '.join(sorted(known))}")
            setattr(self._world.timing, name, number(body, name))
        return {}

    def _node(self, body: Body) -> FakeNode:
        node = self._world.nodes.get(text(body, "id"))
        if node is None:
            raise Refusal(404, "NotFound", f"there is no node {body.get('id')!r}")
        return node

    def _preempt(self, body: Body) -> Answer:
        node = self._node(body)
        self._world.terminate(node, "Preempted")
        return node.view()

    def _end(self, body: Body) -> Answer:
        """Behind skyx's back: ``how`` terminate, stop or start."""
        node, how = self._node(body), text(body, "how")
        if how == "start":
            self._world.start(node)
        elif how == "stop" and node.state == RUNNING:
            self._world.stop(node, "StoppedByOperator")
        elif how == "terminate":
            self._world.terminate(node, "TerminatedByOperator")
        else:
            raise invalid(f"can't {how} a node that is {node.state}")
        return node.view()

    def _stranger(self, body: Body) -> Answer:
        """A machine that skyx didn't make, with whatever tags."""
        region = text(body, "region")
        spec = Spec(
            region=region,
            place=text(body, "place", region),
            instance_type=text(body, "type", "v.small"),
            spot=flag(body, "spot"),
            hourly_usd=number(body, "hourly_usd", 1.0),
            tags=mapping(body, "tags"),
            annotations=mapping(body, "annotations"),
            name=text(body, "name", "stranger"),
            stranger=True,
        )
        return self._world.make([spec])[0].view()
