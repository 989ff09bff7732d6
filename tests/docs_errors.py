"""The table of error codes in the docs, from the error classes. ``python tests/docs_errors.py`` writes it again."""

from __future__ import annotations

from pathlib import Path

from skyx_core.errors import SkyxError

PAGE = Path(__file__).resolve().parents[1] / "docs" / "troubleshooting.md"
BEGIN, END = "<!-- codes -->\n", "<!-- end of codes -->\n"


def classes(base: type[SkyxError] = SkyxError) -> list[type[SkyxError]]:
    """The error tree of core, by code."""
    found = [base]
    for child in base.__subclasses__():
        if child.__module__ == "skyx_core.errors":
            found += classes(child)
    return sorted(found, key=lambda error: error.code)


def table() -> str:
    """Markdown."""
    rows = ["| code | exit | error | what it means |", "|---|---|---|---|"]
    for error in classes():
        says = (error.__doc__ or "").strip().split("\n\n")[0].replace("``", "`")
        rows.append(f"| `{error.code}` | {error.exit_code} | `{error.__name__}` | {' '.join(says.split())} |")
    return "\n".join(rows) + "\n"


def written(text: str) -> str:
    """The page with the table of today."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
