"""What is installed here, and whether it works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.results.states import Json


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One cloud of ``check``."""

    cloud: str
    ok: bool
    checks: list[dict[str, Json]]


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """One row of ``plugins``. ``kind``: cloud, executor, rules, command, listener, kit."""

    name: str
    kind: str
    distribution: str
    version: str
    status: str  # installed, ok, broken, incompatible, conflict, disabled
    error: str | None = None
    api_version: int | None = None
    load_ms: float | None = None
