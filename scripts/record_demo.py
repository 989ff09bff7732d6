"""Record docs/demo.svg: run the demo in a terminal of its own and draw what that terminal shows at the end.

``python scripts/record_demo.py`` needs about 20 seconds. What scrolled away above is kept, so the picture holds the
whole run. ``--replay FILE`` draws bytes that were recorded before.
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
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "demo.svg"
COLUMNS, ROWS = 96, 60
LIMIT_S = 120.0
_CODE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|\x1b\][^\x07]*\x07|\x1b.")
Cell = tuple[str, str]  # (character, colour codes that are on)


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


def record(argv: list[str], environ: dict[str, str]) -> bytes:
    """What the command writes to a terminal. ``SystemExit`` if it fails or takes longer than the limit."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
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


def run_demo() -> bytes:
    """The demo in folders of its own; its cluster is taken down again."""
    with tempfile.TemporaryDirectory(prefix="skyx-demo-") as folder:
        environ = {key: value for key, value in os.environ.items() if not key.startswith(("SKYX_", "NO_COLOR"))}
        environ |= {
            "SKYX_HOME": f"{folder}/home",
            "SKYX_LOCAL_LEDGER": f"{folder}/ledger",
            "TERM": "xterm-256color",
            "COLUMNS": str(COLUMNS),
            "LINES": str(ROWS),
        }
        try:
            return record(["scripts/demo.sh"], environ)
        finally:
            skyx = str(ROOT / ".venv" / "bin" / "skyx")
            subprocess.run([skyx, "down", "--all", "-y"], env=environ, capture_output=True, timeout=60, check=False)


def draw(output: bytes) -> str:
    """The picture of a terminal that got these bytes."""
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    screen = Screen()
    screen.feed(output.decode("utf-8", "replace"))
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi(f"\x1b[1m$ make demo\x1b[0m\n{screen.text()}"))
    svg = console.export_svg(title="skyx", unique_id="skyx-demo")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # fonts of the reader's own, nothing is fetched
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code, monospace", "DejaVu Sans Mono, Menlo, Consolas, monospace")


def main(arguments: list[str]) -> int:
    """Record and write the picture."""
    output = Path(arguments[1]).read_bytes() if arguments[:1] == ["--replay"] else run_demo()
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(draw(output), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
