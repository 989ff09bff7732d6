"""``skyx explain``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from skyx_core.cli import options
from skyx_core.cli.group import command

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.results import Json


@command("explain")
@options.cluster_argument("cluster")
def explain(app: App, *, cluster: str) -> int:
    """Show every decision of the launches of a cluster, also of one that is gone."""
    from skyx_core.cli.output import emit_lines, show

    events = (_told(event) for event in app.session().explain(cluster))
    if app.json:
        emit_lines(app, events)
        return 0
    rows = [_cells(event) for event in events]
    if rows:
        show(app, ("SEQ", "TIME", "WHAT", "WHERE", "DETAIL", "RULE", "NEXT"), rows)
    else:
        app.note(f"Nothing is recorded for {cluster}.")
    return 0


_NEXT = {
    "launch_started": "provision",
    "attempt_started": "wait for nodes",
    "nodes_up": "prepare nodes",
    "cluster_up": "sync",
    "sync_started": "wait for files",
    "sync_done": "submit",
    "job_submitted": "done",
    "stopping": "wait for the end",
    "stopped": "done",
    "starting": "wait for nodes",
    "terminating": "wait for the end",
    "terminated": "done",
}


def _told(event: Mapping[str, Json]) -> dict[str, Json]:
    """With its time as ISO-8601 UTC, and with what follows where that is always the same."""
    following: Json = event.get("next") or _NEXT.get(str(event.get("kind")), "")
    event = {**event, "next": following}
    time = event.get("time")
    if not isinstance(time, int | float):
        return event
    from datetime import UTC, datetime

    text = datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {**event, "time": text}


def _cells(event: Mapping[str, Json]) -> tuple[str, ...]:
    candidate = event.get("candidate")
    where = str(candidate or "-")
    if isinstance(candidate, dict):
        where = "/".join(str(candidate[key]) for key in ("cloud", "region", "zone") if candidate.get(key))
    detail = event.get("error") or event.get("message") or ""
    if event.get("job_id") is not None:
        detail = f"job {event['job_id']} {detail}".strip()
    return (
        str(event.get("seq", "")),
        str(event.get("time", "")),
        str(event.get("kind", "")),
        where,
        " ".join(str(detail).split()),
        str(event.get("rule") or "-"),
        str(event.get("next") or "-"),
    )
