"""The fake cloud's own book: every node it ever made, and for how long it was billed.

A file of JSON lines, flushed line by line, so that it tells the truth even after ``kill -9`` of the server.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_BILLED_FROM = frozenset({"made", "started"})
_BILLED_TO = frozenset({"stopped", "ended"})


@dataclass
class LedgerNode:
    """One node. Times are seconds of the cloud's clock. ``ended_at`` None: it exists, or did when the server died."""

    id: str
    made_at: float
    region: str
    zone: str
    instance_type: str
    hourly_usd: float
    stranger: bool
    tags: dict[str, str]
    ended_at: float | None = None
    billed_s: float = 0.0
    billed_since: float | None = None
    events: list[str] = field(default_factory=list)

    @property
    def exists(self) -> bool:
        return self.ended_at is None

    def record(self, event: str, at: float) -> None:
        """Take one event into account."""
        self.events.append(event)
        if event in _BILLED_FROM and self.billed_since is None:
            self.billed_since = at
        if event in _BILLED_TO and self.billed_since is not None:
            self.billed_s += at - self.billed_since
            self.billed_since = None
        if event == "ended":
            self.ended_at = at


class Ledger:
    """The server's side: append only."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def write(self, event: str, node: str, at: float, **facts: object) -> None:
        """One line, in one write."""
        line = json.dumps({"event": event, "id": node, "at": at, **facts}) + "\n"
        os.write(self._fd, line.encode())

    def close(self) -> None:
        os.close(self._fd)


def read_ledger(path: Path, now: float | None = None) -> dict[str, LedgerNode]:
    """All nodes ever made, by id, oldest first. With ``now`` those that still run are billed up to then.

    Lines that a crash cut off are left out.
    """
    nodes: dict[str, LedgerNode] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if row["event"] == "made":
            nodes[row["id"]] = _made(row)
        nodes[row["id"]].record(row["event"], row["at"])
    for node in nodes.values():
        if now is not None and node.billed_since is not None:
            node.billed_s += max(0.0, now - node.billed_since)
    return nodes


def _made(row: Mapping[str, object]) -> LedgerNode:
    tags, price = row["tags"], row["hourly_usd"]
    assert isinstance(tags, dict)
    assert isinstance(price, int | float)
    at = row["at"]
    assert isinstance(at, int | float)
    return LedgerNode(
        id=str(row["id"]),
        made_at=float(at),
        region=str(row["region"]),
        zone=str(row["zone"]),
        instance_type=str(row["instance_type"]),
        hourly_usd=float(price),
        stranger=bool(row["stranger"]),
        tags={str(key): str(value) for key, value in tags.items()},
    )
