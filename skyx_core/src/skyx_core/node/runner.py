"""How core reaches one node, whatever is in between (a sandbox, SSH, a pod's exec channel)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from skyx_core.errors import NodeError


class NodeLostError(NodeError):
    """The node is gone or damaged for good: trying again can't help."""


@dataclass(frozen=True)
class RunResult:
    """What a finished command left. Output is bytes, exactly as written."""

    returncode: int
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True)
class NodeFacts:
    """``home``: absolute. ``env``: what every process that runs for this node must carry."""

    home: str
    env: Mapping[str, str] = field(default_factory=dict)


class Channel(Protocol):
    """A two-way stream of bytes, used by one thread at a time."""

    def send(self, data: bytes) -> None:
        """Send all of it; raises ``NodeError`` if the other side is gone."""

    def receive(self, limit: int, timeout: float | None) -> bytes:
        """At least one byte, at most ``limit``; ``b""`` at the end; raises ``TimeoutError``."""

    def close(self) -> None:
        """Safe to repeat."""


class Runner(ABC):
    """One node. Thread-safe; every call has a limit in seconds and raises ``NodeError`` naming the node.

    A leading ``~/`` in a path on the node is its home. ``argv`` is passed word for word: nothing is ever put into
    a shell line.
    """

    node: str  # "head", "worker1", ... for messages
    python: str = "python3"  # an interpreter on the node, at least 3.8, for the agent

    @abstractmethod
    def run(
        self,
        argv: Sequence[str],
        *,
        timeout: float,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
    ) -> RunResult:
        """Run to the end; a non-zero exit is a result. On time-out the process tree is ended."""

    @abstractmethod
    def connect(self, socket: str, *, timeout: float) -> Channel:
        """Open a Unix socket on the node."""

    @abstractmethod
    def put_bytes(self, data: bytes, target: str, *, mode: int = 0o600) -> None:
        """Write one file whole or not at all; missing folders are made. Safe to repeat."""

    @abstractmethod
    def put(self, source: Path, target: str, files: Sequence[str] | None = None) -> None:
        """Copy a file, or ``files`` (relative paths, folders end in ``/``; None = all) of a folder. Never deletes;
        unchanged files are left alone; links that lead out of ``source`` are refused by name. Safe to repeat.
        """

    @abstractmethod
    def get(self, source: str, target: Path) -> None:
        """Copy a file or folder from the node."""

    def facts(self) -> NodeFacts:
        """May ask the node once, within 30 s."""
        result = self.run(["printenv", "HOME"], timeout=30)
        return NodeFacts(home=result.stdout.decode("utf-8", "surrogateescape").strip() or "/")

    def close(self) -> None:
        """Give back connections. Safe to repeat."""
        return
