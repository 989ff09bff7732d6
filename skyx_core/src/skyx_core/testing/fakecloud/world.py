"""The fake cloud's nodes and their life. No HTTP in here; one lock guards it all."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from skyx_core.clock import Clock
from skyx_core.testing.fakecloud.capacity import Addresses, Capacity, Slot
from skyx_core.testing.fakecloud.ledger import Ledger
from skyx_core.testing.fakecloud.machines import Machines
from skyx_core.testing.fakecloud.refusals import Refusal
from skyx_core.testing.fakecloud.workshop import REMOVE, START, STOP, Workshop

PENDING, RUNNING, STOPPING, STOPPED = "pending", "running", "stopping", "stopped"
TERMINATING, GONE = "terminating", "gone"
HOLDS_CAPACITY = frozenset({PENDING, RUNNING, STOPPING})


@dataclass
class Timing:
    """Seconds of the cloud's clock, settable while it runs."""

    boot_s: float = 0.0
    stop_s: float = 0.0
    terminate_s: float = 0.0
    list_lag_s: float = 0.0  # a new node is missing from lists for so long
    keep_gone_s: float = 3600.0  # an ended node is still shown for so long, where the cloud shows such at all
    page_size: float = 100.0


@dataclass(frozen=True)
class Spec:
    """What is to be made. ``place``: a zone, or a context."""

    region: str
    place: str
    instance_type: str
    spot: bool
    hourly_usd: float
    tags: Mapping[str, str]
    annotations: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    stranger: bool = False

    @property
    def slot(self) -> Slot:
        return Slot(self.place, self.instance_type, "spot" if self.spot else "on-demand")


@dataclass
class FakeNode:
    """One node. ``on_shutdown``: what a power-off from inside does to it and to those in ``linked`` to it."""

    id: str
    spec: Spec
    made_at: float
    since: float
    state: str = PENDING
    reason: str = ""
    address: str = ""
    placed: bool = False
    on_shutdown: str = "stop"
    linked_to: str = ""
    sandbox: str = ""
    home: str = ""

    def view(self) -> dict[str, object]:
        """The node as the API shows it."""
        return {
            "id": self.id,
            "name": self.spec.name,
            "region": self.spec.region,
            "place": self.spec.place,
            "type": self.spec.instance_type,
            "spot": self.spec.spot,
            "state": self.state,
            "reason": self.reason,
            "address": self.address,
            "created_at": self.made_at,
            "tags": dict(self.spec.tags),
            "annotations": dict(self.spec.annotations),
            "sandbox": self.sandbox,
            "home": self.home,
        }


class World:
    """All nodes of one fake cloud. Every method is to be called with ``lock`` held."""

    def __init__(self, clock: Clock, ledger: Ledger, machines: Machines, addresses: Addresses) -> None:
        self.clock = clock
        self.lock = threading.RLock()
        self.timing = Timing()
        self.capacity = Capacity()
        self.nodes: dict[str, FakeNode] = {}
        self._ledger = ledger
        self._machines = machines
        self._workshop = Workshop(machines)
        self._addresses = addresses

    def make(self, specs: list[Spec], *, wait_for_room: bool = False) -> list[FakeNode]:
        """All of ``specs`` or none; without room, refused, or (``wait_for_room``) left pending until there is."""
        slot = specs[0].slot
        if not wait_for_room and not self._room(slot, len(specs)):
            raise Refusal(
                409,
                "InsufficientNodeCapacity",
                f"there is no room for {len(specs)} x {slot.instance_type} ({slot.market}) in {slot.place}",
            )
        return [self._make(spec) for spec in specs]

    def _make(self, spec: Spec) -> FakeNode:
        now = self.clock.time()
        node = FakeNode(id=f"n-{uuid.uuid4().hex[:12]}", spec=spec, made_at=now, since=now)
        self._ledger.write(
            "made",
            node.id,
            now,
            region=spec.region,
            zone=spec.place,
            instance_type=spec.instance_type,
            hourly_usd=spec.hourly_usd,
            stranger=spec.stranger,
            tags={**spec.tags, **spec.annotations},
        )
        self.nodes[node.id] = node
        self._place(node)
        return node

    def _room(self, slot: Slot, count: int) -> bool:
        taken = (node.spec.slot for node in self.nodes.values() if node.state in HOLDS_CAPACITY and node.placed)
        return self.capacity.fits(slot, count, taken)

    def _place(self, node: FakeNode) -> None:
        """Give a pending node its machine, if there is room."""
        address = self._addresses.free(n.address for n in self.nodes.values() if n.state != GONE)
        if address is None or not self._room(node.spec.slot, 1):
            node.reason = f"Unschedulable: no node with a free {node.spec.instance_type} in {node.spec.place}"
            return
        node.placed, node.reason, node.address, node.since = True, "", address, self.clock.time()
        node.sandbox, node.home = self._machines.make(node.id, address, node.spec.tags)

    def terminate(self, node: FakeNode, reason: str) -> None:
        """Ends the node, now or soon; repeating changes nothing."""
        if node.state in (TERMINATING, GONE):
            return
        self._enter(node, TERMINATING, reason)
        if node.sandbox:
            self._workshop.submit(REMOVE, node.id)
        self.settle_one(node)

    def stop(self, node: FakeNode, reason: str) -> None:
        """Stops a running node; a stopped one stays so; others are refused."""
        if node.state in (STOPPING, STOPPED):
            return
        if node.state != RUNNING:
            raise Refusal(400, "IncorrectNodeState", f"{node.id} is {node.state}, so it can't be stopped")
        self._enter(node, STOPPING, reason)
        self._workshop.submit(STOP, node.id)
        self.settle_one(node)

    def start(self, node: FakeNode) -> None:
        """Starts a stopped node, if there is room; a running one stays so."""
        if node.state in (PENDING, RUNNING):
            return
        if node.state != STOPPED:
            raise Refusal(400, "IncorrectNodeState", f"{node.id} is {node.state}, so it can't be started")
        if not self._room(node.spec.slot, 1):
            raise Refusal(409, "InsufficientNodeCapacity", f"no room to start {node.id} in {node.spec.place}")
        self._enter(node, PENDING, "")
        self._ledger.write("started", node.id, node.since)
        self._workshop.submit(START, node.id)

    def _enter(self, node: FakeNode, state: str, reason: str, at: float | None = None) -> None:
        node.state, node.reason, node.since = state, reason, self.clock.time() if at is None else at

    def settle(self) -> None:
        """Let the time that has passed have its effect on all nodes."""
        for node in list(self.nodes.values()):
            if node.state != GONE:
                self.settle_one(node)

    def settle_one(self, node: FakeNode) -> None:
        """Let the time that has passed have its effect on one node."""
        if node.state == PENDING and not node.placed:
            self._place(node)
        if self._workshop.busy(node.id):
            return
        # What was due in between is booked at the time at which it was due, also after a jump of the clock.
        now, timing = self.clock.time(), self.timing
        if node.state == PENDING and node.placed and now >= (due := node.since + timing.boot_s):
            self._enter(node, RUNNING, "", due)
        elif node.state == RUNNING and node.sandbox and self._machines.powered_off(node.id):
            self._power_off(node)
        elif node.state == STOPPING and now >= (due := node.since + timing.stop_s):
            self._enter(node, STOPPED, node.reason, due)
            self._ledger.write("stopped", node.id, node.since)
        elif node.state == TERMINATING and now >= (due := node.since + timing.terminate_s):
            self._enter(node, GONE, node.reason, due)
            self._ledger.write("ended", node.id, node.since, reason=node.reason)

    def _power_off(self, node: FakeNode) -> None:
        for other in list(self.nodes.values()):
            if other is not node and other.linked_to != node.id:
                continue
            if node.on_shutdown == "stop" and other.state == RUNNING:
                self.stop(other, "NodeInitiatedShutdown")
            elif node.on_shutdown == "terminate":
                self.terminate(other, "NodeInitiatedShutdown")

    def listed(self) -> Iterator[FakeNode]:
        """Nodes that lists show now: new ones after the lag, ended ones for a while."""
        now = self.clock.time()
        for node in self.nodes.values():
            young = now - node.made_at < self.timing.list_lag_s
            over = node.state == GONE and now - node.since > self.timing.keep_gone_s
            if not young and not over:
                yield node

    def close(self) -> None:
        """End every machine; the ledger keeps what existed as it was."""
        self._workshop.close(limit_s=5)
        self._machines.remove_all()
        self._ledger.close()
