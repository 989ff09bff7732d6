"""Events as phases: pure bookkeeping that every way of showing progress reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from skyx_core.cli.shown import in_cell
from skyx_core.spans import span, took

if TYPE_CHECKING:
    from skyx_core.models import Event


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
    "launch_started": "Launching",
    "waiting_for_lock": "Waiting",
    "warning": "Warning",
    "gave_up": "Gave up",
}
_NEVER = {"planned"}  # the plan itself was shown
_SILENT = {"zones_located", "launch_ended", "status_changed", "job_status"}


class Phases:
    """Feed it events; it answers with lines, and keeps the phase that is running."""

    def __init__(self) -> None:
        self.current: Phase | None = None
        self._ready = 0  # nodes of the current attempt

    def feed(self, event: Event) -> list[Line]:
        """What the event adds. One phase runs at a time; a new one ends the one before."""
        kind = str(event.kind)
        special = {
            "attempt_started": self._attempt_started,
            "attempt_failed": self._attempt_failed,
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
        if kind in _NEVER or (kind in _SILENT and not event.message):
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
            where = f" {event.candidate.infra()} {event.candidate.instance_type}"
        nth = f" (attempt {event.attempt})" if (event.attempt or 1) > 1 else ""
        return self._begin(event, f"Provisioning{where}{nth}")

    def _attempt_failed(self, event: Event) -> list[Line]:
        lines = self._end(event, failed=event.error or event.message or "failed")
        return [*lines, Line("-", f"Next: {event.next}")] if event.next else lines

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
        return [*self._end(event), Line("+", f"Cluster {event.cluster} is up", event.seconds)]

    def _retry_wait(self, event: Event) -> list[Line]:
        lines = self._end(event)
        pause = f" {span(event.seconds)}" if event.seconds is not None else ""
        why = f": {event.message or event.error}" if event.message or event.error else ""
        return [*lines, Line("-", f"Waiting{pause} before the next try{why}")]

    def _autostop_set(self, event: Event) -> list[Line]:
        return [Line("+", f"Autostop is set on {event.cluster}")]

    def _job_submitted(self, event: Event) -> list[Line]:
        return [*self._end(event), Line("+", f"Job {event.job_id} is queued on {event.cluster}")]


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
