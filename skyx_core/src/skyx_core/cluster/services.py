"""What the life-cycle code works with, passed in; there is nothing global."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from skyx_core.calls import Caller
from skyx_core.clock import Clock

if TYPE_CHECKING:
    from skyx_core.cluster.clouds import Clouds
    from skyx_core.cluster.rulebooks import Rulebooks
    from skyx_core.dirs import Dirs
    from skyx_core.discovery import Plugins
    from skyx_core.hooks import Hooks
    from skyx_core.models import Block, Candidate, Event, EventKind, Skipped, Verdict, ZoneOption
    from skyx_core.settings import Settings
    from skyx_core.state.records import ClusterRecord
    from skyx_core.state.store import Store


class EventFields(TypedDict, total=False):
    """What an event may carry; see ``models.Event``."""

    attempt: int | None
    candidate: Candidate
    node: str
    rank: int
    done: int
    total: int
    error: str
    rule: str
    hint: str
    blocks: tuple[Block, ...]
    next: str
    message: str
    job_id: int
    status: str
    seconds: float
    decided_at: float
    skipped: tuple[Skipped, ...]
    zones: tuple[ZoneOption, ...]
    verdict: Verdict | None
    alternative: int
    request: str
    data: dict[str, str]


@dataclass
class Services:
    """One per session. ``emit`` stores an event with its cluster and tells the listeners."""

    dirs: Dirs
    settings: Settings
    store: Store
    plugins: Plugins
    hooks: Hooks
    rulebooks: Rulebooks
    caller: Caller
    clock: Clock
    emit: Callable[[Event], None]
    environ: Mapping[str, str]
    cwd: Path
    command: str = ""
    rng: random.Random = field(default_factory=random.SystemRandom)
    clouds: Clouds = field(init=False)

    def __post_init__(self) -> None:
        from skyx_core.cluster.clouds import Clouds

        self.clouds = Clouds(self)

    def event(self, kind: EventKind, record: ClusterRecord | None = None, **fields: Unpack[EventFields]) -> None:
        """Emit one event now, of this cluster."""
        from skyx_core.models import Event

        who = {"cluster": record.name, "cluster_uid": record.uid} if record else {}
        self.emit(Event(kind=kind, time=self.clock.time(), **who, **fields))

    def token(self, digits: int = 16) -> str:
        """Random hex digits for ids."""
        return f"{self.rng.getrandbits(4 * digits):0{digits}x}"
