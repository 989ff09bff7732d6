"""The path of a launch through clouds, regions and zones, as lines to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skyx_core.cli.fitting import folded
from skyx_core.cli.patterns import pattern_text
from skyx_core.cli.shown import in_cell
from skyx_core.results import to_iso
from skyx_core.spans import UNTIL_FIXED, span, took, until_fixed

if TYPE_CHECKING:
    from skyx_core.results import Json

_COLORS = {
    "UP": "32",
    "FAILED": "31",
    "SKIPPED": "33",
    "LEFT OUT": "33",
    "RETRY": "33",
    "GAVE UP": "31",
    "WAITED": "36",
    "INTERRUPTED": "31",
    "ENDED": "31",
}
_HEADING = "LAUNCH"
_ENDS = frozenset({"UP", "GAVE UP", "INTERRUPTED", "ENDED"})
_NARROWEST = 20  # of a text on a terminal
_SKIPS_SHOWN = 3


@dataclass
class Stop:
    """One place on the path, with lines below it. ``LAUNCH``: no place, but the heading of what follows."""

    what: str
    where: str
    details: list[str] = field(default_factory=list)


def path(events: Sequence[Mapping[str, Json]]) -> list[Stop]:
    """What happened to each place, in order; launches one after the other."""
    stops: list[Stop] = []
    started: dict[object, float] = {}
    for event in events:
        kind = str(event.get("kind", ""))
        if kind == "attempt_started":
            started[event.get("attempt")] = _number(event.get("time"))
        elif kind == "attempt_failed":
            stops.append(_failed(event, started))
        elif kind == "cluster_up" and started:
            last = max(started.values())
            where = _last_place(events, event)
            stops.append(Stop("UP", where, [f"after {took(_number(event.get('time')) - last)}"]))
            started = {}
        elif kind == "launch_started":
            stops += [*_broken_off(stops), Stop(_HEADING, _heading(event))]
            started = {}
        elif kind == "launch_ended":
            stops += _broken_off(stops, str(event.get("status") or ""))
        elif kind in _ALONE:
            stops += _ALONE[kind](event)
    return stops


def _heading(event: Mapping[str, Json]) -> str:
    """When the launch began, and with which command."""
    data = event.get("data")
    command = data.get("command") if isinstance(data, dict) else ""
    began = to_iso(_number(event.get("time")))
    return f"{began}  {_one_line(str(command))}" if command else began


def _broken_off(stops: Sequence[Stop], status: str = "") -> list[Stop]:
    """How the last launch ended, if its stops don't say it. ``status``: as its end says."""
    if not stops or stops[-1].what in _ENDS:
        return []
    if status == "interrupted":
        return [Stop("INTERRUPTED", "nothing was left behind")]
    return [Stop("ENDED", "before anything was up: it was interrupted or failed")]


def render(stops: Sequence[Stop], *, color: bool, columns: int | None = None) -> str:
    """The lines; empty if nothing was searched for. ``columns``: of the terminal, where what is longer goes on below
    and is cut after a few lines; None = each text is one line, whole.
    """
    width = max((len(stop.what) for stop in stops if stop.what != _HEADING), default=0)
    lines: list[str] = []
    for number, stop in enumerate(stops):
        if stop.what == _HEADING:
            text = _fitted(f"Launch of {stop.where}", columns, 0)
            lines += [*([""] if lines else []), *(f"\033[1m{one}\033[0m" if color else one for one in text)]
            continue
        last = number == len(stops) - 1 or stops[number + 1].what == _HEADING
        lines += _lines(stop, width, last=last, color=color, columns=columns)
    return "\n".join(lines) if any(stop.what != _HEADING for stop in stops) else ""


def _lines(stop: Stop, width: int, *, last: bool, color: bool, columns: int | None) -> Iterator[str]:
    what = stop.what.ljust(width)
    if color:
        what = f"\033[{_COLORS.get(stop.what, '0')}m{what}\033[0m"
    first, *more = _fitted(stop.where, columns, width + 5)
    yield f"{'`-' if last else '|-'} {what}  {first}"
    below = f"{' ' if last else '|'}  {' ' * width}  "
    yield from (below + line for line in more)
    for detail in filter(None, stop.details):
        yield from (f"{below}  {line}" for line in _fitted(detail, columns, width + 7))


def _fitted(text: str, columns: int | None, indent: int) -> list[str]:
    """The text in lines that leave room for an indent."""
    text = in_cell(text)
    if columns is None:
        return [text]
    return folded(text, max(columns - indent, _NARROWEST))


def _failed(event: Mapping[str, Json], started: Mapping[object, float]) -> Stop:
    then = str(event.get("next") or "")
    begun = started.get(event.get("attempt"))
    after = f" after {took(_number(event.get('time')) - begun)}" if begun is not None else ""
    verdict = event.get("verdict")
    category = str(verdict.get("category", "")) if isinstance(verdict, dict) else ""
    details = [
        _one_line(str(event.get("error") or "")),
        f"{category or 'failed'}{after}, rule {event.get('rule')}",
        *_blocked(event),
        _fix(event),
        f"so: {then}" if then else "",
    ]
    return Stop("RETRY" if then.startswith("retry") else "FAILED", _where(event.get("candidate")), details)


def _blocked(event: Mapping[str, Json]) -> Iterator[str]:
    blocks = event.get("blocks")
    for block in blocks if isinstance(blocks, list) else []:
        if isinstance(block, dict):
            key = block.get("key")
            what = pattern_text(key) if isinstance(key, dict) else "nothing"
            yield f"blocks {what}{_how_long(block)}"


def _how_long(block: Mapping[str, Json]) -> str:
    """With a blank before it; empty for one that ends with its launch."""
    if not block.get("until"):
        return ""
    since, until = _number(block.get("since")), _number(block.get("until"))
    fixed = until_fixed(since, until, str(block.get("fingerprint") or ""))
    return f" {UNTIL_FIXED}" if fixed else f" for {span(until - since)}"


def _fix(event: Mapping[str, Json]) -> str:
    """What to do about it, as its rule says."""
    verdict = event.get("verdict")
    hint = event.get("hint") or (verdict.get("hint") if isinstance(verdict, dict) else "")
    return f"fix: {_one_line(str(hint))}" if hint else ""


def _skipped(event: Mapping[str, Json]) -> Iterator[Stop]:
    rows = event.get("skipped")
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    for row in found[:_SKIPS_SHOWN]:
        block = row.get("block")
        facts = block if isinstance(block, dict) else {}
        fixed = until_fixed(
            _number(facts.get("since")), _number(facts.get("until")), str(facts.get("fingerprint") or "")
        )
        how_long = f" {UNTIL_FIXED}" if fixed else ""
        why = f"blocked{how_long} by {facts.get('rule')}: {_one_line(str(facts.get('reason') or ''))}"
        yield Stop("SKIPPED", _where(row.get("candidate")), [why, _fix(row)])
    if len(found) > _SKIPS_SHOWN:
        yield Stop("SKIPPED", f"and {len(found) - _SKIPS_SHOWN} more")


def _located(event: Mapping[str, Json]) -> Iterator[Stop]:
    zones = event.get("zones")
    options = [zone for zone in zones if isinstance(zone, dict)] if isinstance(zones, list) else []
    where = _where(event.get("candidate"))
    if event.get("error"):
        yield Stop("LEFT OUT", where, [_one_line(str(event["error"])), *_blocked(event), _fix(event)])
    elif not options:
        yield Stop("LEFT OUT", where, ["the region doesn't offer this instance type"])
    for option in options:
        if option.get("skip"):
            yield Stop("LEFT OUT", f"{where} in {option.get('zone')}", [str(option["skip"])])


def _last_place(events: Sequence[Mapping[str, Json]], up: Mapping[str, Json]) -> str:
    begun = [event for event in events if event.get("kind") == "attempt_started" and event is not up]
    before = [event for event in begun if _number(event.get("time")) <= _number(up.get("time"))]
    return _where(before[-1].get("candidate")) if before else "-"


def _where(candidate: Json | object) -> str:
    if not isinstance(candidate, dict):
        return "-"
    place = "/".join(str(candidate[key]) for key in ("cloud", "region", "zone") if candidate.get(key))
    counts = candidate.get("accelerators")
    gpus = ",".join(f"{name}:{count:g}" for name, count in counts.items()) if isinstance(counts, dict) else ""
    price = f"${_number(candidate.get('hourly_usd')):.2f}/h"
    market = "spot" if candidate.get("use_spot") else ""
    return "  ".join(filter(None, (place, str(candidate.get("instance_type")), gpus, market, price)))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _number(value: Json | object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _waited(event: Mapping[str, Json]) -> list[Stop]:
    return [Stop("WAITED", span(_number(event.get("seconds"))), [str(event.get("message") or "")])]


def _gave_up(event: Mapping[str, Json]) -> list[Stop]:
    return [Stop("GAVE UP", str(event.get("message") or ""))]


_ALONE: Mapping[str, Callable[[Mapping[str, Json]], Iterable[Stop]]] = {  # told without the events before them
    "candidates_skipped": _skipped,
    "zones_located": _located,
    "retry_wait": _waited,
    "gave_up": _gave_up,
}
