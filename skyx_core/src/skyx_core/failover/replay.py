"""Recorded searches through the engine again: the same answers must lead to the same decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from skyx_core.failover.actions import Action, CleanUp, Done, GiveUp, Locate, Skip, Start, WaitUntil
from skyx_core.failover.blocklist import Blocklist
from skyx_core.failover.engine import RETRY_PAUSE_S, Engine
from skyx_core.failover.reel import Reel
from skyx_core.models import BlockKey, Candidate, Event, EventKind

_DECISIONS = frozenset(
    {
        EventKind.CANDIDATES_SKIPPED,
        EventKind.ZONES_LOCATED,
        EventKind.ATTEMPT_STARTED,
        EventKind.RETRY_WAIT,
        EventKind.GAVE_UP,
    }
)
_ENDS = frozenset({EventKind.ATTEMPT_FAILED, EventKind.CLUSTER_UP})
_STARTS = EventKind.LAUNCH_STARTED


@dataclass(frozen=True)
class Replayed:
    """One recorded decision. ``decided``: what the engine decides now, in words; "" = it was never reached."""

    recorded: str
    decided: str
    at: float

    @property
    def same(self) -> bool:
        return self.recorded == self.decided


def launches(events: Sequence[Event]) -> Iterator[list[Event]]:
    """The searches in the events of a cluster: each from its start to its end."""
    found: list[Event] = []
    for event in events:
        if event.kind is _STARTS:
            if found:
                yield found
            found = [event]
        elif found and (event.kind in _DECISIONS or event.kind in _ENDS):
            found.append(event)
            if event.kind in (EventKind.CLUSTER_UP, EventKind.GAVE_UP):
                yield found
                found = []
    if found:
        yield found


def replay(events: Sequence[Event]) -> list[Replayed]:
    """One launch, from its ``launch_started`` event on. It ends at the first decision that differs, or that can't be
    told because the record only counts some of the candidates that were skipped before.
    """
    return list(_Replay(events).run())


class _Replay:
    def __init__(self, events: Sequence[Event]) -> None:
        data = events[0].data
        self._ends = {event.attempt: event for event in events if event.kind is EventKind.ATTEMPT_FAILED}
        self._up = next((event for event in events if event.kind is EventKind.CLUSTER_UP), None)
        self._steps = [event for event in events if event.kind in _DECISIONS]
        self._position = 0
        self._complete = True  # whether the record so far names all that was skipped
        self._reel = reel = Reel(self._steps)
        self._engine = Engine(
            reel,
            gate=reel,
            blocks=Blocklist(),
            zones_together=frozenset(filter(None, data.get("zones_together", "").split(","))),
            retry_until_up=data.get("retry_until_up") == "1",
            retry_pause=_seconds(data.get("retry_pause", "")),
            keep_order=data.get("keep_order") == "1",
        )

    def run(self) -> Iterator[Replayed]:
        now = self._steps[0].decided_at or self._steps[0].time if self._steps else 0.0
        while self._position < len(self._steps):
            step = self._steps[self._position]
            now = max(now, step.decided_at if step.decided_at is not None else step.time)
            self._foreign_blocks(step)
            if _tells_only(step):
                self._position += 1
                continue
            actions = self._engine.next(now)
            if not actions:
                if self._complete:
                    yield Replayed(_recorded(step), "", now)
                return
            for action in actions:
                if isinstance(action, Done):  # although the record goes on
                    yield Replayed(_recorded(step), "done", now)
                    return
                result = self._do(action, now)
                if result is not None:
                    if not result.same and not self._complete:
                        return
                    yield result
                    if not result.same or isinstance(action, GiveUp):
                        return

    def _foreign_blocks(self, step: Event) -> None:
        """What other launches had learned by then is known from what was skipped for it."""
        if step.kind is EventKind.CANDIDATES_SKIPPED:
            for block in (*(skipped.block for skipped in step.skipped), *step.blocks):
                self._engine.blocks.add(block)
            for block in step.blocks:
                self._reel.hold(block.key.cloud or "")
            freed = _freed(step)
            for block in [block for block in self._engine.blocks if block.key in freed]:
                self._engine.blocks.discard(block)

    def _do(self, action: Action, now: float) -> Replayed | None:
        if isinstance(action, CleanUp):
            self._engine.cleaned(action.attempt)
            return None
        if isinstance(action, Skip) and not action.skipped:
            return None
        step = self._steps[self._position] if self._position < len(self._steps) else None
        recorded = _recorded(step) if step else ""
        self._position += 1
        if step is not None and _unnamed(step) and isinstance(action, Skip):
            self._complete = False
            action = replace(action, skipped=action.skipped[: len(step.skipped)])
        if step is not None and isinstance(action, Locate):
            self._locate(step, now)
        elif isinstance(action, Start):
            self._outcome(action)
        return Replayed(recorded, _decided(action), now)

    def _locate(self, step: Event, now: float) -> None:
        if step.verdict is not None:
            self._engine.locate_failed(step.verdict, now)
        else:
            self._engine.located(step.zones)

    def _outcome(self, start: Start) -> None:
        failed = self._ends.get(start.attempt)
        if failed is not None:
            self._engine.outcome(start.attempt, failed.verdict, failed.decided_at or failed.time)
        elif self._up is not None:
            self._engine.outcome(start.attempt, None, self._up.time)


def _freed(step: Event) -> list[BlockKey]:
    """Patterns that were cleared or mended while the search waited."""
    try:
        return [BlockKey.model_validate(key) for key in json.loads(step.data.get("freed") or "[]")]
    except (ValueError, TypeError):
        return []


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return RETRY_PAUSE_S


def _unnamed(step: Event) -> int:
    """How many of the candidates that were skipped the record doesn't name."""
    return max((step.total or 0) - len(step.skipped), 0) if step.kind is EventKind.CANDIDATES_SKIPPED else 0


def _tells_only(event: Event) -> bool:
    """That nothing is drawn from a cloud any more: in what was drawn that shows by itself."""
    return event.kind is EventKind.CANDIDATES_SKIPPED and not event.skipped


def _recorded(event: Event) -> str:
    match event.kind:
        case EventKind.CANDIDATES_SKIPPED:
            return "skip " + ", ".join(_name(each.candidate) for each in event.skipped)
        case EventKind.ZONES_LOCATED:
            return f"ask for zones of {_name(event.candidate)}"
        case EventKind.ATTEMPT_STARTED:
            return f"start {_name(event.candidate)} in [{', '.join(str(zone.zone) for zone in event.zones)}]"
        case EventKind.RETRY_WAIT:
            return "wait"
        case _:
            return "give up"


def _decided(action: Action) -> str:
    match action:
        case Skip(skipped=skipped):
            return "skip " + ", ".join(_name(choice.candidate) for choice, _ in skipped)
        case Locate(choice=choice):
            return f"ask for zones of {_name(choice.candidate)}"
        case Start(choice=choice, zones=zones):
            return f"start {_name(choice.candidate)} in [{', '.join(zones)}]"
        case WaitUntil():
            return "wait"
        case _:
            return "give up"


def _name(candidate: Candidate | None) -> str:
    if candidate is None:
        return "-"
    market = "spot" if candidate.use_spot else "on-demand"
    return f"{candidate.infra()} {candidate.instance_type} {market}"
