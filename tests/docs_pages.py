"""Pages of the documentation as lists of blocks, and one shell per page that runs them.

Marks are HTML comments on the line before a block:

``<!-- not run: reason -->``   the block is only shown.
``<!-- file: NAME -->``        the block is written to NAME in the page's folder.
``<!-- settings -->``          a YAML block that holds settings, not a task.
``<!-- output -->``            a text block: what the Python block before it prints.
``<!-- varies: WORD, ... -->`` what of the output may differ: address, seconds, time, number, order.

In shown output a line ``...`` stands for any lines and ``...`` within a line for any text.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)")
MARK = re.compile(r"^ *<!-- (?P<word>not run|file|settings|output|varies)(?:: (?P<value>.*?))? -->$")
SEPARATOR = "\x1e"
VARIES = {
    "address": r"\b127(\.\d{1,3}){3}\b",
    "seconds": r"\b\d+(\.\d+)? s\b",
    "time": r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?",
    "number": r"\b\d+(\.\d+)?\b",
}


@dataclass(frozen=True)
class Block:
    """One fenced block. ``line`` counts from 1; ``marks`` are the comments right above it."""

    page: str
    line: int
    language: str
    text: str
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def run(self) -> bool:
        return "not run" not in self.marks


def pages() -> list[str]:
    """README and every page that is written by hand."""
    found = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    return ["README.md", *(page for page in found if not page.startswith("docs/reference/"))]


def blocks(page: str, text: str | None = None) -> list[Block]:
    """All fenced blocks of a page, in order. ``ValueError`` for one that isn't closed or has no language."""
    lines = (text if text is not None else (ROOT / page).read_text(encoding="utf-8")).splitlines()
    found: list[Block] = []
    marks: dict[str, str] = {}
    number = 0
    while number < len(lines):
        line = lines[number]
        if mark := MARK.match(line):
            marks[mark["word"]] = mark["value"] or ""
        elif fence := FENCE.match(line):
            end = next((n for n in range(number + 1, len(lines)) if lines[n].strip() == "```"), None)
            if end is None or not fence["language"]:
                raise ValueError(f"{page}:{number + 1}: the block is not closed, or names no language")
            indent = len(fence["indent"])
            body = "".join(f"{row[indent:]}\n" for row in lines[number + 1 : end])
            found.append(Block(page, number + 1, fence["language"], body, marks))
            marks, number = {}, end
        elif line.strip():
            marks = {}
        number += 1
    return found


@dataclass(frozen=True)
class Step:
    """One shell command, and the output that the page shows (None = not shown)."""

    block: Block
    command: str
    expected: str | None


def console_steps(block: Block) -> Iterator[Step]:
    """``$ command`` lines (continued by ``> ``), each with the output below it."""
    command, output = "", ""
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if command:
                yield Step(block, command, output)
            command, output = line[2:], ""
        elif line.startswith("> ") and not output:
            command += f"\n{line[2:]}"
        elif not command:
            raise ValueError(f"{block.where}: a console block begins with '$ command'")
        else:
            output += f"{line}\n"
    yield Step(block, command, output)


def steps(found: Sequence[Block]) -> list[Step]:
    """What the shell of a page runs, in the order of the page."""
    made: list[Step] = []
    for position, block in enumerate(found):
        if not block.run:
            continue
        if "file" in block.marks:
            name = block.marks["file"]
            made.append(Step(block, f"mkdir -p $(dirname '{name}'); cat > '{name}' <<'END'\n{block.text}END", None))
        elif block.language == "console":
            made.extend(console_steps(block))
        elif block.language == "bash":
            made.append(Step(block, block.text, None))
        elif block.language == "python":
            after = found[position + 1] if position + 1 < len(found) else None
            shown = after.text if after is not None and "output" in after.marks else None
            marked = after if shown is not None and after is not None else block
            made.append(Step(marked, f"python - <<'END'\n{block.text}END", shown))
    return made


@dataclass(frozen=True)
class Outcome:
    """What one step printed (stdout and stderr as they came) and its exit status."""

    step: Step
    output: str
    status: int


def environ(folder: Path) -> dict[str, str]:
    """Of a newcomer's shell: nothing of skyx but folders of the page's own; pip takes nothing from the network."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SKYX_", "PYTHON", "PIP_", "COV_"))}
    return {
        **kept,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(folder / "home"),
        "SKYX_HOME": str(folder / "skyx"),
        "SKYX_LOCAL_LEDGER": str(folder / "ledger"),
        "PYTHONPATH": str(folder / "site"),
        "COLUMNS": "400",  # pages show lines as they are where nothing limits their width
        "PIP_TARGET": str(folder / "site"),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this one the other way round
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
    }


def run_page(page: str, folder: Path, limit: float = 240) -> list[Outcome]:
    """Run all steps of a page in one shell, in ``folder``; clusters are taken down at the end, whatever happened."""
    todo = steps(blocks(page))
    work = folder / "work"
    for name in ("home", "site", "work"):
        (folder / name).mkdir(parents=True)
    shutil.copytree(ROOT / "examples", work / "examples")
    script = "".join(f"{_between(number)}\n{step.command}\n" for number, step in enumerate(todo)) + _between(len(todo))
    variables = environ(folder)
    try:
        done = subprocess.run(
            ["bash", "-c", f"exec 2>&1\n{script}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit,
            cwd=work,
            env=variables,
            check=False,
        )
    finally:
        subprocess.run(
            ["skyx", "down", "--all", "-y"], capture_output=True, timeout=60, cwd=work, env=variables, check=False
        )
    return _outcomes(todo, done.stdout)


def _between(number: int) -> str:
    """Print the status of the step before, and leave it as it was for the next one to ask."""
    return f"skyx_docs=$?; printf '{SEPARATOR}{number} %d\\n' $skyx_docs; (exit $skyx_docs)"


def _outcomes(todo: Sequence[Step], output: str) -> list[Outcome]:
    parts = output.split(SEPARATOR)[1:]
    found = []
    for number, step in enumerate(todo):
        if number + 1 >= len(parts):
            raise AssertionError(f"{step.block.where}: the shell ended at {step.command!r}:\n{output}")
        status = int(parts[number + 1].split("\n", 1)[0].split()[1])
        found.append(Outcome(step, parts[number].split("\n", 1)[1], status))
    return found


def _normal(text: str, words: Sequence[str]) -> list[str]:
    for word in words:
        if word != "order":
            text = re.sub(VARIES[word], f"<{word}>", text)
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return sorted(lines) if "order" in words else lines


def same(shown: str, printed: str, varies: str = "") -> bool:
    """Whether output is what the page shows. Runs of blanks count as one; empty lines don't count."""
    words = [word.strip() for word in varies.split(",") if word.strip()]
    if "order" in words and any(line.strip() == "..." for line in shown.splitlines()):
        raise ValueError("lines in any order can't be left out with '...'")
    pattern = ""
    for line in _normal(shown, words):
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("...")) + r"\n"
    text = "".join(f"{line}\n" for line in _normal(printed, words))
    return re.fullmatch(pattern, text) is not None
