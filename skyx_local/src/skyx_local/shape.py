"""Instance types of this cloud: their names say what they reserve, like ``local-4cpu-8gb-H100x2``. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.api import Request

_NUMBER = r"\d+(?:\.\d+)?"
_GPUS = rf"-([A-Za-z0-9][\w.-]*?)x({_NUMBER})(?=-|$)"
_NAME = re.compile(rf"local(?:-(?P<cpus>{_NUMBER})cpu)?(?:-(?P<memory>{_NUMBER})gb)?(?P<gpus>(?:{_GPUS})*)")
_GPU = re.compile(_GPUS)


@dataclass(frozen=True)
class Shape:
    """What one node reserves: cores, GiB, accelerators by name. All zero: nothing."""

    cpus: float = 0
    memory_gb: float = 0
    accelerators: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, request: Request) -> Shape:
        """What a request asks for by number; of "4+" the 4."""
        return cls(
            cpus=request.cpus.value if request.cpus else 0,
            memory_gb=request.memory_gb.value if request.memory_gb else 0,
            accelerators={name: count for name, count in request.accelerators.items() if count > 0},
        )

    @classmethod
    def parse(cls, instance_type: str) -> Shape | None:
        """What a type with this name reserves; None if there is no such type."""
        found = _NAME.fullmatch(instance_type)
        if found is None:
            return None
        gpus = {name: float(count) for name, count in _GPU.findall(found["gpus"])}
        return cls(float(found["cpus"] or 0), float(found["memory"] or 0), gpus)

    @classmethod
    def chosen(cls, query: Request) -> Shape | None:
        """What each node reserves; None if the type that is named can't be, or hasn't what is asked for."""
        asked = cls.of(query)
        if query.instance_type is None:
            return asked
        named = cls.parse(query.instance_type)
        if named is None:
            return None
        fits = (
            (query.cpus is None or query.cpus.admits(named.cpus))
            and (query.memory_gb is None or query.memory_gb.admits(named.memory_gb))
            and all(named.accelerators.get(name, 0) == count for name, count in asked.accelerators.items())
        )
        return named if fits else None

    @property
    def name(self) -> str:
        """The instance type."""
        parts = ["local"]
        if self.cpus:
            parts.append(f"{number(self.cpus)}cpu")
        if self.memory_gb:
            parts.append(f"{number(self.memory_gb)}gb")
        parts += [f"{name}x{number(count)}" for name, count in sorted(self.accelerators.items())]
        return "-".join(parts)


def number(value: float) -> str:
    """``4``, ``0.5``: without exponent or needless zeros."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def amount(value: float, what: str) -> str:
    """``1 core``, ``2 cores``; ``what`` in the plural."""
    return f"{number(value)} {what.removesuffix('s') if value == 1 else what}"
