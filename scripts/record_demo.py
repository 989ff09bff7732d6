"""Record docs/demo.svg and docs/failover.svg: run each in a terminal of its own and draw what it shows at the end.

``python scripts/record_demo.py [demo|failover]...`` needs about 20 seconds for each. What scrolled away above is kept,
so a picture holds the whole run. ``--replay demo FILE`` draws bytes that were recorded before.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROWS = 60
LIMIT_S = 120.0
_CODE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|\x1b\][^\x07]*\x07|\x1b.")
Cell = tuple[str, str]  # (character, colour codes that are on)


@dataclass(frozen=True)
class Recording:
    """A script, and the terminal that it runs in. ``head``: what was typed, if the script doesn't show that itself."""

    script: str
    columns: int
    head: str = ""


RECORDINGS = {
    "demo": Recording("scripts/demo.sh", 96, "$ make demo"),
    "failover": Recording("scripts/failover.sh", 112),
}


class Screen:
    """As much of a terminal as progress displays use: colours, moves up and down, erasing."""

    def __init__(self) -> None:
        self.rows: list[list[Cell]] = [[]]
        self.row = self.column = 0
        self.style = ""

    def feed(self, text: str) -> None:
        position = 0
        while position < len(text):
            code = _CODE.match(text, position)
            if code is None:
                self._put(text[position])
                position += 1
            else:
                self._obey(code.group(1) or "", code.group(2) or "")
                position = code.end()

    def _put(self, character: str) -> None:
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self._move(1)
        elif character >= " ":
            line = self.rows[self.row]
            line.extend([(" ", "")] * (self.column + 1 - len(line)))
            line[self.column] = (character, self.style)
            self.column += 1

    def _move(self, down: int) -> None:
        self.row = max(0, self.row + down)
        self.rows.extend([] for _ in range(self.row + 1 - len(self.rows)))

    def _obey(self, numbers: str, letter: str) -> None:
        count = int(numbers) if numbers.isdigit() else 0
        if letter == "m":
            self.style = "" if numbers in ("", "0") else f"{self.style}\x1b[{numbers}m"
        elif letter in "AB" and letter:
            self._move((count or 1) * (1 if letter == "B" else -1))
        elif letter == "K":
            self.rows[self.row] = [] if count == 2 else self.rows[self.row][: self.column]
        elif letter == "J":
            del self.rows[self.row + 1 :]

    def text(self) -> str:
        """The lines with their colour codes."""
        lines = []
        for row in self.rows:
            line, style = "", ""
            for character, wanted in row:
                if wanted != style:
                    line, style = f"{line}\x1b[0m{wanted}", wanted
                line += character
            lines.append(f"{line}\x1b[0m".rstrip() if style else line.rstrip())
        return "\n".join(lines).strip("\n")


def record(argv: list[str], environ: dict[str, str], columns: int) -> bytes:
    """What the command writes to a terminal. ``SystemExit`` if it fails or takes longer than the limit."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    process = subprocess.Popen(
        argv, stdin=follower, stdout=follower, stderr=follower, env=environ, cwd=ROOT, start_new_session=True
    )
    os.close(follower)
    output, end = b"", time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if not select.select([leader], [], [], 0.5)[0]:
            continue
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        output += chunk
    else:
        os.killpg(process.pid, signal.SIGKILL)
    os.close(leader)
    if process.wait(timeout=10) != 0:
        sys.exit(f"{' '.join(argv)} ended with {process.returncode}:\n{output.decode(errors='replace')}")
    return output


def run(recording: Recording) -> bytes:
    """The script in folders of its own; its clusters are taken down again."""
    with tempfile.TemporaryDirectory(prefix="skyx-demo-") as folder:
        environ = {key: value for key, value in os.environ.items() if not key.startswith(("SKYX_", "NO_COLOR"))}
        environ |= {
            "SKYX_HOME": f"{folder}/home",
            "SKYX_LOCAL_LEDGER": f"{folder}/ledger",
            "TERM": "xterm-256color",
            "COLUMNS": str(recording.columns),
            "LINES": str(ROWS),
        }
        try:
            return record([recording.script], environ, recording.columns)
        finally:
            skyx = str(ROOT / ".venv" / "bin" / "skyx")
            subprocess.run([skyx, "down", "--all", "-y"], env=environ, capture_output=True, timeout=60, check=False)


def draw(output: bytes, name: str) -> str:
    """The picture of a terminal that got these bytes."""
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    screen = Screen()
    screen.feed(output.decode("utf-8", "replace"))
    console = Console(
        record=True, width=RECORDINGS[name].columns, file=StringIO(), force_terminal=True, color_system="truecolor"
    )
    head = RECORDINGS[name].head
    console.print(Text.from_ansi((f"\x1b[1m{head}\x1b[0m\n" if head else "") + screen.text()))
    svg = console.export_svg(title="skyx", unique_id=f"skyx-{name}")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # fonts of the reader's own, nothing is fetched
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code, monospace", "DejaVu Sans Mono, Menlo, Consolas, monospace")


def main(arguments: list[str]) -> int:
    """Record and write the pictures."""
    recorded: dict[str, bytes] = {}
    if arguments[:1] == ["--replay"]:
        recorded[arguments[1]] = Path(arguments[2]).read_bytes()
    else:
        recorded = {name: run(RECORDINGS[name]) for name in arguments or RECORDINGS}
    for name, output in recorded.items():
        (ROOT / "docs" / f"{name}.svg").write_text(draw(output, name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
