"""The drivers of simulated clouds, called as core calls them, with sandboxes in a temporary folder."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from skyx_core.api import Candidate, CloudError, ClusterHandle, DriverContext, NodeState, Place, Request
from skyx_core.testing import RecordingAttempt, StepClock
from skyx_sim.driver import Sim2Driver, SimDriver
from skyx_sim.settings import SimSettings

TEXT = """\
task: {resources: {cpus: 2}}
clouds:
  - name: sim
    rules: aws
    regions: [{name: east, zones: [east-a, east-b]}, west]
    types:
      - {name: small, cpus: 2, memory: 4, price: 0.1, spot_price: 0.03, bucket: std}
      - {name: gpu, cpus: 8, memory: 32, accelerators: T4:2, price: 1, regions: [west]}
    latency: 40s
    refusal: 2s
    capacity: [{zone: east-a, nodes: 0}, {region: east, steps: [{at: 0, nodes: 2}, {at: 1h, nodes: 9}]}]
    rate_limit: {calls: 4, per: 10m}
    errors: [{region: west, type: gpu, times: 1, made: 1, error: {code: Broken, message: half of it}}]
    preemption: {mean: 30m}
  - name: sim2
    regions: 1
    types: [{name: small, cpus: 2, memory: 4, price: 0.1}]
    atomic: false
    refusal: 0
    capacity: [{nodes: 1}]
    credentials: {expire: 1h, renew: 2h}
"""


class Bench:
    """A driver with its clock."""

    def __init__(self, folder: Path, kind: type[SimDriver] = SimDriver, text: str = TEXT) -> None:
        self.path = folder / "scenario.yaml"
        self.path.write_text(text)
        self.clock = StepClock()
        self.folder, self.kind = folder, kind
        self.driver = self.another()
        self.attempts: list[RecordingAttempt] = []

    def another(self, **settings: object) -> SimDriver:
        """As another process would have it."""
        environ = {"SKYX_SIM_SCENARIO": str(self.path)}
        context = DriverContext(owner="o", home=self.folder / self.kind.name, clock=self.clock, environ=environ)
        return self.kind(SimSettings.model_validate(settings), context)

    def attempt(self, uid: str, kind: str, *, spot: bool = False, gpus: int = 0) -> RecordingAttempt:
        handle = ClusterHandle(uid=uid, name=f"n-{uid}", owner="o", cloud_name=f"n-{uid}-x")
        candidate = Candidate(
            cloud=self.kind.name,
            region="",
            instance_type=kind,
            cpus=2,
            memory_gb=4,
            accelerators={"T4": gpus} if gpus else {},
            use_spot=spot,
            hourly_usd=1,
        )
        made = RecordingAttempt(handle, candidate, self.clock, deadline=self.clock.monotonic() + 3600)
        self.attempts.append(made)
        return made

    def make(self, uid: str, region: str, zone: str = "", nodes: int = 1, kind: str = "small", **options: object):
        place = Place(cloud=self.kind.name, region=region, zones=(zone,) if zone else ())
        attempt = self.attempt(uid, kind, **options)  # type: ignore[arg-type]
        request = Request(num_nodes=nodes, instance_type=kind, use_spot=bool(options.get("spot")))
        return self.driver.provision(place, request, attempt)

    def clear(self) -> None:
        for attempt in self.attempts:
            assert self.driver.teardown(attempt.handle, Place(cloud="x", region="x")).done
        assert not list((self.folder / self.kind.name).glob("nodes/[0-9a-f]*"))


@pytest.fixture
def bench(tmp_path: Path):
    made: list[Bench] = []

    def make(**options: object) -> Bench:
        made.append(Bench(tmp_path, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.clear()


Make = Callable[..., Bench]


def test_nodes_come_after_the_latency_and_are_seen_by_other_processes(bench: Make) -> None:
    one = bench()
    began = one.clock.time()
    cluster = one.make("a1", "east", "east-b", nodes=2)
    assert one.clock.time() - began == pytest.approx(40)
    assert [node.rank for node in cluster.nodes] == [0, 1]
    assert {node.zone for node in cluster.nodes} == {"east-b"}
    assert len({node.address for node in cluster.nodes}) == 2
    seen = one.another().describe(cluster.handle, cluster.place)
    assert seen.complete
    assert seen.nodes == cluster.nodes
    [found] = one.another().inventory("o", [cluster.place])
    assert [handle.uid for handle, _ in found.nodes] == ["a1", "a1"]
    assert found.nodes[0][0] == cluster.handle
    assert [list(i.nodes) for i in one.driver.inventory("other", [cluster.place])] == [[]]
    [intent] = one.attempts[0].intents
    assert one.driver.find(intent).nodes == cluster.nodes
    again = one.make("a1", "east", "east-b", nodes=2)
    assert again.nodes == cluster.nodes


def test_refusals_are_worded_like_the_cloud_that_is_imitated(bench: Make) -> None:
    one = bench()
    with pytest.raises(CloudError, match=r"east-a") as caught:
        one.make("a1", "east", "east-a")
    assert (caught.value.code, caught.value.cloud, caught.value.nodes_may_exist) == (
        "InsufficientInstanceCapacity",
        "sim",
        False,
    )
    assert one.driver.describe(one.attempts[0].handle, Place(cloud="sim", region="east")).nodes == ()


def test_room_that_one_cluster_holds_another_can_not_have_until_it_is_given_back(bench: Make) -> None:
    one = bench()
    first = one.make("a1", "east", "east-b", nodes=2)
    with pytest.raises(CloudError):
        one.make("b2", "east", "east-b")
    assert one.driver.stop(first.handle, first.place).done
    assert {n.state for n in one.driver.describe(first.handle, first.place).nodes} == {NodeState.STOPPED}
    one.make("b2", "east", "east-b")
    started = one.driver.start(first.handle, first.place, one.attempts[0])
    assert [node.id for node in started.nodes] == [node.id for node in first.nodes]
    assert {node.state for node in started.nodes} == {NodeState.RUNNING}


def test_time_goes_from_the_first_use_at_the_speed_that_is_set(bench: Make) -> None:
    one = bench()
    one.driver = one.another(speed=60)
    began = one.clock.time()
    one.make("a1", "east", "east-b", nodes=2)
    assert one.clock.time() - began == pytest.approx(40 / 60)
    with pytest.raises(CloudError):
        one.make("b2", "east", "east-b")
    one.clock.sleep(60)  # an hour
    one.make("b2", "east", "east-b", nodes=5)


def test_the_rate_limit_holds_across_processes_and_a_changed_scenario_starts_anew(bench: Make) -> None:
    one = bench()
    for number in range(4):
        with pytest.raises(CloudError, match="InsufficientInstance"):
            one.make(f"a{number}", "east", "east-a")
    one.driver = one.another()
    with pytest.raises(CloudError, match="Request limit exceeded"):
        one.make("b1", "east", "east-b")
    one.path.write_text(TEXT + "seed: 3\n")
    one.driver = one.another()
    one.make("b1", "east", "east-b")


def test_an_error_after_nodes_were_made_says_so(bench: Make) -> None:
    one = bench()
    with pytest.raises(CloudError, match="half of it") as caught:
        one.make("a1", "west", kind="gpu", gpus=2, nodes=2)
    assert caught.value.nodes_may_exist
    [left] = one.driver.describe(one.attempts[0].handle, Place(cloud="sim", region="west")).nodes
    assert left.data["gpus"] == "0,1"
    cluster = one.make("a1", "west", kind="gpu", gpus=2, nodes=2)
    assert cluster.data["accelerator"] == "T4"
    assert cluster.nodes[0].id == left.id


def test_part_of_a_gang_where_calls_are_not_atomic(bench: Make) -> None:
    one = bench(kind=Sim2Driver)
    with pytest.raises(CloudError, match="no room for 2 x small"):
        one.make("a1", "r1", nodes=2)
    assert len(one.driver.describe(one.attempts[0].handle, Place(cloud="sim2", region="r1")).nodes) == 1


def test_spot_is_taken_away(bench: Make) -> None:
    one = bench()
    cluster = one.make("a1", "west", spot=True)
    assert len(one.driver.describe(cluster.handle, cluster.place).nodes) == 1
    one.clock.sleep(24 * 3600)
    assert one.driver.describe(cluster.handle, cluster.place).nodes == ()


def test_the_fingerprint_changes_with_the_scenario_and_when_credentials_are_renewed(bench: Make) -> None:
    one = bench(kind=Sim2Driver)
    first = one.driver.fingerprint()
    one.clock.sleep(3600)
    with pytest.raises(CloudError, match="expired"):
        one.make("a1", "r1")
    assert one.driver.fingerprint() == first
    one.clock.sleep(3600)
    assert one.driver.fingerprint() != first
    one.make("a1", "r1")


def test_a_cancelled_attempt_ends_at_once(bench: Make) -> None:
    one = bench(text=TEXT.replace("40s", "50m"))
    timer = threading.Timer(0.05, lambda: setattr(one.attempts[0], "cancelled", True))
    timer.start()
    with pytest.raises(Exception, match="the attempt is over"):
        one.make("a1", "west")
    timer.join()


def test_offers_and_zones(bench: Make) -> None:
    one = bench()
    offers = list(one.driver.offers(Request()))
    assert [(o.region, o.zone, o.instance_type) for o in offers] == [("east", None, "small"), ("west", None, "small")]
    assert [o.instance_type for o in one.driver.offers(Request(accelerators={"T4": 2}))] == ["gpu"]
    assert {o.instance_type for o in one.driver.offers(Request(any_accelerators=True))} == {"small", "gpu"}
    assert [o.zone for o in one.driver.offers(Request(use_spot=True, zone="east-b"))] == ["east-b"]
    assert list(one.driver.offers(Request(cloud="sim2"))) == []
    zones = [o.zone for o in one.driver.locate(Request(instance_type="small"), "east")]
    assert zones == ["east-a", "east-b"]
    assert list(one.driver.locate(Request(instance_type="gpu"), "east")) == []
    assert [o.zone for o in one.driver.locate(Request(instance_type="small", zone="east-b"), "east")] == ["east-b"]


def test_why_it_can_not_be_used(bench: Make, tmp_path: Path) -> None:
    one = bench()
    assert one.driver.disabled() is None
    assert all(line.ok for line in one.driver.check_credentials())
    context = DriverContext(owner="o", home=tmp_path / "x", environ={})
    why = SimDriver(SimSettings(), context).disabled()
    assert why is not None
    assert why.reason == "no scenario is set"
    assert why.quiet
    missing = SimDriver(SimSettings(scenario=tmp_path / "no.yaml"), context).disabled()
    assert missing is not None
    assert "no such file" in missing.reason
    assert not missing.quiet
    assert not SimDriver(SimSettings(), context).check_credentials()[0].ok
    one.path.write_text(TEXT.split("  - name: sim2", maxsplit=1)[0])
    other = Sim2Driver(SimSettings(scenario=one.path), context).disabled()
    assert other is not None
    assert "no cloud named 'sim2'" in other.reason


def test_a_cluster_ends_itself(bench: Make) -> None:
    one = bench()
    cluster = one.make("a1", "east", "east-b", nodes=2)
    for down, left in ((False, 2), (True, 0)):
        argv = one.driver.self_end(cluster, down=down).argv
        subprocess.run(argv, check=True, env={"PATH": os.environ["PATH"]}, timeout=30)
        seen = one.driver.describe(cluster.handle, cluster.place).nodes
        assert len(seen) == left
        assert all(node.state is NodeState.STOPPED for node in seen)


def test_a_damaged_state_starts_the_clouds_time_anew(bench: Make) -> None:
    one = bench()
    one.make("a1", "west")
    (one.folder / "sim" / "state.json").write_text("{")
    one.driver = one.another()
    one.make("b1", "west")


def test_a_scenario_that_is_not_there_is_said_with_what_names_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.path.unlink()
    for driver, what in ((bench.driver, "SKYX_SIM_SCENARIO"), (bench.another(scenario=bench.path), "clouds.sim.scen")):
        off = driver.disabled()
        assert off is not None
        assert "no such file" in off.reason
        assert str(bench.path) in off.reason
        assert what in off.fix
