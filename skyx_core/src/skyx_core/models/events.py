"""What happens, as data. Progress display, history, ``explain``, traces and listeners read the same events."""

from enum import StrEnum
from typing import Literal

from pydantic import Field  # noqa: TID253 - models are pydantic

from skyx_core.models.base import Model
from skyx_core.models.blocks import Block, Verdict
from skyx_core.models.cluster import ZoneOption
from skyx_core.models.offers import Candidate


class EventKind(StrEnum):
    """The closed set of events; consumers may rely on it within one ``schema_version``."""

    PLANNED = "planned"
    LAUNCH_STARTED = "launch_started"
    CANDIDATES_SKIPPED = "candidates_skipped"
    ZONES_LOCATED = "zones_located"
    ATTEMPT_STARTED = "attempt_started"
    ATTEMPT_FAILED = "attempt_failed"
    ATTEMPT_CLEANED = "attempt_cleaned"
    RETRY_WAIT = "retry_wait"
    PROGRESS = "progress"
    NODES_UP = "nodes_up"
    NODE_READY = "node_ready"
    CLUSTER_UP = "cluster_up"
    SYNC_STARTED = "sync_started"
    SYNC_DONE = "sync_done"
    JOB_SUBMITTED = "job_submitted"
    JOB_STATUS = "job_status"
    STOPPING = "stopping"
    STOPPED = "stopped"
    STARTING = "starting"
    TERMINATING = "terminating"
    TERMINATED = "terminated"
    AUTOSTOP_SET = "autostop_set"
    STATUS_CHANGED = "status_changed"
    WAITING_FOR_LOCK = "waiting_for_lock"
    WARNING = "warning"
    GAVE_UP = "gave_up"
    LAUNCH_ENDED = "launch_ended"


class Skipped(Model):
    """A candidate that was left out, and the block in its way. ``request``: digest of what the request names itself."""

    candidate: Candidate
    block: Block
    alternative: int = 0
    request: str = ""


class Event(Model):
    """One step. Only the fields that its kind needs are set. ``time``: seconds since the epoch."""

    schema_version: Literal[1] = 1
    kind: EventKind
    time: float
    cluster: str = ""
    cluster_uid: str = ""
    attempt: int | None = None
    candidate: Candidate | None = None
    node: str = ""
    rank: int | None = None
    done: int | None = None  # progress: done of total
    total: int | None = None
    error: str = ""
    rule: str = ""
    hint: str = ""
    blocks: tuple[Block, ...] = ()
    next: str = ""  # what is done now: "retry", "next candidate", "give up", ...
    message: str = ""
    job_id: int | None = None
    status: str = ""
    seconds: float | None = None
    decided_at: float | None = None  # the time that the engine was told; ``time`` is when it was stored
    skipped: tuple[Skipped, ...] = ()
    zones: tuple[ZoneOption, ...] = ()  # as the driver answered
    verdict: Verdict | None = None
    alternative: int = 0  # of the request, from 0
    request: str = ""  # digest of what that alternative names itself
    data: dict[str, str] = Field(default_factory=dict)
