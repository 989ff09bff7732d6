"""Clusters as ``status`` and the commands of their life show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.results.states import Json


@dataclass(frozen=True, slots=True)
class ClusterInfo:
    """One row of ``status``. ``autostop``: None or {idle_minutes, down, wait_for}; ``head``: an address or None."""

    name: str
    status: str
    cloud: str
    region: str | None
    zone: str | None
    instance_type: str | None
    accelerators: dict[str, float]
    use_spot: bool
    num_nodes: int
    hourly_usd: float
    autostop: dict[str, Json] | None
    created_at: str
    head: str | None
    reason: str = ""  # why it is in this status, where that isn't plain


@dataclass(frozen=True, slots=True)
class StatusResult:
    """``unknown``: names that were asked for and have no record."""

    clusters: list[ClusterInfo]
    unknown: list[str]
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class LifecycleResult:
    """One cluster of ``stop``, ``start``, ``down`` or ``autostop``. ``error``: empty when it worked."""

    name: str
    status: str | None  # None: terminated
    remaining: list[str]
    error: str = ""
    error_code: str = ""
    exit_code: int = 0
    hint: str = ""
