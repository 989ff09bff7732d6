"""Pictures of a result file: bars of ratios on a logarithmic scale, and lines of what grows."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil, floor, log10
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks import growth
from benchmarks.places import REPOSITORY

TARGET = REPOSITORY / "docs" / "benchmarks"
WIDTH, LEFT, RIGHT, ROW, TOP = 860, 330, 90, 24, 54
OURS, MISSED, GOAL = "#3b6fb6", "#c8553d", "#2e7d32"
Record = Mapping[str, object]
Scale = Callable[[float], float]


def main(source: Path, target: Path = TARGET) -> int:
    """Writes ``floors.svg``, ``peers.svg`` where a peer was measured, and ``growth-NAME.svg`` where there are sizes. 2
    for a file that can't be read.
    """
    try:
        data = json.loads(source.read_text())
        rows, about = list(data["rows"]), _about(data)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{source}: not a file of 'python -m benchmarks --json': {error}", file=sys.stderr)
        return 2
    target.mkdir(parents=True, exist_ok=True)
    floors = [_Bar.of(row, "ratio", "at_most") for row in rows if row["ratio"]]
    (target / "floors.svg").write_text(draw("Times its floor (left is better)", about, floors))
    peers = [_Bar.of(row, "times_faster", "") for row in rows if row["times_faster"]]
    if peers:
        (target / "peers.svg").write_text(draw("Times faster than the peer (right is better)", about, peers))
    for name in growth.names(rows):
        unit = next(str(row["unit"]) for row in rows if row["name"] == name and row.get("size"))
        text = growth.draw(f"{name}: how cost grows (lower is better)", about, unit, growth.lines_of(rows, name))
        (target / f"growth-{name}.svg").write_text(text)
    return 0


def _about(data: Mapping[str, Mapping[str, object]]) -> str:
    found = data["machine"]
    quick = ", quick run" if data["quick"] else ""
    cpu = f"{found['cores']} cores, {found['cpu']}, {found['memory_gib']} GiB"
    return f"{data['date']}: {cpu}, Python {found['python']}, load {found['load']}{quick}"


class _Bar:
    def __init__(self, label: str, value: float, goal: float | None, missed: bool) -> None:
        self.label, self.value, self.goal, self.missed = label, value, goal, missed

    @classmethod
    def of(cls, row: Record, key: str, goal: str) -> _Bar:
        text = str(row.get("goal") or "")
        bound = float(text[3:-1]) if goal and text.startswith("<= ") and text.endswith("x") else None
        if not goal and isinstance(row.get("peer_goal"), int | float):
            bound = float(str(row["peer_goal"]))
        met = row.get("met") if goal else row.get("peer_met")
        return cls(f"{row['name']}: {row['what']}", float(str(row[key])), bound, met is False and bound is not None)


def draw(title: str, about: str, bars: Sequence[_Bar]) -> str:
    """The whole picture."""
    values = [bar.value for bar in bars] + [bar.goal for bar in bars if bar.goal] + [1.0]
    low, high = floor(log10(min(values))), max(ceil(log10(max(values))), 1)
    height = TOP + ROW * len(bars) + 30

    def x(value: float) -> float:
        return LEFT + (log10(value) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="10" y="20" font-size="15" font-weight="bold">{escape(title)}</text>',
        f'<text x="10" y="38" fill="#555555">{escape(about)}</text>',
        *_grid(low, high, height, x),
    ]
    for number, bar in enumerate(bars):
        lines += _bar(bar, TOP + ROW * number, x)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _grid(low: int, high: int, height: int, x: Scale) -> Iterator[str]:
    for power in range(low, high + 1):
        at, colour = x(10.0**power), "#999999" if power == 0 else "#e0e0e0"
        yield f'<line x1="{at:.1f}" y1="{TOP - 6}" x2="{at:.1f}" y2="{height - 24}" stroke="{colour}"/>'
        yield f'<text x="{at:.1f}" y="{height - 8}" text-anchor="middle" fill="#555555">{10.0**power:g}x</text>'


def _bar(bar: _Bar, top: float, x: Scale) -> Iterator[str]:
    start, end = sorted((x(1.0), x(bar.value)))
    colour = MISSED if bar.missed else OURS
    yield f'<text x="{LEFT - 10}" y="{top + 15}" text-anchor="end">{escape(bar.label)}</text>'
    size = f'width="{max(end - start, 1.5):.1f}" height="{ROW - 9}"'
    yield f'<rect x="{start:.1f}" y="{top + 4}" {size} fill="{colour}"/>'
    if bar.goal:
        at = x(bar.goal)
        line = f'x1="{at:.1f}" y1="{top + 1}" x2="{at:.1f}" y2="{top + ROW - 2}"'
        yield f'<line {line} stroke="{GOAL}" stroke-width="2"/>'
    yield f'<text x="{end + 6:.1f}" y="{top + 15}">{bar.value:.3g}x</text>'
