"""A result as people read it: the attempts, the path through clouds and regions, and one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from skyx_sim.durations import shown
from skyx_sim.grid import grid
from skyx_sim.result import FAILED, UP, AttemptRow, Result

_SHOWN = 30
_TOLD = 500  # of very many, so many at the most that didn't just fail
_REGIONS = 12
_PATH = 60
_HEADERS = ("#", "WHERE", "TYPE", "START", "TOOK", "OUTCOME", "RULE", "COST", "REASON")
_MARKS = {"up": "*", "failed": "x", "cancelled": "-", "too_late": "-", "running": "~"}
_PREEMPTED = "!"


def render(result: Result, width: int | None = None) -> str:
    """The whole text. ``width``: of the terminal that shows it; None: no line is too long."""
    parts = [table(result.attempts, width), path(result, width), sentence(result)]
    return "\n\n".join(part for part in parts if part)


def table(rows: Sequence[AttemptRow], width: int | None = None) -> str:
    """One line per attempt. Of very many the first and the last, and in the middle those that didn't fail."""
    if not rows:
        return ""
    shown_rows = list(_shown(rows))
    head, *lines = grid(_HEADERS, [_cells(rows[at]) for at in shown_rows], width)
    text, before = [head], -1
    for at, line in zip(shown_rows, lines, strict=True):
        text += [f"... {at - before - 1:,} more ..."] if at > before + 1 else []
        text.append(line)
        before = at
    return "\n".join(text)


def _shown(rows: Sequence[AttemptRow]) -> Iterator[int]:
    """Which rows have a line, in order."""
    first, last, told = _SHOWN // 2, len(rows) - _SHOWN // 2, 0
    for at, row in enumerate(rows):
        inside = first <= at < last
        if inside and row.outcome != FAILED and told < _TOLD:
            told += 1
        elif inside:
            continue
        yield at


def _cells(row: AttemptRow) -> tuple[str, ...]:
    took = "" if row.ended_at is None else shown(row.ended_at - row.started_at)
    outcome = row.outcome.replace("_", " ") + (f" (retry {row.retry})" if row.retry else "")
    if row.preempted_at is not None:
        outcome += f", preempted at {shown(row.preempted_at)}"
    reason = " ".join(row.error.split())
    kind = f"{row.instance_type}{' spot' if row.use_spot else ''}"
    cost = f"${row.cost_usd:.2f}" if row.cost_usd else "-"
    return str(row.number), row.infra, kind, shown(row.started_at), took, outcome, row.rule or "-", cost, reason


@dataclass
class _Line:
    marks: list[str] = field(default_factory=list)
    blocked: int = 0
    left_out: int = 0
    won: bool = False


def path(result: Result, width: int | None = None) -> str:
    """One line per cloud and region, in the order in which they were first tried."""
    lines: dict[str, _Line] = {}
    for row in result.attempts:
        line = lines.setdefault(f"{row.cloud}/{row.region}", _Line())
        line.marks.append(_MARKS.get(row.outcome, "?") if row.preempted_at is None else _PREEMPTED)
        line.won = line.won or row.outcome == UP
    for place in result.left_out:
        line = lines.setdefault("/".join(place.split("/")[:2]), _Line())
        line.left_out += "/" in place
    for block in result.blocks:
        region = block.pattern.get("region")
        for name, line in lines.items():
            cloud, _, rest = name.partition("/")
            line.blocked += block.cloud == cloud and region in (None, rest)
    return "\n".join(_path(lines, width))


def _path(lines: dict[str, _Line], width: int | None) -> Iterator[str]:
    longest = max((len(name) for name in lines), default=0)
    cut = len(lines) - _REGIONS
    names = list(lines) if cut <= 0 else [*list(lines)[: _REGIONS // 2], *list(lines)[-_REGIONS // 2 :]]
    for number, name in enumerate(names):
        if cut > 0 and number == _REGIONS // 2:
            yield f"... {cut} more ..."
        line = lines[name]
        notes = f"  ({', '.join(_notes(name, line))})"
        room = _PATH if width is None else min(_PATH, max(1, width - longest - len(notes) - 10))
        marks = "".join(line.marks[:room]) + ("..." if len(line.marks) > room else "")
        yield f"{name.ljust(longest)}  {marks}{notes}"


def _notes(name: str, line: _Line) -> Iterator[str]:
    if line.marks:
        yield f"{len(line.marks)} tried"
    if line.blocked:
        yield f"{line.blocked} blocked"
    if line.left_out:
        yield f"{line.left_out} left out"
    if "/" not in name:
        yield "the rest of it left out"
    if line.won:
        yield "won"


def sentence(result: Result) -> str:
    """What it comes to."""
    attempts = counted(len(result.attempts), "attempt")
    spent = f"${result.search_cost_usd:.2f} spent searching"
    if result.found_after is not None:
        text = f"Found after {shown(result.found_after)}, {attempts}, {spent}"
        text += f", ${result.cost_usd:.2f} with the run" if result.cost_usd > result.search_cost_usd else ""
        text += f"; it is up on {result.infra}" if result.infra else ""
        text += f"; {_end(result)}" if result.ran_seconds else ""
        if result.status == UP.upper():
            return text + (f"; {result.reason}." if result.reason else ".")
        return f"{text}; then: {result.reason}."
    how = {"GAVE_UP": "Gave up", "ABORTED": "Aborted", "LIMIT": "Not found"}[result.status]
    return f"{how} after {shown(result.virtual_seconds)}, {attempts}, {spent}: {result.reason}."


def _end(result: Result) -> str:
    """How the time until the end was spent."""
    whole = result.status == UP.upper() and not result.reason
    searched = max(0.0, round(result.virtual_seconds - result.ran_seconds, 3))
    text = f"{'done' if whole else 'not done, ended'} after {shown(result.virtual_seconds)}: "
    text += f"{shown(result.ran_seconds)} of run, {shown(searched)} searching"
    text += f" in {counted(result.counts.searches, 'search', 'es')}"
    return text + (f", {counted(result.counts.preemptions, 'preemption')}" if result.counts.preemptions else "")


def counted(number: int, what: str, plural: str = "s") -> str:
    """``1 attempt``, ``2 attempts``."""
    return f"{number:,} {what}{plural if number != 1 else ''}"
