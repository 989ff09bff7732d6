"""Jobs and what they wrote."""

from __future__ import annotations

from dataclasses import dataclass, field


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
class JobResult:
    """What ``exec`` returns."""

    cluster: str
    job_id: int
    status: str


@dataclass(frozen=True, slots=True)
class CancelResult:
    """Job numbers, sorted."""

    cancelled: list[int]
    already_done: list[int]
    unknown: list[int] = field(default_factory=list)
