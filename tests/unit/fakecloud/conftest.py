"""Fake clouds for these tests; one server per mode for each worker process, wiped of faults between tests."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from skyx_core.clock import SystemClock
from skyx_core.drivers import DriverContext
from skyx_core.models import Candidate, ClusterHandle, Place, Request
from skyx_core.testing import (
    FakeCloud,
    FakeCloudSettings,
    FakePodDriver,
    FakeVmDriver,
    RecordedIntent,
    RecordingAttempt,
)


@dataclass
class Bench:
    """One cloud, its driver, and what is needed to call it."""

    cloud: FakeCloud
    driver: FakeVmDriver | FakePodDriver
    place: Place
    instance_type: str
    intents: list[RecordedIntent] = field(default_factory=list)
    owner: str = "0123456789abcdef"
    handle: ClusterHandle = field(init=False)

    def __post_init__(self) -> None:
        self.handle = self.new_handle()

    def new_handle(self, owner: str = "") -> ClusterHandle:
        return ClusterHandle(
            uid=secrets.token_hex(8),
            name="My_Cluster.1",
            owner=owner or self.owner,
            cloud_name="my-cluster-1-a1b2c3",
        )

    def attempt(self, limit_s: float = 30.0) -> RecordingAttempt:
        candidate = Candidate(
            cloud=self.driver.name,
            region=self.place.region,
            instance_type=self.instance_type,
            cpus=2,
            memory_gb=4,
            hourly_usd=1,
        )
        clock = SystemClock()
        return RecordingAttempt(self.handle, candidate, clock, clock.monotonic() + limit_s, self.intents)

    def request(self, nodes: int, **changes: object) -> Request:
        return Request.model_validate({"num_nodes": nodes, "instance_type": self.instance_type, **changes})

    def with_settings(self, **changes: object) -> FakeVmDriver | FakePodDriver:
        """A driver of the same cloud with some settings changed."""
        return type(self.driver)(self.driver.settings.model_copy(update=changes), self.driver.context)

    def mine(self) -> list[str]:
        """States of this test's nodes, as they really are."""
        return sorted(str(node["state"]) for node in self.cloud.nodes() if self.handle.uid in str(node["tags"]))


def bench_of(cloud: FakeCloud, home: Path) -> Bench:
    settings = FakeCloudSettings(url=cloud.url, call_timeout_s=5, poll_s=0.02, pending_limit_s=0.3)
    context = DriverContext(owner="0123456789abcdef", home=home)
    if cloud.mode == "vm":
        place = Place(cloud="fakevm", region="west", zones=("west-b",))
        return Bench(cloud, FakeVmDriver(settings, context), place, "v.small")
    return Bench(cloud, FakePodDriver(settings, context), Place(cloud="fakepod", region="lab"), "p.small")


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, FakeCloud]]:
    folder = tmp_path_factory.mktemp("fakecloud")
    with FakeCloud("vm", folder / "vm") as vm, FakeCloud("pod", folder / "pod") as pod:
        yield {"vm": vm, "pod": pod}


@pytest.fixture
def make_bench(servers: dict[str, FakeCloud], tmp_path: Path) -> Iterator[Callable[[str], Bench]]:
    yield lambda mode: bench_of(servers[mode], tmp_path)
    for cloud in servers.values():
        cloud.reset()


@pytest.fixture
def vm(make_bench: Callable[[str], Bench]) -> Bench:
    return make_bench("vm")


@pytest.fixture
def pod(make_bench: Callable[[str], Bench]) -> Bench:
    return make_bench("pod")


@pytest.fixture(params=["vm", "pod"])
def bench(request: pytest.FixtureRequest, make_bench: Callable[[str], Bench]) -> Bench:
    return make_bench(request.param)
