"""What is under each fake node: a sandbox on this machine, or just a folder."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

POWER_OFF = ".poweroff"  # a node that writes this file in its home powers itself off


class Machines(Protocol):
    """By node id. Every method is safe to repeat, and never raises for a node that is gone."""

    def make(self, node: str, address: str, tags: Mapping[str, str]) -> tuple[str, str]:
        """The sandbox's folder and the node's home."""

    def stop(self, nodes: Sequence[str]) -> None:
        """End every process; keep the files."""

    def start(self, nodes: Sequence[str]) -> None:
        """After a stop."""

    def remove(self, nodes: Sequence[str]) -> None:
        """End every process and remove the files."""

    def powered_off(self, node: str) -> bool:
        """Whether the node has powered itself off; says so once."""

    def remove_all(self) -> None:
        """All nodes."""


class FolderMachines:
    """Folders in which nothing runs: for tests of the cloud's side alone."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def make(self, node: str, address: str, tags: Mapping[str, str]) -> tuple[str, str]:
        del address, tags
        home = self._root / node / "home"
        home.mkdir(parents=True, exist_ok=True)
        return str(self._root / node), str(home)

    def stop(self, nodes: Sequence[str]) -> None:
        del nodes

    def start(self, nodes: Sequence[str]) -> None:
        del nodes

    def remove(self, nodes: Sequence[str]) -> None:
        for node in nodes:
            shutil.rmtree(self._root / node, ignore_errors=True)

    def powered_off(self, node: str) -> bool:
        return take_file(self._root / node / "home" / POWER_OFF)

    def remove_all(self) -> None:
        shutil.rmtree(self._root, ignore_errors=True)


def take_file(file: Path) -> bool:
    """Remove the file; False if there was none."""
    try:
        file.unlink()
    except OSError:
        return False
    return True
