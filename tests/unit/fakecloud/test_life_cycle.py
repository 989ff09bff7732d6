"""Both drivers against the live server: from nothing to a cluster and back to nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skyx_core.drivers import SupportsStop
from skyx_core.errors import AttemptCancelled, CloudError
from skyx_core.models import NodeState, Place, TeardownResult
from skyx_core.testing import eventually, process_lives


def until_done(call: Callable[[], TeardownResult]) -> TeardownResult:
    eventually(lambda: call().done)
    return call()


def test_life_of_a_cluster(bench):
    cluster = bench.driver.provision(bench.place, bench.request(3), bench.attempt())
    assert [node.rank for node in cluster.nodes] == [0, 1, 2]
    assert len({node.address for node in cluster.nodes}) == 3
    assert all(node.address.startswith("127.") and node.state is NodeState.RUNNING for node in cluster.nodes)
    seen = bench.driver.describe(bench.handle, bench.place)
    assert seen.complete
    assert seen.nodes == cluster.nodes
    assert until_done(lambda: bench.driver.teardown(bench.handle, bench.place)).remaining == ()
    assert not [n for n in bench.driver.describe(bench.handle, bench.place).nodes if n.state is not NodeState.GONE]
    assert set(bench.mine()) == {"gone"}


def test_provision_again_makes_nothing_new(bench):
    first = bench.driver.provision(bench.place, bench.request(2), bench.attempt())
    again = bench.driver.provision(bench.place, bench.request(2), bench.attempt())
    assert again == first
    assert len(bench.mine()) == 2


def test_provision_makes_only_what_is_missing(bench):
    first = bench.driver.provision(bench.place, bench.request(3), bench.attempt())
    lost = next(n for n in bench.cloud.nodes() if first.nodes[1].id in (n["id"], n["name"]))
    bench.cloud.control("preempt", id=lost["id"])
    eventually(lambda: "gone" in bench.mine())
    again = bench.driver.provision(bench.place, bench.request(3), bench.attempt())
    assert [again.nodes[0], again.nodes[2]] == [first.nodes[0], first.nodes[2]]
    assert again.nodes[1].id != first.nodes[1].id
    assert bench.intents[-1].ranks == (1,)


def test_one_call_makes_all_virtual_machines_and_one_each_pod(vm, pod):
    vm.driver.provision(vm.place, vm.request(3), vm.attempt())
    pod.driver.provision(pod.place, pod.request(3), pod.attempt())
    assert len(vm.cloud.calls("RunNodes")) == 1
    assert len(pod.cloud.calls("CreatePod")) == 3


def test_stop_keeps_files_and_start_keeps_ids_and_addresses(vm):
    cluster = vm.driver.provision(vm.place, vm.request(2), vm.attempt())
    runner = vm.driver.runner(vm.handle, cluster.nodes[1])
    runner.put_bytes(b"kept", "~/file")
    until_done(lambda: vm.driver.stop(vm.handle, vm.place))
    assert vm.mine() == ["stopped", "stopped"]
    assert vm.driver.start(vm.handle, vm.place, vm.attempt()).nodes == cluster.nodes
    assert runner.run(["cat", "file"], timeout=5).stdout == b"kept"


def test_a_machine_with_accelerators_shows_them_to_the_agent(vm, pod):
    machines = vm.driver.provision(vm.place, vm.request(1, instance_type="v.a100x8"), vm.attempt())
    assert machines.data["accelerator"] == "A100"
    assert machines.nodes[0].data["gpus"] == "0,1,2,3,4,5,6,7"
    assert pod.driver.provision(pod.place, pod.request(1), pod.attempt()).nodes[0].data["gpus"] == ""


def test_pods_are_not_stoppable(pod):
    assert not isinstance(pod.driver, SupportsStop)


def test_a_command_runs_on_a_node_and_ends_with_it(bench):
    cluster = bench.driver.provision(bench.place, bench.request(1), bench.attempt())
    runner = bench.driver.runner(bench.handle, cluster.nodes[0])
    started = runner.run(["bash", "-c", "setsid sleep 300 >/dev/null 2>&1 & echo $!"], timeout=5)
    pid = int(started.stdout)
    assert process_lives(pid)
    until_done(lambda: bench.driver.teardown(bench.handle, bench.place))
    assert not process_lives(pid)


@pytest.mark.parametrize("down", [True, False])
def test_a_cluster_of_machines_ends_itself(vm, down):
    cluster = vm.driver.provision(vm.place, vm.request(2), vm.attempt())
    end = vm.driver.self_end(cluster, down=down)
    assert vm.driver.runner(vm.handle, cluster.nodes[0]).run(end.argv, timeout=5).returncode == 0
    eventually(lambda: set(vm.mine()) == {"gone" if down else "stopped"})


def test_a_cluster_of_pods_ends_itself_and_refuses_to_stop_itself(pod):
    cluster = pod.driver.provision(pod.place, pod.request(2), pod.attempt())
    with pytest.raises(CloudError, match="only ended"):
        pod.driver.self_end(cluster, down=False)
    end = pod.driver.self_end(cluster, down=True)
    pod.driver.runner(pod.handle, cluster.nodes[0]).run(end.argv, timeout=5)
    eventually(lambda: set(pod.mine()) == {"gone"})


def test_termination_takes_its_time_and_is_not_called_done_before(bench):
    bench.cloud.control("timing", terminate_s=60)
    bench.driver.provision(bench.place, bench.request(2), bench.attempt())
    first = bench.driver.teardown(bench.handle, bench.place)
    assert not first.done
    assert len(first.remaining) == 2
    bench.cloud.control("timing", terminate_s=0)
    until_done(lambda: bench.driver.teardown(bench.handle, bench.place))


def test_a_fenced_attempt_makes_nothing(bench):
    attempt = bench.attempt()
    attempt.cancelled = True
    with pytest.raises(AttemptCancelled):
        bench.driver.provision(bench.place, bench.request(1), attempt)
    assert bench.mine() == []


def test_waiting_for_nodes_ends_at_the_deadline(bench):
    bench.cloud.control("timing", boot_s=60)
    attempt = bench.attempt()
    attempt.progress = lambda *_: setattr(attempt, "deadline", 0.0)  # it passes once the waiting has begun
    with pytest.raises(AttemptCancelled):
        bench.driver.provision(bench.place, bench.request(1), attempt)
    assert bench.mine() == ["pending"]


def test_inventory_tells_owners_apart_and_leaves_strangers_out(bench):
    bench.driver.provision(bench.place, bench.request(1), bench.attempt())
    mine, region = bench.handle, bench.place.region
    other = {"skyx-owner": "f" * 16, "skyx-uid": "e" * 16, "skyx-rank": "0", "skyx-cluster": "x", "skyx-intent": "i"}
    bench.cloud.control("stranger", region=region, name="theirs", tags=other)
    bench.cloud.control("stranger", region=region, name="nobodys", tags={"team": "x"})
    (found,) = bench.driver.inventory(bench.owner, [bench.place])
    assert found.complete
    assert mine in [handle for handle, _ in found.nodes]
    assert {handle.owner for handle, _ in found.nodes} == {bench.owner}
    (everyone,) = bench.driver.inventory(None, [bench.place])
    assert {handle.owner for handle, _ in everyone.nodes} == {bench.owner, "f" * 16}


def test_an_unknown_region_spoils_only_its_own_inventory(bench):
    nowhere = Place(cloud=bench.driver.name, region="nowhere")
    here, there = list(bench.driver.inventory(bench.owner, [bench.place, nowhere]))
    assert here.complete
    assert not there.complete
    assert "nowhere" in there.error
