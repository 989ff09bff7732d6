"""A job's record, as it stands in the queue."""

from __future__ import annotations

import json

from skyx_agent import states
from skyx_agent.scheduler import Demand
from skyx_agent.values import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Tuple, Union

    from skyx_agent.jobspec import JobSpec
    from skyx_agent.scheduler import Placement
    from skyx_agent.values import Json

    Cell = Union[str, int, float, None]
    Row = Tuple[Cell, ...]

COLUMNS = (
    "id", "submit_id", "task_id", "name", "num_nodes", "accelerators", "status", "reason", "submitted_at",
    "started_at", "ended_at", "exit_codes", "placement", "ending",
)  # fmt: skip


class Job:
    """Times are seconds since the epoch. ``placement``: node and accelerator ids per rank, once started.

    ``ending``: the terminal state that was decided (a cancel, for instance) while processes still end.
    """

    def __init__(self, job_id: int, submit_id: str) -> None:
        self.id = job_id
        self.submit_id = submit_id
        self.task_id = ""
        self.name: str | None = None
        self.num_nodes = 1
        self.accelerators: dict[str, float] = {}
        self.status = states.PENDING
        self.reason = ""
        self.submitted_at = 0.0
        self.started_at: float | None = None
        self.ended_at: float | None = None
        self.exit_codes: list[int] | None = None
        self.placement: Placement = []
        self.ending = ""
        self._demand: Demand | None = None

    @classmethod
    def from_spec(cls, job_id: int, spec: JobSpec, now: float) -> Job:
        job = cls(job_id, spec.submit_id)
        job.task_id, job.name, job.num_nodes = spec.task_id, spec.name, spec.num_nodes
        job.accelerators = spec.accelerators
        job.submitted_at = now
        return job

    @property
    def terminal(self) -> bool:
        return self.status in states.TERMINAL

    @property
    def demand(self) -> Demand:
        if self._demand is None:
            self._demand = Demand.of(self.num_nodes, sum(self.accelerators.values()))
        return self._demand

    def move(self, status: str) -> None:
        """Go to ``status``; an impossible move is a programming error and changes nothing."""
        if not states.may_move(self.status, status):
            raise ValueError(f"job {self.id} can't go from {self.status} to {status}")
        self.status = status

    def as_json(self) -> Json:
        return {
            "id": self.id,
            "name": self.name,
            "task_id": self.task_id,
            "status": self.status,
            "reason": self.reason,
            "num_nodes": self.num_nodes,
            "accelerators": self.accelerators,
            "submitted_at": iso(self.submitted_at),
            "started_at": iso(self.started_at),
            "ended_at": iso(self.ended_at),
            "exit_codes": self.exit_codes if self.terminal else None,
        }

    def as_row(self) -> Row:
        """The values of ``COLUMNS`` after the id."""
        codes = None if self.exit_codes is None else json.dumps(self.exit_codes)
        return (
            self.submit_id, self.task_id, self.name, self.num_nodes, json.dumps(self.accelerators), self.status,
            self.reason, self.submitted_at, self.started_at, self.ended_at, codes, json.dumps(self.placement),
            self.ending,
        )  # fmt: skip


def from_row(row: tuple[object, ...]) -> Job:
    """The job of a row in the order of ``COLUMNS``."""
    job = Job(int(str(row[0])), str(row[1]))
    job.task_id = str(row[2])
    job.name = None if row[3] is None else str(row[3])
    job.num_nodes = int(str(row[4]))
    job.accelerators = json.loads(str(row[5]))
    job.status, job.reason = str(row[6]), str(row[7])
    job.submitted_at = float(str(row[8]))
    job.started_at = None if row[9] is None else float(str(row[9]))
    job.ended_at = None if row[10] is None else float(str(row[10]))
    job.exit_codes = None if row[11] is None else json.loads(str(row[11]))
    job.placement = [(int(rank), list(ids)) for rank, ids in json.loads(str(row[12]))]
    job.ending = str(row[13])
    return job
