"""Everything that was tried in vain, as one table that a person can read: equal rows once, long texts wrapped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from skyx_core.cli.fitting import folded, laid, narrowed
from skyx_core.cli.shown import in_cell

Row = Sequence[str]  # infra, resources, reason, hint
HEADERS = ("INFRA", "RESOURCES", "REASON", "HINT")
_WIDTHS = (30, 22, 40, 26)  # of a terminal of 120 columns or more
_NARROW = (20, 12, 24, 14)  # of one of 80
_MOST_ROWS = 40
_MOST_PLACES = 4


@dataclass(slots=True)
class _Merged:
    """Rows that say the same. ``reason`` and ``hint``: with a row's own zone and region taken out once they differ.
    ``places``: how often each was met.
    """

    resources: str
    reason: str
    hint: str
    places: dict[str, int] = field(default_factory=dict)


def attempts_table(rows: Iterable[Row], most: int = _MOST_ROWS, width: int | None = None) -> list[str]:
    """Lines of the table; what is beyond ``most`` rows is counted at its end. ``width``: of the terminal, if any."""
    merged = _merge(rows)
    texts = [_texts(one) for one in merged[:most]]
    shown = [i for i in range(len(HEADERS)) if i < 3 or any(cells[i] != [""] for cells in texts)]
    natural = [max(len(HEADERS[i]), *(len(part) for cells in texts for part in cells[i])) for i in shown]
    widths = [min(size, _WIDTHS[i]) for i, size in zip(shown, natural, strict=True)]
    if width is not None:
        widths = narrowed(
            widths, ([_NARROW[i] for i in shown], [len(HEADERS[i]) for i in shown]), width - 2 * (len(shown) - 1)
        )
    lines = list(laid([[HEADERS[i]] for i in shown], widths))
    for cells in texts:
        lines += laid([_within(cells[i], size) for i, size in zip(shown, widths, strict=True)], widths)
    if len(merged) > most:
        lines.append(f"... and {len(merged) - most} more; -o json shows all")
    return lines


def _merge(rows: Iterable[Row]) -> list[_Merged]:
    found: dict[tuple[str, str, str], _Merged] = {}
    for infra, resources, *texts in rows:
        reason, hint = (" ".join(text.split()) for text in texts)
        plain = (_without_place(reason, infra), _without_place(hint, infra))
        one = found.setdefault((resources, *plain), _Merged(resources, reason, hint))
        one.reason = reason if one.reason == reason else plain[0]
        one.hint = hint if one.hint == hint else plain[1]
        one.places[infra] = one.places.get(infra, 0) + 1
    return list(found.values())


def _without_place(text: str, infra: str) -> str:
    """``no room in east-a`` and ``no room in east-b`` say the same of two zones."""
    for part, word in reversed(list(zip(infra.split("/")[1:], ("<region>", "<zone>"), strict=False))):
        if len(part) > 1 and part in text:
            text = re.sub(rf"(?<![\w-]){re.escape(part)}(?![\w-])", word, text)
    return text


def _texts(one: _Merged) -> list[list[str]]:
    """Each cell as the parts of which each begins a line."""
    texts = (one.resources, one.reason, one.hint)
    return [[in_cell(part) for part in _infra(one.places)], *([in_cell(" ".join(text.split()))] for text in texts)]


def _within(parts: Sequence[str], width: int) -> list[str]:
    return [line for part in parts for line in folded(part, width, len(part) + 1)]


def _infra(places: dict[str, int]) -> Iterator[str]:
    """One line per region, or one per cloud where there are too many."""
    regions = _grouped(places, 2)
    if len(regions) <= _MOST_PLACES:
        for region, zones in regions.items():
            yield _counted(region, zones, places)
        return
    for cloud, inside in _grouped(places, 1).items():
        count = len(_grouped(inside, 2))
        beside = f", {len(inside)} zones" if len(inside) > count else ""
        whole = f"{cloud} ({count} regions{beside})"
        yield whole if count > 1 else _counted("/".join(inside[0].split("/")[:2]), inside, places)


def _counted(region: str, zones: Sequence[str], places: dict[str, int]) -> str:
    if len(zones) > 1:
        return f"{region} ({len(zones)} zones)"
    times = places[zones[0]]
    return f"{zones[0]} ({times} times)" if times > 1 else zones[0]


def _grouped(places: Iterable[str], parts: int) -> dict[str, list[str]]:
    """By the first parts of their names, in the order in which they came."""
    groups: dict[str, list[str]] = {}
    for place in places:
        groups.setdefault("/".join(place.split("/")[:parts]), []).append(place)
    return groups
