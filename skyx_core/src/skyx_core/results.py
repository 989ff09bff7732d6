"""What the embedding API returns. The same fields, under the same names, are in ``-o json`` and in the docs.

Plain dataclasses: listing ten thousand clusters must not build ten thousand validated models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.models import Candidate

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


class ClusterStatus(StrEnum):
    """States of a cluster that has a record; one that has none is terminated."""

    INIT = "INIT"
    UP = "UP"
    STARTING = "STARTING"
    STOPPING = "STOPPING"
    STOPPED = "STOPPED"
    AUTOSTOPPING = "AUTOSTOPPING"
    TERMINATING = "TERMINATING"


class JobStatus(StrEnum):
    """States of a job; the last five are final."""

    INIT = "INIT"
    PENDING = "PENDING"
    SETTING_UP = "SETTING_UP"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    FAILED_SETUP = "FAILED_SETUP"
    FAILED_DRIVER = "FAILED_DRIVER"
    CANCELLED = "CANCELLED"

    @property
    def final(self) -> bool:
        return self in _FINAL

    @property
    def exit_code(self) -> int:
        """Of ``launch``, ``exec`` and ``logs``: 0 succeeded, 100 failed, 101 not finished, 103 cancelled."""
        if self is JobStatus.SUCCEEDED:
            return 0
        if self is JobStatus.CANCELLED:
            return 103
        return 100 if self.final else 101


_FINAL = frozenset(
    {
        JobStatus.SUCCEEDED,
        JobStatus.FAILED,
        JobStatus.FAILED_SETUP,
        JobStatus.FAILED_DRIVER,
        JobStatus.CANCELLED,
    }
)


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
class JobInfo:
    """One row of ``queue``. Times are ISO-8601 UTC or None; ``exit_codes`` in rank order, None = not ended."""

    id: int
    name: str | None
    status: str
    submitted_at: str | None
    started_at: str | None
    ended_at: str | None
    exit_codes: list[int | None]
    reason: str = ""
    cluster: str | None = None
    num_nodes: int = 1
    accelerators: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LogChunk:
    """Whole lines or the beginning of a long one, exactly as written. ``stream`` and ``end`` resume reading."""

    rank: int
    node: str
    data: bytes
    stream: str
    end: int
    kind: str = "run"  # or "setup"


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
class JobResult:
    """What ``exec`` returns."""

    cluster: str
    job_id: int
    status: str


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


@dataclass(frozen=True, slots=True)
class CancelResult:
    """Job numbers, sorted."""

    cancelled: list[int]
    already_done: list[int]
    unknown: list[int] = field(default_factory=list)


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


_PRIVATE = frozenset({"chosen"})


def to_json(value: object) -> Json:
    """The JSON form of a result, by field names; whole floats stay floats."""
    if value is None or isinstance(value, bool | int | float | str):
        return str(value) if isinstance(value, StrEnum) else value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if is_dataclass(value):
        return {f.name: to_json(getattr(value, f.name)) for f in fields(value) if f.name not in _PRIVATE}
    raise TypeError(f"{type(value).__name__} has no JSON form")
