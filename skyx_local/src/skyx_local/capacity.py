"""What this machine is declared to have, and why a request can't be had on it at all."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from skyx_core.api import Request, WhyNot
from skyx_local.claims import Capacity, Demand, GpuDemand, Lack, Shortage, share_out
from skyx_local.gpus import Detection, Gpu, detect
from skyx_local.machine import usable_cpus, usable_memory_gb
from skyx_local.names import REGION
from skyx_local.settings import LocalSettings
from skyx_local.shape import Shape, amount, number

MOST_NODES = 1024  # each is a folder, an address and an agent's share of one machine


class Machine:
    """Found out on first use, then kept. nvidia-smi is asked only where GPUs matter and none are declared."""

    def __init__(self, settings: LocalSettings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._search_path = environ.get("PATH") or os.environ.get("PATH") or os.defpath

    @cached_property
    def cpus(self) -> float:
        return self._settings.cpus or usable_cpus()

    @cached_property
    def memory_gb(self) -> float:
        return self._settings.memory_gb or usable_memory_gb()

    @cached_property
    def detection(self) -> Detection:
        declared = self._settings.gpus
        if declared is None:
            return detect(self._search_path)
        gpus = tuple(Gpu(str(index), declared.name) for index in range(declared.count))
        return Detection(gpus, f"{declared.count} are declared in the settings")

    def accelerators(self) -> list[dict[str, float]]:
        """All that there are of each name."""
        counts = Counter(gpu.name for gpu in self.detection.gpus)
        return [{name: float(count)} for name, count in sorted(counts.items())]

    def capacity(self, shape: Shape) -> Capacity:
        """As far as this shape asks for it."""
        gpus = tuple(gpu.id for gpu in self.detection.gpus) if shape.accelerators else ()
        return Capacity(self.cpus, self.memory_gb, gpus)

    def demand(self, shape: Shape, folder: str, cluster: str, rank: int) -> Demand:
        """What one node of this shape claims."""
        gpus = tuple(GpuDemand(self._ids(name), count) for name, count in sorted(shape.accelerators.items()))
        return Demand(folder, cluster, rank, shape.cpus, shape.memory_gb, gpus)

    def _ids(self, name: str) -> tuple[str, ...]:
        return tuple(gpu.id for gpu in self.detection.gpus if gpu.name.lower() == name.lower())

    def lacking(self, shape: Shape, nodes: int) -> list[WhyNot]:
        """Why so many nodes of this shape would not fit even if nothing else ran here; empty: they would."""
        if nodes > MOST_NODES:
            reason = f"{nodes} nodes asked for, this machine runs at most {MOST_NODES} of a cluster"
            return [WhyNot(subject="local", reason=reason, fix="ask for fewer, or name another cloud with --infra")]
        missing = [self._no_gpu(name) for name in shape.accelerators if not self._ids(name)]
        if missing:
            return missing
        demands = [self.demand(shape, f"/{rank}", "", rank) for rank in range(nodes)]
        try:
            share_out(demands, (), self.capacity(shape))
        except Shortage as shortage:
            return [self._too_much(lack, nodes) for lack in shortage.lacks]
        return []

    def _too_much(self, lack: Lack, nodes: int) -> WhyNot:
        of_nodes = f" on {nodes} nodes" if nodes > 1 else ""
        note = f" ({lack.note})" if lack.note else ""
        return WhyNot(
            subject="local",
            reason=f"{amount(lack.asked, lack.what)} asked for{of_nodes}, this machine has "
            f"{number(lack.declared)}{note}",
            fix="ask for less, or name another cloud with --infra",
        )

    def _no_gpu(self, name: str) -> WhyNot:
        names = sorted({gpu.name for gpu in self.detection.gpus})
        has = f"it has {', '.join(names)}" if names else f"it has no GPU ({self.detection.note})"
        fix = "'skyx show-gpus' lists what clouds offer; GPUs of this machine can be declared as clouds.local.gpus"
        return WhyNot(subject="local", reason=f"this machine has no {name}: {has}", fix=fix)


def lacks_of(request: Request) -> list[WhyNot]:
    """What no node of this cloud can do."""
    return [WhyNot(subject="local", reason=reason, fix=fix) for wanted, reason, fix in _unable(request) if wanted]


def _unable(request: Request) -> Sequence[tuple[bool, str, str]]:
    leave = "leave {} out, or name another cloud with --infra"
    image = bool(request.image_id or request.images_by_region)
    return (
        (request.use_spot, "this machine has no spot nodes", leave.format("use_spot")),
        (image, "its nodes are sandboxes, which run no images", leave.format("image_id")),
        (request.disk_tier is not None, "its nodes have no disks of their own", leave.format("disk_tier")),
        (request.network_tier is not None, "its nodes share one loopback network", leave.format("network_tier")),
        (request.local_disk is not None, "its nodes have no disks of their own", leave.format("local_disk")),
        (request.region not in (None, REGION), f"there is no region {request.region!r}", f"use infra: {REGION}"),
        (request.zone is not None, "it has no zones", leave.format("the zone")),
    )
