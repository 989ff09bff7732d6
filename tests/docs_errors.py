"""The table of error codes in the docs, from the error classes. ``python tests/docs_errors.py`` writes it again."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from skyx_core.errors import SkyxError

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "troubleshooting.md"
BEGIN, END = "<!-- codes -->\n", "<!-- end of codes -->\n"
SOURCES = ROOT / "skyx_core" / "src"
CODED = re.compile(r"^class (\w+)\(.*\):\n(?:(?!class ).*\n)*?    code(?:: ClassVar\[str\])? = \"SKYX-E", re.MULTILINE)


def classes() -> list[type[SkyxError]]:
    """Every class of core that has a code of its own, by code; of several with one code the one in ``errors``."""
    found: dict[str, type[SkyxError]] = {}
    paths = (SOURCES / "skyx_core").rglob("*.py")
    for path in sorted(paths, key=lambda path: (path.name != "errors.py", "cli" in path.parts, path)):
        for name in CODED.findall(path.read_text(encoding="utf-8")):
            module = ".".join(path.relative_to(SOURCES).with_suffix("").parts)
            error: type[SkyxError] = getattr(importlib.import_module(module), name)
            found.setdefault(error.code, error)
    return [found[code] for code in sorted(found)]


def table() -> str:
    """Markdown."""
    rows = ["| code | exit | error | what it means |", "|---|---|---|---|"]
    for error in classes():
        says = (error.__doc__ or "").strip().split("\n\n")[0].replace("``", "`")
        rows.append(
            f"| `{error.code}` | {error.exit_code} | `{error.__name__.strip('_')}` | {' '.join(says.split())} |"
        )
    return "\n".join(rows) + "\n"


def written(text: str) -> str:
    """The page with the table of today."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
