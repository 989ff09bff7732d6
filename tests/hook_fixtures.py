"""Hooks with listeners and a driver that are made up on the spot."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from plugin_fixtures import plugins
from skyx_core.api import hookimpl
from skyx_core.calls import Caller
from skyx_core.clock import SystemClock
from skyx_core.hooks import Hooks
from skyx_core.models import (
    Candidate,
    Category,
    Cluster,
    ClusterHandle,
    Event,
    EventKind,
    JobReceipt,
    JobSpec,
    Link,
    Place,
    Request,
    Scope,
    TeardownResult,
    Verdict,
)

HANDLE = ClusterHandle(uid="0" * 16, name="n", owner="o", cloud_name="n")
PLACE = Place(cloud="toy", region="r")
CLUSTER = Cluster(handle=HANDLE, place=PLACE, nodes=(), link=Link.SSH)
CANDIDATE = Candidate(cloud="toy", region="r", instance_type="t", cpus=1, memory_gb=1, hourly_usd=1)
VERDICT = Verdict(category=Category.UNKNOWN, block=Scope.ZONE, rule="core")
EVENT = Event(kind=EventKind.PLANNED, time=0)


class Toy:
    """A driver and executor as far as hooks are concerned."""

    name = "toy"

    def __init__(self, answer: Callable[[], object] = lambda: CLUSTER) -> None:
        self.answer = answer

    def provision(self, place: Place, request: Request, attempt: object) -> Any:
        return self.answer()

    def teardown(self, handle: ClusterHandle, place: Place) -> Any:
        return TeardownResult(done=True)

    def submit_job(self, cluster: object, job: JobSpec) -> Any:
        return JobReceipt(job_id=7)


def raises(error: BaseException) -> Callable[[], object]:
    def answer() -> object:
        raise error

    return answer


class Setup:
    """Hooks with some listeners, and what was logged."""

    def __init__(self, **listeners: object) -> None:
        self.logged: list[str] = []
        self.trace = io.StringIO()
        found = plugins(extra=[("listener", name, item) for name, item in listeners.items()], scan=False)
        self.hooks = Hooks(
            found,
            lambda **_: VERDICT,
            caller=Caller(SystemClock()),
            log=self.logged.append,
            trace=self.trace,
        )

    def provision(self, driver: Toy | None = None, limit: float = 5.0, **more: Any) -> Cluster:
        toy: Any = driver or Toy()
        attempt: Any = None
        return self.hooks.provision(toy, PLACE, Request(), attempt, limit=limit, **more)


def listener(name: str, function: Callable[..., object], **options: Any) -> object:
    """An object with one hook implementation."""
    holder = type("Holder", (), {name: hookimpl(**options)(function) if options else hookimpl(function)})
    return holder()
