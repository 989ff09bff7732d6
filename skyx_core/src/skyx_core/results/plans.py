"""Plans, offers and launches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.models import Candidate
    from skyx_core.results.states import Json


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One ranked candidate."""

    cloud: str
    region: str
    zone: str | None
    instance_type: str
    accelerators: dict[str, float]
    cpus: float
    memory_gb: float
    use_spot: bool
    hourly_usd: float


@dataclass(frozen=True, slots=True)
class Excluded:
    """A cloud or offer that was left out, and why."""

    cloud: str
    reason: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """The plan of one task; ``chosen`` are the models that a launch would try, in order."""

    name: str | None
    num_nodes: int
    candidates: list[PlanRow]
    excluded: list[Excluded]
    chosen: tuple[Candidate, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class LaunchResult:
    """``job_id`` None: no job was given. ``status``: the job's when it was waited for, else the cluster's."""

    cluster: str
    job_id: int | None
    status: str
    attempts: int
    candidate: dict[str, Json] | None


@dataclass(frozen=True, slots=True)
class OfferRow:
    """One row of ``show-gpus`` and ``catalog list``."""

    cloud: str
    region: str
    zone: str | None
    instance_type: str
    accelerators: dict[str, float]
    cpus: float
    memory_gb: float
    use_spot: bool
    hourly_usd: float
