"""Fake nodes whose machines are sandboxes, so that an agent and jobs can run on them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from skyx_core.node.sandbox import Sandboxes, SandboxSpec
from skyx_core.testing.fakecloud.machines import POWER_OFF, take_file


class SandboxMachines:
    """By node id; see ``machines.Machines``. Ending processes is given ``grace_s`` seconds of real time."""

    def __init__(self, root: Path, grace_s: float = 0.3) -> None:
        self._sandboxes = Sandboxes(root, grace_s=grace_s)

    def make(self, node: str, address: str, tags: Mapping[str, str]) -> tuple[str, str]:
        sandbox = self._sandboxes.create(
            SandboxSpec(id=node, cluster_uid=tags.get("skyx-uid", ""), address=address, tags=dict(tags))
        )
        return str(sandbox.folder), str(sandbox.home)

    def stop(self, nodes: Sequence[str]) -> None:
        _report(self._sandboxes.stop(nodes))

    def start(self, nodes: Sequence[str]) -> None:
        for node in nodes:
            if self._sandboxes.get(node) is not None:
                self._sandboxes.start(node)

    def remove(self, nodes: Sequence[str]) -> None:
        _report(self._sandboxes.remove(nodes))

    def powered_off(self, node: str) -> bool:
        return take_file(self._sandboxes.folder(node) / "home" / POWER_OFF)

    def remove_all(self) -> None:
        _report(self._sandboxes.remove(self._sandboxes.ids()))


def _report(left: list[str]) -> None:
    """To stderr, which tests keep: a machine that can't be ended is a fault of this machine, not of the fake cloud."""
    if left:
        sys.stderr.write("; ".join(left) + "\n")
