"""What the queries return, with types."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from skyx_core.catalog.file import Value


class Kind(NamedTuple):
    """A type of machine, and the lowest price at which it may be had."""

    price: float
    id: int
    name: str
    cpus: float
    memory_gb: float
    accelerators: dict[str, float]


class Row(NamedTuple):
    """One line of ``offers``; the first four are its order."""

    price: float
    place: int
    type: int
    extra: int
    region: str
    zone: str


def kind_of(row: Sequence[Value]) -> Kind:
    """From a price and the columns of ``types``; ``ValueError`` for what is damaged."""
    price, number, name, cpus, memory, accelerators = row
    have = json.loads(str(accelerators)) if accelerators != "{}" else {}
    return Kind(_float(price), number_of(number), str(name), _float(cpus), _float(memory), have)


def row_of(row: Sequence[Value]) -> Row:
    """From the columns of ``offers`` and the names of its place; ``ValueError`` for what is damaged."""
    price, place, of_type, extra, region, zone = row
    return Row(_float(price), number_of(place), number_of(of_type), number_of(extra), str(region), str(zone))


def _float(value: Value) -> float:
    return value if isinstance(value, float) else float(str(value))


def number_of(value: Value) -> int:
    """An id."""
    return value if isinstance(value, int) else int(str(value))
