"""What a simulation comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

from skyx_core.api import Block, BlockRow, Candidate, pattern, to_iso

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Status = Literal["UP", "GAVE_UP", "ABORTED", "LIMIT"]
RUNNING, UP, FAILED, CANCELLED, TOO_LATE = "running", "up", "failed", "cancelled", "too_late"


@dataclass
class AttemptRow:
    """One attempt. Times in virtual seconds; ``outcome``: up, failed, cancelled, too_late (it came up when another had
    won) or running (the limit came first). ``retry``: how many times this place was tried before. ``nodes``: made.
    ``zone`` None: the region has none, or several were tried at once (``infra`` names them).
    """

    number: int
    infra: str
    cloud: str
    region: str
    zone: str | None
    instance_type: str
    accelerators: Mapping[str, float]
    use_spot: bool
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
    searches: int = 0  # one, and one more after each preemption
    offers: int = 0  # read by the planner
    held: int = 0  # clouds that were blocked as a whole, and not read any further
    reopened: int = 0  # of those, how many were read on

    def began(self, live: int, retry: int) -> None:
        """Count an attempt; ``live``: how many run now."""
        self.most_live = max(self.most_live, live)
        self.overlaps += live > 1
        self.retries += retry > 0


@dataclass(frozen=True)
class Result:
    """``virtual_seconds``: until the end; ``found_after``: until a cluster was first up, whatever became of it;
    ``ran_seconds``: of ``run_for``, how much was done, over all clusters. ``search_cost_usd``: what was
    spent until then and on the losers; ``cost_usd``: with the cluster's run. ``infra``: where it is up. ``left_out``:
    places that a block kept from being tried, or tried again; a cloud's name alone: all that was left of it.
    ``blocks``: what is blocked at the end, or had been; the clock began at 1970-01-01T00:00:00Z. ``reason``: why it
    isn't up, or why its run was cut.
    """

    status: Status
    virtual_seconds: float
    attempts: tuple[AttemptRow, ...]
    blocks: tuple[BlockRow, ...]
    cost_usd: float
    search_cost_usd: float
    found_after: float | None = None
    ran_seconds: float = 0.0
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


def block_row(block: Block, *, holds: bool) -> BlockRow:
    """As ``skyx blocks list`` has it. ``holds``: whether the credentials that it was met with are still in use."""
    return BlockRow(
        cloud=block.key.cloud or "",
        pattern=pattern(block.key),
        rule=block.rule,
        reason=block.reason,
        category=block.category.value,
        since=to_iso(block.since),
        until=to_iso(block.until or 0.0),
        repeats=block.repeats,
        fingerprint_ok=holds,
    )


def infra_of(candidate: Candidate, zones: tuple[str, ...]) -> str:
    """``cloud/region/zone``; zones that are tried together are joined by commas."""
    zone = ",".join(zones) or candidate.zone
    return "/".join(part for part in (candidate.cloud, candidate.region, zone) if part)
