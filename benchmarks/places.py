"""Folders of a run, and the environment of the programs that it measures."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
BIN = Path(sys.prefix) / "bin"
PYTHON = str(BIN / "python")
SKYX = str(BIN / "skyx")


@dataclass(frozen=True)
class Scratch:
    """A folder that ends with the run. Not below /tmp: plugin look-up changes its ways for interpreters there."""

    root: Path

    def folder(self, name: str) -> Path:
        path = self.root / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def environ(self, user: str = "user", **more: str) -> dict[str, str]:
        """All that a measured program sees: one user of skyx, with a ledger of the run's own."""
        home = self.folder(user)
        return {
            "PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "SKYX_HOME": str(home / "skyx"),
            "SKYX_LOCAL_LEDGER": str(self.root / "ledger"),
            **more,
        }

    def settings(self, user: str, text: str) -> None:
        """The user's settings file."""
        folder = self.folder(user) / "skyx"
        folder.mkdir(exist_ok=True)
        (folder / "config.yaml").write_text(text)


@contextmanager
def scratch() -> Iterator[Scratch]:
    """Removed at the end, whatever happened."""
    parent = Path(os.environ.get("SKYX_BENCH_DIR") or Path.home() / ".cache" / "skyx-benchmarks")
    parent.mkdir(parents=True, exist_ok=True)
    root = Path(tempfile.mkdtemp(prefix="run-", dir=parent))
    try:
        yield Scratch(root)
    finally:
        shutil.rmtree(root, ignore_errors=True)
