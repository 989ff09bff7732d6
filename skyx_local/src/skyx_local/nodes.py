"""Making and starting the nodes of one cluster: claim, then make, then settle."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from skyx_core.api import ClusterHandle, Intent, Node, NodeError, NodeState, Sandbox, Sandboxes, SandboxSpec, failpoint
from skyx_local.capacity import Machine
from skyx_local.claims import Claim, Lack, Shortage
from skyx_local.codes import NO_CAPACITY, NO_SPACE, NODE_FAILED, cloud_error
from skyx_local.ledger import Ledger
from skyx_local.shape import Shape, amount, number

TYPE_TAG = "skyx-instance-type"
CLOUD_NAME_TAG = "skyx-cloud-name"
PROFILE_TAG = "skyx-profile"


@contextmanager
def reported(operation: str, *, nodes_may_exist: bool = True) -> Iterator[None]:
    """Turn what the machine refuses into an error of this cloud."""
    try:
        yield
    except (NodeError, OSError) as error:
        cause = error if isinstance(error, OSError) else error.__cause__
        full = isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT)
        code = NO_SPACE if full else NODE_FAILED
        raise cloud_error(operation, code, str(error), nodes_may_exist=nodes_may_exist) from error


class Nodes:
    """The nodes below one folder, with what they hold of this machine."""

    def __init__(self, sandboxes: Sandboxes, ledger: Ledger, machine: Machine) -> None:
        self.sandboxes = sandboxes
        self._ledger = ledger
        self._machine = machine

    def create(
        self, handle: ClusterHandle, shape: Shape, ranks: Sequence[int], intent: Intent, labels: Mapping[str, str]
    ) -> list[Sandbox]:
        """All of these ranks or none. Raises ``CloudError``."""
        ids = [f"{handle.uid}-{rank}-{intent.id[:8]}" for rank in ranks]
        folders = [str(self.sandboxes.folder(id_)) for id_ in ids]
        failpoint("local.create.before_claim")
        claims = self._claim(handle, shape, dict(zip(ranks, folders, strict=True)), nodes_may_exist=False)
        failpoint("local.create.after_claim")
        tags = {
            **labels,
            **intent.tags,
            TYPE_TAG: shape.name,
            CLOUD_NAME_TAG: handle.cloud_name,
            PROFILE_TAG: handle.profile,
        }
        made = []
        try:
            for id_, rank, claim in zip(ids, ranks, claims, strict=True):
                spec = SandboxSpec(
                    id=id_,
                    cluster_uid=handle.uid,
                    name=handle.name,
                    rank=rank,
                    address=claim.address,
                    intent=intent.id,
                    owner=handle.owner,
                    cpus=claim.cpus,
                    memory_gb=claim.memory_gb,
                    gpus=claim.gpus,
                    tags=tags,
                )
                made.append(self.sandboxes.create(spec))
                failpoint("local.create.after_node")
            self._ledger.settle(folders)
        except Exception as error:
            undone = self._undo(handle, ids, folders)
            with reported("provision", nodes_may_exist=not undone):
                raise error
        failpoint("local.create.after_nodes")
        return made

    def _undo(self, handle: ClusterHandle, ids: Sequence[str], folders: Sequence[str]) -> bool:
        """Take back what a failed creation has made; False if something may be left."""
        try:
            if self.sandboxes.remove(ids):
                return False
            self._ledger.release(handle.uid, self.sandboxes.root, folders)
        except Exception:  # the first error is the one to tell; what is left is found by its tags
            return False
        return True

    def start(self, handle: ClusterHandle, nodes: Sequence[Sandbox]) -> list[Sandbox]:
        """Claim again what these nodes need, all or nothing, then let them run. Those that hold it already keep it."""
        if not nodes:
            return []
        shape = Shape.parse(nodes[0].tags.get(TYPE_TAG, "local")) or Shape()
        folders = {node.rank: str(node.folder) for node in nodes}
        claims = self._claim(handle, shape, folders, nodes_may_exist=True)
        failpoint("local.start.after_claim")
        started = [self._start(node, claim) for node, claim in zip(nodes, claims, strict=True)]
        self._ledger.settle(list(folders.values()))
        return started

    def _start(self, node: Sandbox, claim: Claim) -> Sandbox:
        if node.gpus != claim.gpus or node.address != claim.address:
            self.sandboxes.update(node.id, lambda old: replace(old, gpus=claim.gpus, address=claim.address))
        elif node.running:
            return node
        return self.sandboxes.start(node.id)

    def _claim(
        self, handle: ClusterHandle, shape: Shape, folders: Mapping[int, str], *, nodes_may_exist: bool
    ) -> list[Claim]:
        demands = [self._machine.demand(shape, folder, handle.uid, rank) for rank, folder in folders.items()]
        try:
            return self._ledger.claim(demands, self._machine.capacity(shape))
        except Shortage as shortage:
            raise cloud_error(
                "provision", NO_CAPACITY, shortage_text(shortage, len(demands)), nodes_may_exist=nodes_may_exist
            ) from shortage


def shortage_text(shortage: Shortage, nodes: int) -> str:
    """Asked, free, declared, and who holds them: clusters of this user by name, others as "another user"."""
    holders: dict[str, list[Claim]] = {}
    for claim in shortage.holders:
        holders.setdefault(_holder(claim), []).append(claim)
    held = [(name, [_held(claims, lack) for lack in shortage.lacks]) for name, claims in sorted(holders.items())]
    names = "; ".join(f"{name}: {', '.join(filter(None, amounts))}" for name, amounts in held if any(amounts))
    of_nodes = f" on {nodes} nodes" if nodes > 1 else ""
    parts = [
        f"{amount(lack.asked, lack.what)} asked for{of_nodes}, {number(lack.free)} of {number(lack.declared)} free"
        + (f" {lack.note}" if lack.note else "")
        for lack in shortage.lacks
    ]
    return "; ".join(parts) + (f" (held by {names})" if names else "")


def _held(claims: Sequence[Claim], lack: Lack) -> str:
    """What these hold of what is lacking; "" for nothing."""
    values = {
        "cores": sum(claim.cpus for claim in claims),
        "GiB of memory": sum(claim.memory_gb for claim in claims),
        "GPUs": sum(share for claim in claims for share in claim.gpus.values()),
    }
    return amount(values[lack.what], lack.what) if values[lack.what] else ""


def _holder(claim: Claim) -> str:
    if claim.user != os.getuid():
        return "another user"
    folder = Path(claim.folder)
    try:
        sandbox = Sandboxes(folder.parent).get(folder.name)
    except NodeError:
        return "a cluster whose record is damaged"
    return sandbox.name if sandbox is not None else "a cluster that is being made"


def as_node(sandbox: Sandbox) -> Node:
    """As core sees it. ``data``: ``home``, ``sandbox`` (its folder, the value of SKYX_SANDBOX), ``gpus``, ``cpus``."""
    return Node(
        rank=sandbox.rank,
        id=sandbox.id,
        address=sandbox.address,
        state=NodeState.RUNNING if sandbox.running else NodeState.STOPPED,
        intent=sandbox.intent,
        data={
            "home": str(sandbox.home),
            "sandbox": str(sandbox.folder),
            "gpus": ",".join(sandbox.gpus),
            "cpus": number(sandbox.cpus),
        },
    )


def stray_node(id_: str) -> Node:
    """A node whose folder was removed while processes of it live: taking the cluster down ends them."""
    rank = id_.split("-")[-2:-1]
    return Node(
        rank=int(rank[0]) if rank and rank[0].isdecimal() else 0,
        id=id_,
        state=NodeState.FAILED,
        reason="its folder is gone while processes of it still live; take the cluster down to end them",
    )


def accelerator_of(nodes: Sequence[Sandbox]) -> str:
    """The accelerators' name; "" where there are none, or several kinds."""
    shape = Shape.parse(nodes[0].tags.get(TYPE_TAG, "")) if nodes else None
    names = list(shape.accelerators) if shape else []
    return names[0] if len(names) == 1 else ""


def handle_of(sandbox: Sandbox) -> ClusterHandle:
    """The identity of the cluster that a node belongs to."""
    return ClusterHandle(
        uid=sandbox.cluster_uid,
        name=sandbox.name,
        owner=sandbox.owner,
        cloud_name=sandbox.tags.get(CLOUD_NAME_TAG, ""),
        profile=sandbox.tags.get(PROFILE_TAG, ""),
    )
