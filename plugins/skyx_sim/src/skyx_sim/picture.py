"""A result as people read it: the attempts, the path through clouds and regions, and one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from skyx_sim.durations import shown
from skyx_sim.result import UP, AttemptRow, Result

_SHOWN = 30
_REGIONS = 12
_REASON = 70
_HEADERS = ("#", "WHERE", "TYPE", "START", "TOOK", "OUTCOME", "RULE", "COST", "REASON")
_MARKS = {"up": "*", "failed": "x", "cancelled": "-", "too_late": "-", "running": "~"}


def render(result: Result) -> str:
    """The whole text."""
    parts = [table(result.attempts), path(result), sentence(result)]
    return "\n\n".join(part for part in parts if part)


def table(rows: Sequence[AttemptRow]) -> str:
    """One line per attempt; of very many the first and the last."""
    if not rows:
        return ""
    cut = len(rows) - _SHOWN
    some = rows if cut <= 0 else [*rows[: _SHOWN // 2], *rows[-_SHOWN // 2 :]]
    cells = [_HEADERS, *map(_cells, some)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_HEADERS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    if cut > 0:
        lines.insert(1 + _SHOWN // 2, f"... {cut} more ...")
    return "\n".join(lines)


def _cells(row: AttemptRow) -> tuple[str, ...]:
    took = "" if row.ended_at is None else shown(row.ended_at - row.started_at)
    outcome = row.outcome.replace("_", " ") + (f" (retry {row.retry})" if row.retry else "")
    if row.preempted_at is not None:
        outcome += f", preempted at {shown(row.preempted_at)}"
    reason = " ".join(row.error.split())
    kind = f"{row.instance_type}{' spot' if row.use_spot else ''}"
    cost = f"${row.cost_usd:.2f}" if row.cost_usd else "-"
    short = reason if len(reason) <= _REASON else f"{reason[:_REASON]}..."
    return str(row.number), row.infra, kind, shown(row.started_at), took, outcome, row.rule or "-", cost, short


@dataclass
class _Line:
    marks: list[str] = field(default_factory=list)
    blocked: int = 0
    left_out: int = 0
    won: bool = False


def path(result: Result) -> str:
    """One line per cloud and region, in the order in which they were first tried."""
    lines: dict[str, _Line] = {}
    for row in result.attempts:
        line = lines.setdefault(f"{row.cloud}/{row.region}", _Line())
        line.marks.append(_MARKS.get(row.outcome, "?"))
        line.won = line.won or row.outcome == UP
    for place in result.left_out:
        line = lines.setdefault("/".join(place.split("/")[:2]), _Line())
        line.left_out += "/" in place
    for block in result.blocks:
        region = block.pattern.get("region")
        for name, line in lines.items():
            cloud, _, rest = name.partition("/")
            line.blocked += block.cloud == cloud and region in (None, rest)
    return "\n".join(_path(lines))


def _path(lines: dict[str, _Line]) -> Iterator[str]:
    width = max((len(name) for name in lines), default=0)
    cut = len(lines) - _REGIONS
    names = list(lines) if cut <= 0 else [*list(lines)[: _REGIONS // 2], *list(lines)[-_REGIONS // 2 :]]
    for number, name in enumerate(names):
        if cut > 0 and number == _REGIONS // 2:
            yield f"... {cut} more ..."
        line = lines[name]
        marks = "".join(line.marks[:60]) + (f"... {len(line.marks)}" if len(line.marks) > 60 else "")
        notes = [f"{len(line.marks)} tried"] if line.marks else []
        notes += [f"{line.blocked} blocked"] if line.blocked else []
        notes += [f"{line.left_out} left out"] if line.left_out else []
        notes += [] if "/" in name else ["the rest of it left out"]
        notes += ["won"] if line.won else []
        yield f"{name.ljust(width)}  {marks}  ({', '.join(notes)})"


def sentence(result: Result) -> str:
    """What it comes to."""
    count = len(result.attempts)
    attempts = f"{count} attempt{'s' if count != 1 else ''}"
    spent = f"${result.search_cost_usd:.2f} spent searching"
    if result.found_after is not None:
        text = f"Found after {shown(result.found_after)}, {attempts}, {spent}"
        text += f", ${result.cost_usd:.2f} with the run" if result.cost_usd > result.search_cost_usd else ""
        text += f"; it is up on {result.infra}" if result.infra else ""
        again = result.counts.preemptions
        text += f"; preempted {again} time{'s' if again != 1 else ''}" if again else ""
        if result.status == UP.upper():
            return text + (f"; {result.reason}." if result.reason else ".")
        return f"{text}; then: {result.reason}."
    how = {"GAVE_UP": "Gave up", "ABORTED": "Aborted", "LIMIT": "Not found"}[result.status]
    return f"{how} after {shown(result.virtual_seconds)}, {attempts}, {spent}: {result.reason}."
