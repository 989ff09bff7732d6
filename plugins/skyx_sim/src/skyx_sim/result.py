"""What a simulation comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

from skyx_core.api import Block, Candidate

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Status = Literal["UP", "GAVE_UP", "ABORTED", "LIMIT"]
RUNNING, UP, FAILED, CANCELLED, TOO_LATE = "running", "up", "failed", "cancelled", "too_late"


@dataclass
class AttemptRow:
    """One attempt. Times in virtual seconds; ``outcome``: up, failed, cancelled, too_late (it came up when another had
    won) or running (the limit came first). ``retry``: how many times this place was tried before. ``nodes``: made.
    """

    number: int
    infra: str
    instance_type: str
    spot: bool
    hourly_usd: float
    started_at: float
    retry: int = 0
    ended_at: float | None = None
    cleaned_at: float | None = None
    preempted_at: float | None = None
    outcome: str = RUNNING
    rule: str = ""
    category: str = ""
    error: str = ""
    hint: str = ""
    nodes: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True)
class BlockRow:
    """What was blocked at the end, or had been. ``until`` None: as long as the search."""

    pattern: str
    rule: str
    reason: str
    since: float
    until: float | None


@dataclass
class Counts:
    """How often the search met what makes it hard."""

    most_live: int = 0
    overlaps: int = 0  # attempts that began while another ran
    second_winners: int = 0
    expiries: int = 0  # candidates that were left out by a block, and tried once it had ended
    retries: int = 0
    skipped: int = 0
    preemptions: int = 0


@dataclass(frozen=True)
class Result:
    """``virtual_seconds``: until the end; ``found_after``: until a cluster was first up. ``search_cost_usd``: what was
    spent until then and on the losers; ``cost_usd``: with the cluster's run. ``infra``: where it is up. ``left_out``:
    places that a block kept from being tried, or tried again.
    """

    status: Status
    virtual_seconds: float
    attempts: tuple[AttemptRow, ...]
    blocks: tuple[BlockRow, ...]
    cost_usd: float
    search_cost_usd: float
    found_after: float | None = None
    infra: str = ""
    reason: str = ""
    left_out: tuple[str, ...] = ()
    counts: Counts = field(default_factory=Counts)

    def to_json(self) -> Mapping[str, Json]:
        """As ``skyx simulate -o json`` prints it."""
        document: dict[str, Json] = asdict(self)
        return document

    @property
    def places(self) -> list[str]:
        """Where it was tried, in order."""
        return [row.infra for row in self.attempts]


def block_row(block: Block) -> BlockRow:
    """A block as people read it."""
    key = block.key
    place = "/".join(part for part in (key.cloud, key.region, key.zone) if part) or "every cloud"
    accelerators = ",".join(f"{name}:{count:g}" for name, count in key.accelerators or ())
    parts = (
        place,
        key.instance_type or "",
        accelerators,
        f"any {key.accelerator}".replace("any *", "any accelerator") if key.accelerator else "",
        f"quota {key.quota_bucket}" if key.quota_bucket else "",
        "" if key.use_spot is None else "spot" if key.use_spot else "on-demand",
    )
    return BlockRow(" ".join(filter(None, parts)), block.rule, block.reason, block.since, block.until)


def infra_of(candidate: Candidate, zones: tuple[str, ...]) -> str:
    """``cloud/region/zone``; zones that are tried together are joined by commas."""
    zone = ",".join(zones) or candidate.zone
    return "/".join(part for part in (candidate.cloud, candidate.region, zone) if part)
