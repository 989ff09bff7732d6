"""What the drivers declare and sell, without a server."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

import skyx_core.testing.fakecloud as fakecloud
from skyx_core.drivers import CloudDriver, DriverContext, SupportsSelfEnd, SupportsStop
from skyx_core.models import Amount, Candidate, Capability, Request
from skyx_core.testing import FakeCloudSettings, FakePodDriver, FakeVmDriver

DISTRIBUTION = Path(__file__).parents[2] / "data" / "plugins" / "skyx-fakecloud"
SERVER_FILES = ("vm_api.py", "pod_api.py", "world.py", "refusals.py")


@pytest.fixture(params=[FakeVmDriver, FakePodDriver])
def driver(request, tmp_path):
    return request.param(FakeCloudSettings(), DriverContext(owner="o", home=tmp_path))


@pytest.fixture
def vm(tmp_path):
    return FakeVmDriver(FakeCloudSettings(), DriverContext(owner="o", home=tmp_path))


def test_the_clouds_have_two_shapes():
    assert issubclass(FakeVmDriver, SupportsStop)
    assert issubclass(FakeVmDriver, SupportsSelfEnd)
    assert not issubclass(FakePodDriver, SupportsStop)
    assert Capability.ZONES in FakeVmDriver.capabilities
    assert Capability.ZONES not in FakePodDriver.capabilities


def test_offers_come_cheapest_first_and_fit(vm):
    found = list(vm.offers(Request(cpus=Amount(value=4, plus=True), memory_gb=Amount(value=16, plus=True))))
    prices = [offer.hourly_usd for offer in found]
    assert prices == sorted(prices)
    assert len(prices) > 3
    assert all(offer.cpus >= 4 and not offer.accelerators and not offer.use_spot for offer in found)


def test_a_listing_has_every_machine_a_plan_only_those_without_accelerators(driver):
    listed, planned = list(driver.offers(Request(any_accelerators=True))), list(driver.offers(Request()))
    assert {bool(offer.accelerators) for offer in listed} == {False, True}
    assert [offer for offer in listed if not offer.accelerators] == planned
    assert [offer.hourly_usd for offer in listed] == sorted(offer.hourly_usd for offer in listed)


@pytest.mark.parametrize(
    ("query", "places"),
    [
        (Request(accelerators={"H100": 8}), {"east", "west"}),
        (Request(accelerators={"A100": 8}, use_spot=True), {"east", "west", "north"}),
        (Request(accelerators={"A100": 4}), set()),
        (Request(instance_type="v.t4", zone="west-c"), {"west"}),
        (Request(instance_type="v.t4", region="mars"), set()),
        (Request(cloud="other"), set()),
    ],
)
def test_offers_are_where_they_are_sold(vm, query, places):
    assert {offer.region for offer in vm.offers(query)} == places


def test_spot_is_cheaper(vm):
    spot, regular = (next(iter(vm.offers(Request(use_spot=use)))).hourly_usd for use in (True, False))
    assert spot < regular


def test_what_cannot_be_stopped_is_said_before_the_launch(driver):
    candidate = Candidate(
        cloud=driver.name, region="r", instance_type="t", cpus=1, memory_gb=1, hourly_usd=1, use_spot=True
    )
    assert driver.lacks(candidate, Request(autostop=True))
    assert not driver.lacks(candidate, Request(autostop=True, autostop_down=True))


def test_a_driver_without_a_url_is_disabled_and_says_how_to_enable_it(driver, tmp_path):
    variable = f"SKYX_{driver.name.upper()}_URL"
    assert variable in driver.disabled().fix
    context = DriverContext(owner="o", home=tmp_path, environ={variable: "http://127.0.0.1:1"})
    assert type(driver)(FakeCloudSettings(), context).disabled() is None


@pytest.mark.parametrize("driver_class", [FakeVmDriver, FakePodDriver])
def test_every_code_that_a_server_can_answer_has_a_rule(driver_class):
    folder = Path(fakecloud.__file__).parent
    skipped = {"vm_api.py": FakePodDriver, "world.py": FakePodDriver, "pod_api.py": FakeVmDriver}
    texts = [(folder / name).read_text() for name in SERVER_FILES if skipped.get(name) is not driver_class]
    codes = {code for text in texts for code in re.findall(r'Refusal\(\s*\d+,\s*"([^"]+)"', text)}
    codes -= {"InvalidAction", "MethodNotAllowed"}  # no call of a driver leads there
    assert len(codes) > 3
    unknown = [c for c in codes if not any(re.fullmatch(rule.code, c) for rule in driver_class.error_rules)]
    assert unknown == []


def test_the_distribution_offers_both_drivers():
    (found,) = importlib.metadata.distributions(path=[str(DISTRIBUTION)])
    loaded = {point.name: point.load() for point in found.entry_points if point.group == "skyx.clouds"}
    assert loaded == {"fakevm": FakeVmDriver, "fakepod": FakePodDriver}
    assert all(issubclass(kind, CloudDriver) and kind.name == name for name, kind in loaded.items())


def test_the_testing_package_costs_nothing_until_it_is_used():
    code = "import sys, skyx_core.testing, skyx_core.testing.fakecloud; print('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE).stdout == b"False\n"
