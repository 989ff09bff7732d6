"""``skyx explain``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from skyx_core.cli import options
from skyx_core.cli.group import command

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.results import Json


@command("explain")
@options.cluster_argument("cluster")
@click.option("--path", "only_path", is_flag=True, help="Only the path through clouds, regions and zones.")
@click.option("--replay", is_flag=True, help="Put the recorded answers through the engine again and compare.")
def explain(app: App, *, cluster: str, only_path: bool, replay: bool) -> int:
    """Show every decision of the launches of a cluster, also of one that is gone."""
    from skyx_core.cli.output import emit_lines, show

    if replay:
        return _replay(app, cluster)
    events = app.session().explain(cluster)
    if app.json:
        emit_lines(app, (_told(event) for event in events))
        return 0
    found = list(events)
    _show_path(app, found, apart=not only_path)
    rows = [_cells(_told(event)) for event in found]
    if rows and not only_path:
        show(app, ("SEQ", "TIME", "WHAT", "WHERE", "DETAIL", "RULE", "NEXT"), rows, fit=True, spare=("SEQ", "NEXT"))
    elif not rows:
        app.note(f"Nothing is recorded for {cluster}.")
    return 0


def _show_path(app: App, events: Sequence[Mapping[str, Json]], *, apart: bool) -> None:
    """``apart``: an empty line before what follows."""
    from skyx_core.cli.output import columns
    from skyx_core.cli.pathview import path, render

    text = render(path(events), color=app.color(tty=app.streams.out_tty), columns=columns(app))
    if text:
        app.streams.data(f"{text}\n" if apart else text, painted=True)


def _replay(app: App, cluster: str) -> int:
    """0 = the engine decides the same again."""
    from skyx_core.cli.output import emit_lines, show

    rows = list(app.session().replay(cluster))
    if app.json:
        emit_lines(app, rows)
    elif rows:
        cells = [("same" if row.same else "DIFFERS", row.recorded, "" if row.same else row.decided) for row in rows]
        show(app, ("", "RECORDED", "DECIDED NOW"), cells, fit=True)
    else:
        app.note(f"No search for capacity is recorded for {cluster}.")
    return 0 if all(row.same for row in rows) else 1


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


_ALWAYS: Mapping[str, Json] = {
    "seq": None,
    "time": None,
    "kind": "",
    "candidate": None,
    "error": "",
    "rule": "",
    "blocks": [],
    "next": "",
}
_TIMES = frozenset({"time", "decided_at", "since", "until"})


def _told(event: Mapping[str, Json]) -> dict[str, Json]:
    """Its times as ISO-8601 UTC, what every event has even if it is empty, and what follows where that is always the
    same.
    """
    following: Json = event.get("next") or _NEXT.get(str(event.get("kind")), "")
    return {**_ALWAYS, **{key: _readable(key, value) for key, value in event.items()}, "next": following}


def _readable(key: str, value: Json) -> Json:
    """With all times in it, wherever they stand, as text; ``key``: under which it stands."""
    if isinstance(value, dict):
        return {name: _readable(name, item) for name, item in value.items()}
    if isinstance(value, list):
        return [_readable("", item) for item in value]
    if key in _TIMES and isinstance(value, int | float) and not isinstance(value, bool):
        return _iso(value)
    return value


def _iso(seconds: float) -> str:
    from datetime import UTC, datetime

    from skyx_core.results import to_iso

    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return to_iso(seconds)


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
