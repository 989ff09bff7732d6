"""A made-up catalogue: one machine with eight A100 in every zone, and many others around it."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

NEEDLE = "gpu.8xa100"
COLUMNS = (
    "InstanceType", "AcceleratorName", "AcceleratorCount", "vCPUs", "MemoryGiB", "GpuInfo", "Price", "SpotPrice",
    "Region", "AvailabilityZone", "Arch", "LocalDiskType", "NVMeSupported", "LocalDiskSize", "LocalDiskCount",
)  # fmt: skip
_FAMILIES = ("gp", "cpu", "mem", "old", "new")
_SIZES = 6


@dataclass(frozen=True)
class Market:
    """``others``: types without accelerators in each zone. ``dearer`` is added to every price."""

    regions: int
    zones: int
    others: int
    dearer: float = 0.0

    @property
    def rows(self) -> int:
        return self.regions * self.zones * (1 + self.others)

    @property
    def candidates(self) -> int:
        """Zones that have the machine, each with a spot price of its own."""
        return self.regions * self.zones

    def places(self) -> Iterator[tuple[str, str, int, int]]:
        """Region, zone, and their numbers; the cheapest is in the middle, so that order is not that of the file."""
        for region in range(self.regions):
            for zone in range(self.zones):
                name = f"land-{region:04}"
                yield name, f"{name}{_letters(zone)}", region, zone

    def lines(self) -> Iterator[tuple[object, ...]]:
        """Rows of the file; the price on demand is that of a region, the spot price that of a zone."""
        for region, zone, number, letter in self.places():
            price = 30 + self.dearer + 0.001 * ((number * 7 + self.regions // 2) % self.regions)
            yield NEEDLE, "A100", 8, 96, 1152, "", price, price / 3 + 1e-5 * letter, region, zone, "x86_64", *_NO_DISK
            for other in range(self.others):
                cpus = 2 ** (1 + other // len(_FAMILIES) % _SIZES)
                price_of = 0.1 + self.dearer + 0.05 * cpus + 0.0001 * number
                name = f"{_FAMILIES[other % len(_FAMILIES)]}.{other}"
                yield (
                    name, "", "", cpus, 4 * cpus, "", price_of, price_of / 3 + 1e-5 * letter, region, zone, "x86_64",
                    *_NO_DISK,
                )  # fmt: skip

    def write(self, path: Path) -> Path:
        """As the CSV file that is common in this field."""
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows(self.lines())
        return path

    def needles(self) -> Iterator[Mapping[str, object]]:
        """The machines with accelerators on spot, as fields of an offer, cheapest first."""
        found = [dict(zip(COLUMNS, line, strict=True)) for line in self.lines() if line[0] == NEEDLE]
        yield from sorted(found, key=lambda row: float(str(row["SpotPrice"])))


_NO_DISK = ("", "", "", "")


def _letters(number: int) -> str:
    return chr(97 + number) if number < 26 else f"z{number}"
