"""A local cloud for tests: its own ledger and folders, and an attempt that keeps its intents in memory."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skyx_core.api import Amount, Candidate, ClusterHandle, DriverContext, Place, Request
from skyx_local.driver import LocalDriver
from skyx_local.settings import LocalSettings

PLACE = Place(cloud="local", region="local")


@dataclass
class MemoryIntent:
    """One creating call."""

    id: str
    place: Place
    ranks: tuple[int, ...]
    tags: Mapping[str, str]
    token: str = "0" * 32
    ids: list[str] = field(default_factory=list)

    def made(self, ids: Sequence[str]) -> None:
        self.ids = list(ids)


class MemoryAttempt:
    """One try; remembers what it was told."""

    deadline = float("inf")

    def __init__(self, handle: ClusterHandle, candidate: Candidate | None = None) -> None:
        self.handle = handle
        self.candidate = candidate or Candidate(
            cloud="local", region="local", instance_type="local", cpus=0, memory_gb=0, hourly_usd=0
        )
        self.intents: list[MemoryIntent] = []

    @contextlib.contextmanager
    def creating(
        self, kind: str, place: Place, ranks: Sequence[int], body: Mapping[str, object]
    ) -> Iterator[MemoryIntent]:
        tags = {"skyx-owner": self.handle.owner, "skyx-cluster": self.handle.name, "skyx-uid": self.handle.uid}
        intent = MemoryIntent(os.urandom(8).hex(), place, tuple(ranks), tags)
        self.intents.append(intent)
        yield intent

    def check(self) -> None:
        return None

    def progress(self, message: str, done: int | None = None, total: int | None = None) -> None:
        return None


def handle(uid: str, name: str = "", owner: str = "owner") -> ClusterHandle:
    return ClusterHandle(uid=uid, name=name or f"c-{uid}", owner=owner, cloud_name=f"c-{uid}-cloud")


def driver(home: Path, ledger: Path, **settings: object) -> LocalDriver:
    environ = {"SKYX_LOCAL_LEDGER": str(ledger), "PATH": os.environ["PATH"]}
    context = DriverContext(owner="owner", home=home, environ=environ)
    return LocalDriver(LocalSettings.model_validate(settings), context)


def request(nodes: int = 1, cpus: float | None = None, **fields: object) -> Request:
    amount = Amount(value=cpus) if cpus else None
    return Request.model_validate({"num_nodes": nodes, "cpus": amount, **fields})


def concrete(cloud: LocalDriver, wanted: Request) -> Request:
    """As core hands it to ``provision``: with the type of the offer."""
    [offer] = cloud.offers(wanted)
    return wanted.model_copy(update={"instance_type": offer.instance_type, "cloud": "local", "region": "local"})


def eventually(condition: Callable[[], object], limit: float = 10) -> None:
    """Wait until it holds, or fail."""
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie doesn't."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def kill_quietly(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)
