"""What fits, what never fits, and what doesn't fit now."""

from __future__ import annotations

from pathlib import Path

import pytest

from local_cloud import PLACE, MemoryAttempt, concrete, driver, handle, request
from skyx_core.api import Amount, CloudError, Request
from skyx_local.driver import LocalDriver
from skyx_local.errors import RULES
from skyx_local.shape import Shape


@pytest.fixture
def cloud(tmp_path: Path) -> LocalDriver:
    return driver(tmp_path / "home", tmp_path / "ledger", cpus=8, memory_gb=16, gpus={"name": "H100", "count": 2})


def test_two_clusters_cannot_hold_more_than_there_is(cloud: LocalDriver) -> None:
    first, second = handle("aa", "train"), handle("bb", "serve")
    wanted = concrete(cloud, request(2, cpus=3))
    cloud.provision(PLACE, wanted, MemoryAttempt(first))
    with pytest.raises(CloudError) as caught:
        cloud.provision(PLACE, wanted, MemoryAttempt(second))
    error = caught.value
    assert (error.code, error.nodes_may_exist) == ("InsufficientCapacity", False)
    assert "6 cores asked for on 2 nodes, 2 of 8 free" in error.message
    assert "held by train: 6 cores" in error.message
    assert cloud.describe(second, PLACE).nodes == ()
    cloud.teardown(first, PLACE)
    assert len(cloud.provision(PLACE, wanted, MemoryAttempt(second)).nodes) == 2


def test_a_listing_has_all_gpus_of_each_kind(cloud: LocalDriver) -> None:
    listed = list(cloud.offers(Request(any_accelerators=True)))
    assert [offer.accelerators for offer in listed] == [{}, {"H100": 2.0}]
    assert [offer.accelerators for offer in cloud.offers(Request())] == [{}]


def test_a_stopped_cluster_holds_only_its_addresses(cloud: LocalDriver) -> None:
    first, second = handle("aa"), handle("bb")
    wanted = concrete(cloud, request(1, cpus=8))
    address = cloud.provision(PLACE, wanted, MemoryAttempt(first)).nodes[0].address
    cloud.stop(first, PLACE)
    other = cloud.provision(PLACE, wanted, MemoryAttempt(second)).nodes[0]
    assert other.address != address
    with pytest.raises(CloudError, match="8 cores asked for, 0 of 8 free"):
        cloud.start(first, PLACE, MemoryAttempt(first))
    cloud.stop(second, PLACE)
    assert cloud.start(first, PLACE, MemoryAttempt(first)).nodes[0].address == address


def test_gpus_are_shared_out_by_id(cloud: LocalDriver) -> None:
    def gpus(uid: str, count: float) -> str:
        wanted = concrete(cloud, request(accelerators={"H100": count}))
        return cloud.provision(PLACE, wanted, MemoryAttempt(handle(uid))).nodes[0].data["gpus"]

    assert [gpus("aa", 0.5), gpus("bb", 0.5), gpus("cc", 0.5)] == ["0", "0", "1"]
    with pytest.raises(CloudError, match=r"1 GPU asked for, 0.5 of 2 free"):
        gpus("dd", 1)
    cloud.teardown(handle("cc"), PLACE)
    assert gpus("dd", 1) == "1"


def test_free_shares_are_no_whole_gpu(cloud: LocalDriver) -> None:
    for uid, count in (("aa", 0.6), ("bb", 0.6)):
        cloud.provision(PLACE, concrete(cloud, request(accelerators={"H100": count})), MemoryAttempt(handle(uid)))
    with pytest.raises(CloudError, match="not in one piece"):
        cloud.provision(PLACE, concrete(cloud, request(accelerators={"H100": 0.7})), MemoryAttempt(handle("cc")))


def test_nothing_asked_for_reserves_nothing(cloud: LocalDriver) -> None:
    [offer] = cloud.offers(request())
    assert (offer.instance_type, offer.cpus, offer.hourly_usd) == ("local", 0, 0)
    for number in range(20):
        cloud.provision(PLACE, concrete(cloud, request(2)), MemoryAttempt(handle(f"{number:02x}")))


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        (request(cpus=4), "local-4cpu"),
        (request(cpus=0.5), "local-0.5cpu"),
        (request(memory_gb=Amount(value=8, plus=True)), "local-8gb"),
        (request(cpus=4, memory_gb=Amount(value=8), accelerators={"H100": 2}), "local-4cpu-8gb-H100x2"),
        (request(accelerators={"h100": 0.5}), "local-h100x0.5"),
        (request(instance_type="local-2cpu"), "local-2cpu"),
        (request(instance_type="local-2cpu", cpus=2), "local-2cpu"),
    ],
)
def test_the_offer_reserves_what_is_asked_for(cloud: LocalDriver, wanted: object, name: str) -> None:
    [offer] = cloud.offers(wanted)  # type: ignore[arg-type]
    assert offer.instance_type == name
    shape = Shape.parse(name)
    assert shape is not None
    assert (offer.cpus, offer.memory_gb, offer.accelerators) == (shape.cpus, shape.memory_gb, shape.accelerators)


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (request(cpus=9), "9 cores asked for, this machine has 8"),
        (request(3, cpus=3), "9 cores asked for on 3 nodes, this machine has 8"),
        (request(memory_gb=Amount(value=17)), "17 GiB of memory asked for, this machine has 16"),
        (request(accelerators={"H100": 3}), "3 GPUs asked for, this machine has 2"),
        (request(3, accelerators={"H100": 0.6}), "not in one piece"),
        (request(accelerators={"A100": 1}), "this machine has no A100: it has H100"),
        (request(use_spot=True), "no spot"),
        (request(image_id="docker:x"), "no images"),
        (request(disk_tier="high"), "no disks"),
        (request(zone="a"), "no zones"),
        (request(region="mars"), "no region 'mars'"),
        (request(instance_type="p4d"), "no instance type 'p4d'"),
        (request(instance_type="local-2cpu", cpus=4), "no instance type 'local-2cpu' that has what is asked for"),
    ],
)
def test_what_can_never_be_had_is_told_with_the_reason(cloud: LocalDriver, wanted: object, reason: str) -> None:
    assert list(cloud.offers(wanted)) == []  # type: ignore[arg-type]
    whys = cloud.why_nothing(wanted)  # type: ignore[arg-type]
    assert any(reason in why.reason for why in whys), whys
    assert all(why.fix for why in whys)


def test_a_machine_without_gpus_says_how_it_looked(tmp_path: Path) -> None:
    cloud = driver(tmp_path, tmp_path / "ledger")
    cloud.context = type(cloud.context)(owner="o", home=tmp_path, environ={"PATH": str(tmp_path)})
    [why] = cloud.why_nothing(request(accelerators={"T4": 1}))
    assert "it has no GPU (nvidia-smi was not found)" in why.reason


def test_names_of_types_are_read_as_they_are_written() -> None:
    for name in ("local", "local-1.5cpu-0.25gb", "local-A100-80GBx8", "local-2cpu-RTX6000-Adax1-T4x0.5"):
        shape = Shape.parse(name)
        assert shape is not None
        assert shape.name == name
    for name in ("", "Local", "local-", "local-4", "local-x2", "local-4cpu-", "local-4cpu\n", "local-8gb-4cpu-"):
        assert Shape.parse(name) is None


def test_each_error_of_this_cloud_has_a_rule() -> None:
    from skyx_local import codes

    names = {value for name, value in vars(codes).items() if name.isupper() and isinstance(value, str)}
    assert names == {rule.code for rule in RULES}


def test_it_is_for_linux(cloud: LocalDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cloud.disabled() is None
    monkeypatch.setattr("sys.platform", "darwin")
    why = cloud.disabled()
    assert why is not None
    assert why.reason == "it needs Linux"
    assert not next(line for line in cloud.check_credentials() if line.name == "Linux").ok


def test_a_ledger_that_cannot_be_used_is_told_by_check_and_launch(tmp_path: Path) -> None:
    (tmp_path / "ledger").write_text("")
    cloud = driver(tmp_path / "home", tmp_path / "ledger")
    [line] = [line for line in cloud.check_credentials() if line.name == "ledger"]
    assert not line.ok
    assert "SKYX_LOCAL_LEDGER" in line.fix
    with pytest.raises(CloudError) as caught:
        cloud.provision(PLACE, concrete(cloud, request()), MemoryAttempt(handle("aa")))
    assert (caught.value.code, caught.value.nodes_may_exist) == ("LedgerUnusable", False)
    assert cloud.teardown(handle("aa"), PLACE).done


@pytest.mark.parametrize(
    "settings", [{"cpus": 0}, {"gpus": {"name": "", "count": 1}}, {"root": "relative"}, {"cpu": 1}]
)
def test_settings_that_make_no_sense_are_refused(tmp_path: Path, settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="LocalSettings"):
        driver(tmp_path, tmp_path, **settings)


def test_the_check_names_what_it_found(cloud: LocalDriver) -> None:
    lines = {line.name: line for line in cloud.check_credentials()}
    assert {"Linux", "bash", "python", "disk", "ledger", "capacity", "GPUs"} <= set(lines)
    assert lines["ledger"].ok
    assert "8 cores" in lines["capacity"].detail
