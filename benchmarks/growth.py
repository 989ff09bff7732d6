"""How cost grows with the size of the work: lines on two logarithmic scales, ours beside floors and peers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, floor, log10
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 420, 70, 210, 60, 50
OURS, FLOOR, PEERS = ("#3b6fb6", "#46a6a0", "#1d3557"), "#999999", ("#c8553d", "#e0a03a", "#7b4fa3")
Record = Mapping[str, object]
Points = Mapping[str, Mapping[float, float]]


def names(rows: Iterable[Record]) -> list[str]:
    """Benchmarks that were measured at three sizes or more."""
    sizes: dict[str, set[object]] = {}
    for row in rows:
        if row.get("size"):
            sizes.setdefault(str(row["name"]), set()).add(row["size"])
    return [name for name, found in sizes.items() if len(found) >= 3]


def lines_of(rows: Sequence[Record], name: str) -> Points:
    """Label -> size -> figure. One line of ours for each kind of size; the floor; each peer."""
    sized = [row for row in rows if row["name"] == name and row.get("size")]
    kinds = dict.fromkeys(_kind(row) for row in sized)
    found: dict[str, dict[float, float]] = {_ours(kind, kinds): {} for kind in kinds}
    for row in sized:
        size, ours = float(str(row["size"])), _ours(_kind(row), kinds)
        for label, value in ((ours, row["ours"]), ("floor", row["floor"]), (str(row["peer_is"]), row["peer"])):
            if value is not None:
                found.setdefault(label, {}).setdefault(size, float(str(value)))
    return found


def _kind(row: Record) -> str:
    """``21 zones, to the peer mended`` is of the kind ``zones``."""
    return re.sub(r"^[\d,]+ ", "", str(row["what"]).partition(",")[0])


def _ours(kind: str, kinds: Mapping[str, None]) -> str:
    return "skyx" if len(kinds) == 1 else f"skyx, {kind}"


def draw(title: str, about: str, unit: str, lines: Points) -> str:
    """The whole picture."""
    xs = _span(size for points in lines.values() for size in points)
    ys = _span(value for points in lines.values() for value in points.values())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="10" y="20" font-size="15" font-weight="bold">{escape(title)}</text>',
        f'<text x="10" y="38" fill="#555555">{escape(about)}</text>',
        *_grid(xs, ys, unit),
    ]
    labels: list[tuple[float, str]] = []
    for (label, points), colour in zip(lines.items(), _colours(lines), strict=False):
        parts += _line(sorted(points.items()), colour, xs, ys)
        labels.append((_y(points[max(points)], ys), f'fill="{colour}">{escape(label)}</text>'))
    return "\n".join([*parts, *_labels(labels), "</svg>"]) + "\n"


def _colours(lines: Iterable[str]) -> Iterator[str]:
    peers = iter(PEERS)
    ours = iter(OURS)
    for label in lines:
        yield FLOOR if label == "floor" else next(ours if label.startswith("skyx") else peers, FLOOR)


def _span(values: Iterable[float]) -> tuple[int, int]:
    """Powers of ten around positive values."""
    known = [value for value in values if value > 0]
    low, high = floor(log10(min(known))), ceil(log10(max(known)))
    return low, max(high, low + 1)


def _x(size: float, span: tuple[int, int]) -> float:
    return LEFT + (log10(size) - span[0]) / (span[1] - span[0]) * (WIDTH - LEFT - RIGHT)


def _y(value: float, span: tuple[int, int]) -> float:
    at = (log10(max(value, 10.0 ** span[0])) - span[0]) / (span[1] - span[0])
    return HEIGHT - BOTTOM - at * (HEIGHT - TOP - BOTTOM)


def _grid(xs: tuple[int, int], ys: tuple[int, int], unit: str) -> Iterator[str]:
    left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM
    for power in range(xs[0], xs[1] + 1):
        at = _x(10.0**power, xs)
        yield f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{bottom}" stroke="#e0e0e0"/>'
        yield f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle" fill="#555555">{10**power:,}</text>'
    for power in range(ys[0], ys[1] + 1):
        at = _y(10.0**power, ys)
        yield f'<line x1="{left}" y1="{at:.1f}" x2="{right}" y2="{at:.1f}" stroke="#e0e0e0"/>'
        label = f"{10.0**power:g} {unit}"
        yield f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end" fill="#555555">{escape(label)}</text>'


def _line(points: Sequence[tuple[float, float]], colour: str, xs: tuple[int, int], ys: tuple[int, int]) -> list[str]:
    places = [(_x(size, xs), _y(value, ys)) for size, value in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots]


def _labels(labels: Iterable[tuple[float, str]]) -> Iterator[str]:
    """At the heights of the lines' ends, but never over one another."""
    last = 0.0
    for wanted, text in sorted(labels):
        last = max(wanted + 4, last + 15)
        yield f'<text x="{WIDTH - RIGHT + 10}" y="{last:.1f}" {text}'
