"""What nodes hold of this machine, and how more is shared out. Pure.

Cores and memory are numbers, GPUs have ids, each of which can be held whole or in shares.
"""

from __future__ import annotations

import hashlib
import ipaddress
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

_FIRST_ADDRESS = int(ipaddress.IPv4Address("127.64.0.0"))
_ADDRESSES = 1 << 22  # 127.64.0.0/10
_DUST = 1e-6


@dataclass(frozen=True)
class GpuDemand:
    """``count`` (may be a fraction) of the devices with these ids."""

    ids: tuple[str, ...]
    count: float


@dataclass(frozen=True)
class Demand:
    """What one node wants. ``folder``: of its sandbox, the claim's identity on this machine."""

    folder: str
    cluster: str  # uid
    rank: int = 0
    cpus: float = 0
    memory_gb: float = 0
    gpus: tuple[GpuDemand, ...] = ()


@dataclass(frozen=True)
class Capacity:
    """What the claimer declares this machine to have."""

    cpus: float
    memory_gb: float
    gpus: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """What one node holds. ``claimer``: process id and start time, set until the node exists. ``user``: a numeric
    id.
    """

    folder: str
    cluster: str
    address: str
    cpus: float = 0
    memory_gb: float = 0
    gpus: dict[str, float] = field(default_factory=dict)
    boot: str = ""
    claimer: tuple[int, int] | None = None
    user: int = -1

    def idle(self) -> Claim:
        """Holding its address only."""
        return replace(self, cpus=0, memory_gb=0, gpus={}, claimer=None)

    @property
    def holds_resources(self) -> bool:
        return bool(self.cpus or self.memory_gb or self.gpus)


@dataclass(frozen=True)
class Lack:
    """What can't be had: ``asked`` of ``what`` (cores, GiB, GPUs), of which ``free`` of ``declared`` are free."""

    what: str
    asked: float
    free: float
    declared: float
    note: str = ""


class Shortage(Exception):
    """Not everything can be had; nothing was claimed."""

    def __init__(self, lacks: Sequence[Lack], holders: Sequence[Claim] = ()) -> None:
        super().__init__(", ".join(lack.what for lack in lacks))
        self.lacks = tuple(lacks)
        self.holders = tuple(holders)


class NoAddress(Exception):
    """All addresses are taken."""


def share_out(
    demands: Sequence[Demand], held: Sequence[Claim], capacity: Capacity, pool: int = _ADDRESSES
) -> list[Claim]:
    """A claim for each demand, or ``Shortage`` / ``NoAddress``. A node that holds an address keeps it."""
    lacks = list(_lacks(demands, held, capacity))
    if lacks:
        raise Shortage(lacks, [claim for claim in held if claim.holds_resources])
    free = free_gpus(held, capacity)
    mine = {claim.folder: claim for claim in held}
    taken = {claim.address for claim in held}
    made = []
    for demand in demands:
        devices: dict[str, float] = {}
        for wanted in demand.gpus:
            found = _pick(wanted, free)
            if found is None:
                lack = replace(_gpu_lack(demands, wanted, held, capacity), note="but not in one piece")
                raise Shortage([lack], [claim for claim in held if claim.gpus])
            devices.update(found)
        address = mine[demand.folder].address if demand.folder in mine else _address(demand, taken, pool)
        taken.add(address)
        made.append(Claim(demand.folder, demand.cluster, address, demand.cpus, demand.memory_gb, devices))
    return made


def fits(claim: Claim, demand: Demand) -> bool:
    """Whether a node's live claim is what it wants."""
    ids = {device for gpu in demand.gpus for device in gpu.ids}
    share = sum(claim.gpus.values())
    return (
        (claim.cpus, claim.memory_gb) == (demand.cpus, demand.memory_gb)
        and abs(share - sum(gpu.count for gpu in demand.gpus)) < 1e-6
        and ids.issuperset(claim.gpus)
    )


def free_gpus(held: Iterable[Claim], capacity: Capacity) -> dict[str, float]:
    """Free share of each declared device."""
    free = dict.fromkeys(capacity.gpus, 1.0)
    for claim in held:
        for device, share in claim.gpus.items():
            if device in free:
                free[device] = max(0.0, free[device] - share)
    return free


def _lacks(demands: Sequence[Demand], held: Sequence[Claim], capacity: Capacity) -> Iterator[Lack]:
    for what, asked, used, declared in (
        ("cores", sum(d.cpus for d in demands), sum(c.cpus for c in held), capacity.cpus),
        ("GiB of memory", sum(d.memory_gb for d in demands), sum(c.memory_gb for c in held), capacity.memory_gb),
    ):
        if asked > 0 and asked > declared - used + _DUST:
            yield Lack(what, asked, max(0.0, declared - used), declared)
    for wanted in {demand.gpus[0] for demand in demands if demand.gpus}:
        lack = _gpu_lack(demands, wanted, held, capacity)
        if lack.asked > lack.free + _DUST:
            yield lack


def _gpu_lack(demands: Sequence[Demand], wanted: GpuDemand, held: Sequence[Claim], capacity: Capacity) -> Lack:
    asked = sum(gpu.count for demand in demands for gpu in demand.gpus if gpu.ids == wanted.ids)
    free = free_gpus(held, capacity)
    return Lack("GPUs", asked, sum(free.get(device, 0) for device in wanted.ids), len(wanted.ids))


def _pick(wanted: GpuDemand, free: dict[str, float]) -> dict[str, float] | None:
    """Take devices out of ``free``: whole ones, and a share of the one where it fits most tightly."""
    whole = math.floor(wanted.count + _DUST)
    part = wanted.count - whole
    picked = dict.fromkeys([d for d in wanted.ids if free.get(d, 0) > 1 - _DUST][:whole], 1.0)
    if len(picked) < whole:
        return None
    if part > _DUST:
        fitting = [d for d in wanted.ids if d not in picked and free.get(d, 0) >= part - _DUST]
        if not fitting:
            return None
        picked[min(fitting, key=lambda device: free[device])] = round(part, 6)
    for device, share in picked.items():
        free[device] -= share
    return picked


def _address(demand: Demand, taken: set[str], pool: int) -> str:
    """The first free one from a place that the cluster's uid gives, so that a cluster's nodes lie side by side."""
    start = int.from_bytes(hashlib.sha256(demand.cluster.encode()).digest()[:4], "big") + demand.rank
    for step in range(pool):
        number = _FIRST_ADDRESS + (start + step) % pool
        address = str(ipaddress.IPv4Address(number))
        if number & 0xFF not in (0, 0xFF) and address not in taken:
            return address
    raise NoAddress
