"""What the two fake clouds sell: types, places and prices. Small, fixed, and shared by servers and drivers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MachineType:
    """One type. ``usd``: per node and hour in the cheapest region."""

    name: str
    cpus: int
    memory_gb: int
    usd: float
    accelerator: str = ""
    count: int = 0

    @property
    def accelerators(self) -> dict[str, float]:
        return {self.accelerator: float(self.count)} if self.accelerator else {}


VM_TYPES = (
    MachineType("v.small", 2, 8, 0.08),
    MachineType("v.large", 8, 32, 0.32),
    MachineType("v.huge", 64, 256, 2.56),
    MachineType("v.t4", 4, 16, 0.50, "T4", 1),
    MachineType("v.a100x8", 96, 1152, 32.00, "A100", 8),
    MachineType("v.h100x8", 192, 2048, 88.00, "H100", 8),
)
POD_TYPES = (
    MachineType("p.small", 2, 4, 0.06),
    MachineType("p.large", 8, 32, 0.30),
    MachineType("p.t4", 4, 16, 0.45, "T4", 1),
    MachineType("p.h100", 24, 256, 12.00, "H100", 1),
)
VM_REGIONS = {
    "east": ("east-a", "east-b"),
    "west": ("west-a", "west-b", "west-c"),
    "north": ("north-a",),
}
POD_CONTEXTS = ("lab", "prod")
PRICE_OF = {"east": 1.0, "west": 1.1, "north": 1.3, "lab": 1.0, "prod": 1.2}
_BY_NAME = {machine.name: machine for machine in VM_TYPES + POD_TYPES}
SPOT_FACTOR = 0.3
NOT_SOLD = frozenset({("north", "v.h100x8"), ("prod", "p.t4")})


def price(place: str, machine: MachineType, *, spot: bool) -> float:
    """Dollars per node and hour; places that the catalogue doesn't know cost as much as the cheapest."""
    return round(machine.usd * PRICE_OF.get(place, 1.0) * (SPOT_FACTOR if spot else 1.0), 4)


def machine_named(name: str) -> MachineType | None:
    """The type of this name, of either cloud."""
    return _BY_NAME.get(name)
