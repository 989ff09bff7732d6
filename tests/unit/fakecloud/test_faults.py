"""What goes wrong between a driver and its cloud, and what must still be true."""

from __future__ import annotations

import pytest

from skyx_core.errors import CloudError
from skyx_core.testing.fakecloud.faults import Faults, fault_from

CREATE = {"vm": "RunNodes", "pod": "CreatePod"}
LIST = {"vm": "DescribeNodes", "pod": "ListPods"}


def provision(bench, nodes=1, driver=None, **changes):
    return (driver or bench.driver).provision(bench.place, bench.request(nodes, **changes), bench.attempt())


def impatient(bench, kind):
    """A driver that soon gives up, where nothing but giving up is expected."""
    return bench.with_settings(call_timeout_s=0.6) if "timeout" in kind else bench.driver


@pytest.mark.parametrize("kind", ["error_after", "timeout_after", "reset_after", "garbage"])
def test_a_call_that_worked_but_failed_is_found_and_repeating_makes_no_second_node(bench, kind):
    bench.cloud.fault(CREATE[bench.cloud.mode], kind)
    with pytest.raises(CloudError) as caught:
        provision(bench, driver=impatient(bench, kind))
    assert caught.value.nodes_may_exist
    (intent,) = bench.intents
    found = bench.driver.find(intent)
    assert found.complete
    assert [node.intent for node in found.nodes] == [intent.id]
    bench.cloud.control("timing", list_lag_s=60)  # so that only token or name can tell
    cluster = provision(bench)
    assert [node.id for node in cluster.nodes] == [found.nodes[0].id]
    assert len(bench.mine()) == 1


@pytest.mark.parametrize("kind", ["error_before", "timeout_before", "reset"])
def test_a_call_that_did_nothing_leaves_nothing_to_find(bench, kind):
    bench.cloud.fault(CREATE[bench.cloud.mode], kind)
    with pytest.raises(CloudError):
        provision(bench, driver=impatient(bench, kind))
    found = bench.driver.find(bench.intents[0])
    assert found.complete
    assert found.nodes == ()


def test_pods_made_before_the_failed_one_are_kept(pod):
    pod.cloud.fault("CreatePod", "error_before", nth=3, code="Throttled", status=429)
    with pytest.raises(CloudError) as caught:
        provision(pod, 4)
    assert (caught.value.code, caught.value.status) == ("Throttled", 429)
    kept = {node.id for node in pod.driver.describe(pod.handle, pod.place).nodes}
    assert len(kept) == 2
    cluster = provision(pod, 4)
    assert kept < {node.id for node in cluster.nodes}
    assert len(pod.mine()) == 4


def test_the_same_token_with_another_body_is_refused(vm):
    body = {"region": "west", "zone": "west-a", "type": "v.small", "token": vm.handle.uid}
    tags = {"skyx-uid": vm.handle.uid}
    first = vm.driver._call("RunNodes", **body, tags=tags)
    assert vm.driver._call("RunNodes", **body, tags=tags)["nodes"][0]["id"] == first["nodes"][0]["id"]
    with pytest.raises(CloudError) as caught:
        vm.driver._call("RunNodes", **body, tags={**tags, "more": "x"})
    assert caught.value.code == "IdempotentParameterMismatch"
    vm.driver._call("RunNodes", **{**body, "zone": "west-c"}, tags=tags)  # tokens are told apart by zone
    assert len(vm.mine()) == 2


def test_a_taken_name_is_refused(pod):
    body = {"name": f"n-{pod.handle.uid}", "type": "p.small", "labels": {"skyx-uid": pod.handle.uid}}
    pod.driver._pods("CreatePod", "POST", pod.place, body=body)
    with pytest.raises(CloudError) as caught:
        pod.driver._pods("CreatePod", "POST", pod.place, body=body)
    assert (caught.value.code, caught.value.status) == ("AlreadyExists", 409)
    assert len(pod.mine()) == 1


def test_lists_lag_but_a_node_is_found_after_the_lag(bench):
    bench.cloud.control("timing", list_lag_s=60)
    cluster = provision(bench, 2)
    assert bench.driver.describe(bench.handle, bench.place).nodes == ()
    bench.cloud.control("timing", list_lag_s=0)
    assert bench.driver.describe(bench.handle, bench.place).nodes == cluster.nodes


def test_pages_are_all_read(bench):
    bench.cloud.control("timing", page_size=2)
    cluster = provision(bench, 5)
    seen = bench.driver.describe(bench.handle, bench.place)
    assert seen.complete
    assert seen.nodes == cluster.nodes


@pytest.mark.parametrize("kind", ["error_before", "timeout_after", "garbage", "reset"])
def test_a_failed_page_makes_the_list_incomplete(bench, kind):
    provision(bench, 3)
    bench.cloud.control("timing", page_size=2)
    bench.cloud.fault(LIST[bench.cloud.mode], kind, nth=2)
    seen = impatient(bench, kind).describe(bench.handle, bench.place)
    assert not seen.complete
    assert "page 2" in seen.reason


def test_a_partial_list_says_so_and_nothing_is_made_or_called_done_on_its_ground(bench):
    provision(bench, 2)
    bench.cloud.fault(LIST[bench.cloud.mode], "partial", count=4)
    assert not bench.driver.describe(bench.handle, bench.place).complete
    with pytest.raises(CloudError) as caught:
        provision(bench, 2)
    assert caught.value.code == "ListIncomplete"
    assert not bench.driver.teardown(bench.handle, bench.place).done
    (found,) = bench.driver.inventory(bench.owner, [bench.place])
    assert len(bench.mine()) == 2
    assert found.complete  # the fifth list is whole again


def test_no_room_for_machines_is_refused_as_a_whole(vm):
    taken = sum(bool(node["spot"]) and node["state"] != "gone" for node in vm.cloud.nodes())
    vm.cloud.control("capacity", place="west-b", market="spot", nodes=taken + 1)
    with pytest.raises(CloudError) as caught:
        provision(vm, 2, use_spot=True)
    assert caught.value.code == "InsufficientNodeCapacity"
    assert not caught.value.nodes_may_exist
    assert vm.mine() == []
    provision(vm, 1, use_spot=True)


def test_no_room_for_a_pod_leaves_it_pending_until_there_is_some(pod):
    pod.cloud.control("capacity", place="lab", type="p.small", nodes=0)
    with pytest.raises(CloudError) as caught:
        provision(pod)
    assert caught.value.code == "Unschedulable"
    assert pod.mine() == ["pending"]
    pod.cloud.control("capacity", place="lab", type="p.small", nodes=None)
    assert provision(pod).nodes[0].rank == 0
    assert len(pod.mine()) == 1


def test_a_machine_that_is_taken_away_while_it_boots_ends_the_attempt(vm):
    vm.cloud.control("timing", boot_s=60)
    attempt = vm.attempt()
    attempt.progress = lambda *_: [vm.cloud.control("preempt", id=n["id"]) for n in vm.cloud.nodes() if _is(n, vm)]
    with pytest.raises(CloudError) as caught:
        vm.driver.provision(vm.place, vm.request(1), attempt)
    assert caught.value.code == "NodeVanished"
    assert "Preempted" in caught.value.message


def _is(node, bench):
    return node["tags"].get("skyx-uid") == bench.handle.uid


def test_spot_machines_cannot_be_stopped(vm):
    provision(vm, use_spot=True)
    with pytest.raises(CloudError) as caught:
        vm.driver.stop(vm.handle, vm.place)
    assert caught.value.code == "UnsupportedOperation"


def test_faults_by_chance_are_the_same_in_each_run():
    def struck(seed):
        faults = Faults()
        faults.add(fault_from({"kind": "reset", "count": 1000, "chance": 0.2, "seed": seed}))
        return [faults.take("any") is not None for _ in range(1000)]

    assert struck(1) == struck(1) != struck(2)
    assert 120 < sum(struck(1)) < 280


def test_an_order_that_cannot_be_read_is_refused(vm):
    with pytest.raises(ValueError, match="unknown fault 'nonsense'"):
        vm.cloud.fault("RunNodes", "nonsense")
    with pytest.raises(ValueError, match="no delay 'boot'"):
        vm.cloud.control("timing", boot=1)
    with pytest.raises(ValueError, match="no control 'x'"):
        vm.cloud.control("x")


def test_an_unreachable_cloud_is_one_clear_error(bench):
    dead = bench.with_settings(url="http://127.0.0.1:9")
    with pytest.raises(CloudError) as caught:
        list(dead.check_credentials()) and dead.provision(bench.place, bench.request(1), bench.attempt())
    assert caught.value.code == "ListIncomplete"
    assert not dead.check_credentials()[0].ok
