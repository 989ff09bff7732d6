"""Whole processes: wall time, processor time, peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LIMIT_S = 120.0


@dataclass(frozen=True)
class Usage:
    """``cpu_ms``: user and system. ``peak_mib``: the largest resident size."""

    wall_ms: float
    cpu_ms: float
    peak_mib: float


class ProgramFailedError(Exception):
    """A measured program ended otherwise than it must; its output is in the message."""


class Spawner:
    """Starts programs from a small process."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self._out = folder / "spawned.out"
        self._folder = folder

    def run(self, argv: Sequence[str], env: Mapping[str, str]) -> Usage:
        """To its end; raises ``ProgramFailedError`` unless that is 0. The spawner is killed after 120 s."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"argv": list(argv), "env": dict(env), "out": str(self._out), "cwd": str(self._folder)}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        wall, cpu, peak, code = json.loads(answer) if answer else (0, 0, 0, -1)
        if code != 0:
            raise ProgramFailedError(f"{' '.join(argv)} ended with {code}:\n{self.output()[-2000:]}")
        return Usage(wall * 1e3, cpu * 1e3, peak / 1024)

    def output(self) -> str:
        """What the last program wrote, to stdout and stderr."""
        return self._out.read_text(errors="replace") if self._out.exists() else ""


@contextmanager
def spawner(folder: Path) -> Iterator[Spawner]:
    """Ends with the block."""
    script = str(Path(__file__).with_name("spawner.py"))
    argv = ["/usr/bin/env", "-i", os.path.realpath(sys.executable), "-S", "-E", script]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Spawner(process, folder)
        finally:
            process.kill()
