"""Bytes sent to the head to run one job, counted where they leave us."""

from __future__ import annotations

import json
from collections.abc import Iterator
from unittest.mock import patch

from benchmarks.live import Live, live
from benchmarks.rows import Goal, Row, Run
from skyx_core.node.runner import Channel
from skyx_core.node.sandbox_runner import SandboxRunner

SCRIPT = "echo hi\n" * 100
ENVS = {f"V{number}": "x" * 20 for number in range(20)}
KIB = 1024


class CountingChannel:
    """Passes everything on and counts what is sent."""

    def __init__(self, inner: Channel, sent: list[int]) -> None:
        self._inner, self._sent = inner, sent

    def send(self, data: bytes) -> None:
        self._sent.append(len(data))
        self._inner.send(data)

    def receive(self, limit: int, timeout: float | None) -> bytes:
        return self._inner.receive(limit, timeout)

    def close(self) -> None:
        self._inner.close()


def run(run: Run) -> Iterator[Row]:
    """A script of 800 B and 20 variables of 20 B, as one script for all ranks, on a new connection each time."""
    sizes = (1, 10) if run.quick else (1, 10, 100)
    least = len(json.dumps({"run": SCRIPT, "envs": ENVS}))
    counted: dict[int, int] = {}
    for nodes in sizes:
        with live(run.scratch, f"nodes-{nodes}", nodes=nodes) as cluster:
            counted[nodes] = _count(cluster, nodes)
        asked = [str(nodes), SCRIPT, json.dumps(ENVS)]
        told = run.peers.ask("skypilot", "sky_payload.py", asked, run.scratch.folder("peer"))
        peer = told if isinstance(told, int) else None
        yield Row(
            "payload", f"{nodes} nodes", "KiB", counted[nodes] / KIB, floor=least / KIB,
            floor_is="the script and the variables themselves, as JSON", ratio=counted[nodes] / least,
            goal=Goal("ours", 10, "KiB"), peer_is="sky's job program", peer=peer / KIB if peer else None,
            times_faster=peer / counted[nodes] if peer else None,
        )  # fmt: skip
    each = (counted[sizes[-1]] - counted[1]) / (sizes[-1] - 1)
    yield Row("payload", "each further rank", "B", each, goal=Goal("ours", 60, "B"))


def _count(cluster: Live, nodes: int) -> int:
    sent: list[int] = []
    real = SandboxRunner.connect

    def connect(self: SandboxRunner, socket: str, *, timeout: float) -> Channel:
        return CountingChannel(real(self, socket, timeout=timeout), sent)

    cluster.session.close()
    with patch.object(SandboxRunner, "connect", connect):
        cluster.session.exec(cluster.name, cluster.job(SCRIPT, nodes=nodes, envs=ENVS))
    cluster.session.close()
    return sum(sent)
