"""Draw docs/architecture.svg from the import contracts in .importlinter. ``--check``: is it current?"""

from __future__ import annotations

import configparser
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
CONTRACTS = ROOT / ".importlinter"
PICTURE = ROOT / "docs" / "architecture.svg"

WIDTH, MARGIN, ROW, GAP = 960, 24, 46, 18
LEFT, RIGHT = 24, 700  # the column of core's layers
SAYS = {
    "cli": "the command line",
    "session": "the embedding API",
    "cluster": "life cycle, and the client of the agent",
    "hooks": "plugins: found, loaded, called",
    "state": "what is on disk and on nodes",
    "failover": "pure: no input, no output",
    "api": "all that a plugin imports",
    "hookspecs": "verbs and nouns",
    "results": "what the API returns",
    "models": "what crosses the border",
    "calls": "limits, fences, faults",
    "clock": "time and errors",
}


@dataclass(frozen=True)
class Layer:
    """Modules that may import one another, and everything below."""

    modules: tuple[str, ...]

    @property
    def says(self) -> str:
        return SAYS.get(self.modules[0], "")


def layers(path: Path = CONTRACTS) -> list[Layer]:
    """From the top down."""
    parser = configparser.ConfigParser()
    parser.read(path, encoding="utf-8")
    lines = parser["importlinter:contract:layers"]["layers"].split("\n")
    rows = [[part.strip(" ()") for part in line.replace("|", ":").split(":")] for line in lines if line.strip()]
    return [Layer(tuple(row)) for row in rows]


def text(x: float, y: float, words: str, style: str = "name", anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{style}" text-anchor="{anchor}">{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, style: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" class="{style}"/>'


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="arrow" marker-end="url(#head)"/>'


def draw_layer(layer: Layer, y: float) -> list[str]:
    """One row: its modules as boxes of a width that fits their names, and what it is for at the side."""
    room = RIGHT - LEFT - 2 * 10
    total = sum(len(name) + 3 for name in layer.modules)
    parts = [box(LEFT, y, RIGHT - LEFT, ROW, "pure" if layer.says.startswith("pure") else "layer")]
    x: float = LEFT + 10
    for name in layer.modules:
        width = room * (len(name) + 3) / total
        style = "api" if name == "api" else "module"
        parts += [box(x + 2, y + 7, width - 4, ROW - 24, style), text(x + width / 2, y + 22, name)]
        x += width
    return [*parts, text(LEFT + 12, y + ROW - 5, layer.says, "note", "start")]


def draw_side(top: Mapping[str, float], bottom: float) -> list[str]:
    """Plugins on the right, which know the api only; the agent below, which knows nothing of core."""
    x, width = RIGHT + 70, WIDTH - RIGHT - 70 - MARGIN
    middle = top["api"] + ROW / 2
    return [
        box(x, middle - 60, width, 120, "plugin"),
        text(x + width / 2, middle - 34, "plugins"),
        text(x + width / 2, middle - 14, "skyx_local", "note"),
        text(x + width / 2, middle + 4, "one distribution", "note"),
        text(x + width / 2, middle + 20, "per cloud, executor,", "note"),
        text(x + width / 2, middle + 36, "listener, command", "note"),
        arrow(x, middle, RIGHT + 4, middle),
        text((x + RIGHT) / 2, middle - 8, "imports", "note"),
        box(x, bottom - ROW - 20, width, ROW + 20, "agent"),
        text(x + width / 2, bottom - 42, "skyx_agent"),
        text(x + width / 2, bottom - 24, "on the cluster;", "note"),
        text(x + width / 2, bottom - 8, "imports nothing of core", "note"),
    ]


STYLE = """
text { font-family: 'DejaVu Sans', Verdana, sans-serif; fill: #1c2733; }
.title { font-size: 17px; font-weight: bold; } .name { font-size: 12px; } .note { font-size: 10.5px; fill: #4d5d6c; }
.layer { fill: #eef3f8; stroke: #b9c7d5; } .pure { fill: #eaf6ec; stroke: #9fcaa8; }
.module { fill: #ffffff; stroke: #7d93a8; } .api { fill: #ffe9b8; stroke: #c79a2b; }
.plugin { fill: #fff6e0; stroke: #c79a2b; } .agent { fill: #f3ecf8; stroke: #a98bc2; }
.arrow { stroke: #1c2733; stroke-width: 1.4; }
"""


def draw(rows: list[Layer]) -> str:
    """The picture, byte for byte the same for the same contracts."""
    start = 76
    top = {name: start + number * (ROW + GAP) for number, row in enumerate(rows) for name in row.modules}
    bottom = start + len(rows) * (ROW + GAP) - GAP
    middle = (LEFT + RIGHT) / 2
    parts = [text(LEFT, 32, "What may import what in skyx", "title", "start")]
    parts.append(text(LEFT, 54, "Each layer of skyx_core imports only from those below it.", "note", "start"))
    for number, row in enumerate(rows):
        y = start + number * (ROW + GAP)
        parts += draw_layer(row, y)
        if number + 1 < len(rows):
            parts.append(arrow(middle, y + ROW, middle, y + ROW + GAP - 2))
    parts += draw_side(top, bottom)
    height = bottom + MARGIN
    head = (
        '<marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path d="M 0 0 L 10 5 L 0 10 z" fill="#1c2733"/></marker>'
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            'aria-label="The layers of skyx and what may import what">',
            f"<defs>{head}<style>{STYLE}</style></defs>",
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def main(arguments: list[str]) -> int:
    """Write the picture, or with ``--check`` compare it; 1 = not current."""
    picture = draw(layers())
    if arguments == ["--check"]:
        current = PICTURE.is_file() and PICTURE.read_text(encoding="utf-8") == picture
        if not current:
            print(f"{PICTURE} is not current: run python {Path(__file__).name}", file=sys.stderr)
        return 0 if current else 1
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
