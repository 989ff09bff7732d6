"""Events as phases: pure bookkeeping that every way of showing progress reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from skyx_core.cli.output import usd
from skyx_core.cli.shown import in_cell
from skyx_core.spans import UNTIL_FIXED, span, took, until_fixed

if TYPE_CHECKING:
    from skyx_core.models import Block, Candidate, Event


@dataclass
class Phase:
    """One thing that goes on. Times: seconds since the epoch, as the events say."""

    title: str
    started: float
    ended: float | None = None
    failed: bool = False
    detail: str = ""

    def seconds(self, now: float) -> float:
        return max(0.0, (now if self.ended is None else self.ended) - self.started)


@dataclass(frozen=True)
class Line:
    """Something worth a line of its own. ``mark``: '-' begun or said, '+' done, '!' failed or warned. ``repeated``: an
    error at the end of the command says it, too.
    """

    mark: str
    text: str
    seconds: float | None = None
    repeated: bool = False

    def render(self) -> str:
        after = f" ({took(self.seconds)})" if self.seconds is not None else ""
        return f"{self.mark} {in_cell(self.text)}{after}"


_BEGINS = {
    "sync_started": "Copying files",
    "stopping": "Stopping",
    "starting": "Starting",
    "terminating": "Taking down",
}
_ENDS = {"sync_done", "stopped", "terminated"}
_SAID = {
    "waiting_for_lock": "Waiting",
    "warning": "Warning",
    "gave_up": "Gave up",
}
_TO_BE_FIXED = {"auth", "permission", "config"}  # categories of errors that no waiting ends
_SILENT = {"launch_ended", "status_changed", "job_status"}


class Phases:
    """Feed it events; it answers with lines, and keeps the phase that is running."""

    def __init__(self) -> None:
        self.current: Phase | None = None
        self._ready = 0  # nodes of the current attempt
        self._first: Candidate | None = None  # what the plan ranked first
        self._tried: dict[int | None, Candidate] = {}  # by attempt

    def feed(self, event: Event) -> list[Line]:
        """What the event adds. One phase runs at a time; a new one ends the one before."""
        kind = str(event.kind)
        special = {
            "attempt_started": self._attempt_started,
            "attempt_failed": self._attempt_failed,
            "zones_located": self._zones_located,
            "planned": self._planned,
            "launch_started": self._launch_started,
            "attempt_cleaned": self._attempt_cleaned,
            "nodes_up": self._nodes_up,
            "node_ready": self._node_ready,
            "cluster_up": self._cluster_up,
            "retry_wait": self._retry_wait,
            "job_submitted": self._job_submitted,
            "progress": self._progress,
            "autostop_set": self._autostop_set,
        }.get(kind)
        if special is not None:
            return special(event)
        if kind in _BEGINS:
            return self._begin(event, _titled(_BEGINS[kind], event))
        if kind in _ENDS:
            return self._end(event)
        if kind in _SILENT and not event.message:
            return []
        mark = "!" if kind in {"warning", "gave_up"} else "-"
        return [Line(mark, _said(_SAID.get(kind, ""), event), repeated=kind == "gave_up")]

    def _begin(self, event: Event, title: str) -> list[Line]:
        before = self._end(event)
        self.current = Phase(title, event.time)
        return [*before, Line("-", title)]

    def _end(self, event: Event, *, failed: str = "") -> list[Line]:
        phase, self.current = self.current, None
        if phase is None:
            return [Line("!", failed)] if failed else []
        phase.ended, phase.failed = event.time, bool(failed)
        text = f"{phase.title}: {failed}" if failed else phase.title
        return [Line("!" if failed else "+", text, phase.seconds(event.time))]

    def _attempt_started(self, event: Event) -> list[Line]:
        where = ""
        if event.candidate is not None:
            self._tried[event.attempt] = event.candidate
            where = f" {event.candidate.infra()} {event.candidate.instance_type}"
        nth = f" (attempt {event.attempt})" if (event.attempt or 1) > 1 else ""
        return self._begin(event, f"Provisioning{where}{nth}")

    def _attempt_failed(self, event: Event) -> list[Line]:
        lines = self._end(event, failed=event.error or event.message or "failed")
        lines += _fix(event)
        return [*lines, Line("-", f"Next: {_next(event)}")] if event.next else lines

    def _zones_located(self, event: Event) -> list[Line]:
        """Only what someone must fix: that a region has no room is told once, at the end."""
        fix = _fix(event)
        if not fix or event.candidate is None:
            return [Line("-", event.message)] if event.message else []
        return [*self._end(event), Line("!", f"{event.candidate.infra()}: {event.error}"), *fix]

    def _planned(self, event: Event) -> list[Line]:
        """Nothing to say: the plan itself was shown."""
        self._first = event.candidate
        return []

    def _launch_started(self, event: Event) -> list[Line]:
        self._first, self._tried = event.candidate or self._first, {}
        return [Line("-", _said("Launching", event))]

    def _attempt_cleaned(self, event: Event) -> list[Line]:
        return [*self._end(event), Line("+", "Cleaned up what the attempt had made")]

    def _nodes_up(self, event: Event) -> list[Line]:
        count, self._ready = event.total or event.done, 0
        return self._begin(event, f"Preparing {count} node{'s' if count != 1 else ''}" if count else "Preparing nodes")

    def _node_ready(self, event: Event) -> list[Line]:
        who = event.node or (f"node {event.rank}" if event.rank is not None else "node")
        self._ready += 1
        done = self._ready if event.done is None else event.done
        of = f" [{done}/{event.total}]" if event.total else ""
        seconds = event.seconds
        if self.current is not None:
            self.current.detail = of.strip(" []")
            seconds = self.current.seconds(event.time) if seconds is None else seconds
        return [Line("+", f"  {who} ready{of}", seconds)]

    def _progress(self, event: Event) -> list[Line]:
        """What a driver says within a phase: beside the phase's own line, or one of its own."""
        if self.current is not None:
            self.current.detail = event.message
        return [Line("-", f"  {event.message}")] if event.message else []

    def _cluster_up(self, event: Event) -> list[Line]:
        return [*self._end(event), Line("+", f"Cluster {event.cluster} is up{self._dearer(event)}", event.seconds)]

    def _dearer(self, event: Event) -> str:
        """Where and at what price, if that isn't the price of what was the first choice."""
        won, first = self._tried.get(event.attempt), self._first
        if won is None or first is None or won.hourly_usd == first.hourly_usd:
            return ""
        price, planned = usd(won.hourly_usd), usd(first.hourly_usd)
        return f" on {won.infra()} {won.instance_type}, ${price}/h (first choice ${planned})"

    def _retry_wait(self, event: Event) -> list[Line]:
        lines = self._end(event)
        pause = f" {span(event.seconds)}" if event.seconds is not None else ""
        why = f": {event.message or event.error}" if event.message or event.error else ""
        return [*lines, Line("-", f"Waiting{pause} before the next try{why}")]

    def _autostop_set(self, event: Event) -> list[Line]:
        return [Line("+", f"Autostop is set on {event.cluster}")]

    def _job_submitted(self, event: Event) -> list[Line]:
        return [*self._end(event), Line("+", f"Job {event.job_id} is queued on {event.cluster}")]


def _fix(event: Event) -> list[Line]:
    """What to do about an error that would come again."""
    category = str(event.verdict.category) if event.verdict is not None else ""
    hint = event.hint or (event.verdict.hint if event.verdict is not None else "")
    return [Line("!", f"  fix: {' '.join(hint.split())}")] if hint and category in _TO_BE_FIXED else []


def _next(event: Event) -> str:
    """What follows, and what is not tried meanwhile."""
    left = [_left_alone(block) for block in event.blocks[:1]]
    more = f" and {len(event.blocks) - 1} more" if len(event.blocks) > 1 else ""
    return "; ".join([f"{one}{more}" for one in left] + [event.next])


def _left_alone(block: Block) -> str:
    key = block.key
    place = key.zone or key.region or key.cloud or "this"
    gpus = ",".join(f"{name}:{count:g}" for name, count in key.accelerators or ())
    spot = "" if key.use_spot is None else "spot" if key.use_spot else "on-demand"
    quota = f"quota {key.quota_bucket}" if key.quota_bucket else ""
    any_gpu = "any accelerator" if key.accelerator == "*" else key.accelerator
    what = " ".join(filter(None, (place, key.instance_type, gpus, any_gpu, spot, quota)))
    if until_fixed(block.since, block.until, block.fingerprint):
        return f"{what} left alone {UNTIL_FIXED}"
    how_long = "until this launch ends" if block.until is None else f"for {span(block.until - block.since)}"
    return f"{what} left alone {how_long}"


def _titled(verb: str, event: Event) -> str:
    if event.kind == "sync_started" and event.message:
        return f"Copying {event.message}"
    of = f" to {event.total} node{'s' if event.total != 1 else ''}" if event.total else ""
    name = f" {event.cluster}" if event.cluster and not of else ""
    return f"{verb}{of or name}"


def _said(title: str, event: Event) -> str:
    text = event.message or event.error or event.cluster or event.status
    hint = f" (hint: {event.hint})" if event.hint else ""
    return f"{title}: {text}{hint}" if title else f"{text or event.kind}{hint}"
