"""What is blocked beyond one launch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.results.states import Json


@dataclass(frozen=True, slots=True)
class BlockRow:
    """One row of ``blocks list``. ``pattern``: the fields of a candidate that must be equal; what isn't in it may be
    anything. ``since`` and ``until``: ISO-8601 UTC. ``repeats``: how often it came back. ``fingerprint_ok``: False =
    the credentials or the settings that it was met with are no longer in use, so it ends here.
    """

    cloud: str
    pattern: dict[str, Json]
    rule: str
    reason: str
    category: str
    since: str
    until: str
    repeats: int
    fingerprint_ok: bool


@dataclass(frozen=True, slots=True)
class BlocksResult:
    """``warnings``: of rows that can't be read."""

    blocks: list[BlockRow]
    warnings: list[str] = field(default_factory=list)
