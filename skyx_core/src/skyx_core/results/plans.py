"""Plans, offers and launches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.models import Candidate
    from skyx_core.results.states import Json


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One ranked candidate. ``egress_usd``: once, for what it gets from the task before, where the price is known.
    ``launchable`` False: only a catalogue is here, no usable cloud. ``blocked``: how long it isn't tried for what an
    earlier launch learned, and by which rule ("4 min more: aws.capacity.instance"); "" = it is not blocked.
    """

    cloud: str
    region: str
    zone: str | None
    instance_type: str
    accelerators: dict[str, float]
    cpus: float
    memory_gb: float
    use_spot: bool
    hourly_usd: float
    egress_usd: float = 0.0
    launchable: bool = True
    blocked: str = ""


@dataclass(frozen=True, slots=True)
class Excluded:
    """A cloud or offer that was left out, and why."""

    cloud: str
    reason: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Near:
    """What there would be without one demand: the cheapest if ``field`` were ``nearest``, not ``asked``."""

    field: str
    asked: str
    nearest: str
    candidate: PlanRow


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """The plan of one task; ``chosen`` are the models that a launch would try, in order. ``more``: there are more
    candidates than were asked for. ``optimize``: what ranked them, "cost" or "time". ``notes``: what else to know.
    """

    name: str | None
    num_nodes: int
    candidates: list[PlanRow]
    excluded: list[Excluded]
    chosen: tuple[Candidate, ...] = field(default=(), repr=False)
    near: list[Near] = field(default_factory=list)
    more: bool = False
    optimize: str = "cost"
    notes: list[str] = field(default_factory=list)

    @property
    def first(self) -> int | None:
        """Which candidate a launch would try first now; None: none of these."""
        return next((i for i, row in enumerate(self.candidates) if row.launchable and not row.blocked), None)


@dataclass(frozen=True, slots=True)
class PlanTotal:
    """Of the candidate of each task that a launch would try first, else its first one: all of them per hour, and what
    moving data between them costs once.
    """

    hourly_usd: float
    egress_usd: float


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """The plans of several tasks, in order."""

    tasks: list[TaskPlan]
    total: PlanTotal


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
