"""Why there is nothing: the names, numbers and places that come nearest."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog_rows import CLOUD, catalogue, machine
from skyx_core.catalog import Catalogue
from skyx_core.dirs import Dirs
from skyx_core.models import Amount, Request


def h100(count: float, region: str, usd: float, **changes: object) -> object:
    size = {"cpus": 24.0 * count, "memory_gb": 200.0 * count}
    return machine(f"h.{count:g}", region, f"{region}-a", usd, accelerators={"H100": count}, **{**size, **changes})


ROWS = [
    *(h100(count, region, 12.0 * count) for count in (1.0, 2.0, 4.0, 8.0) for region in ("us-east-1", "eu-west-1")),
    h100(1.0, "us-east-1", 4.0, use_spot=True),
    machine("a10.1", "us-east-1", "us-east-1a", 1.2, accelerators={"A10": 1.0}, cpus=8.0, memory_gb=32.0),
    machine("p3.2xlarge", "us-east-1", "us-east-1a", 3.0, accelerators={"V100": 1.0}, cpus=8.0, memory_gb=61.0),
    *(machine(f"m.{n}", "us-east-1", "us-east-1b", 0.05 * n, cpus=n, memory_gb=4 * n) for n in (2, 4, 64)),
    machine("big", "us-east-1", "us-east-1b", 20.0, cpus=2.0, memory_gb=768.0),
]


def plus(value: float) -> Amount:
    return Amount(value=value, plus=True)


@pytest.mark.parametrize(
    ("query", "reason", "fix"),
    [
        (Request(accelerators={"H100": 16}), "no H100:16; there are H100:1, :2, :4, :8", "num_nodes: 2"),
        (Request(accelerators={"H100": 3}), "no H100:3; there are H100:1, :2, :4, :8", "3 nodes of H100:1"),
        (Request(accelerators={"H10": 1}), "unknown accelerator 'H10'", "did you mean H100"),
        (Request(accelerators={"Q7": 1}), "unknown accelerator 'Q7'", "there are A10, H100, V100"),
        (Request(accelerators={"H100": 1, "V100": 1}), "no machine has H100:1 and V100:1 together", "one of"),
        (Request(region="us-est-1"), "unknown region 'us-est-1'", "did you mean us-east-1"),
        (Request(zone="us-east-1x"), "unknown zone 'us-east-1x'", "did you mean us-east-1"),
        (Request(instance_type="p3.2xlage"), "unknown instance type 'p3.2xlage'", "did you mean p3.2xlarge?"),
        (
            Request(region="eu-west-1", zone="us-east-1a"),
            "zone 'us-east-1a' is not in region 'eu-west-1', but in us-east-1",
            "zones of eu-west-1: eu-west-1-a",
        ),
        (
            Request(instance_type="p3.2xlarge", accelerators={"A10": 1}),
            "p3.2xlarge has V100:1, 8 vCPUs and 61 GB, which contradicts A10:1",
            "leave out instance_type",
        ),
        (Request(instance_type="m.4", cpus=plus(8)), "m.4 has no accelerators, 4 vCPUs", "leave out instance_type"),
        (
            Request(accelerators={"V100": 1}, region="eu-west-1"),
            "V100:1 is there, but not in region eu-west-1",
            "cheapest elsewhere: us-east-1/us-east-1a at $3.00/h (p3.2xlarge)",
        ),
        (
            Request(accelerators={"A10": 1}, use_spot=True),
            "A10:1 is there, but not as spot",
            "cheapest on demand: us-east-1/us-east-1a at $1.20/h",
        ),
        (
            Request(accelerators={"H100": 1}, region="eu-west-1", use_spot=True),
            "H100:1 is there, but not in region eu-west-1",
            "cheapest elsewhere: us-east-1/us-east-1-a at $4.00/h",
        ),
        (
            Request(accelerators={"H100": 8}, region="us-east-1", use_spot=True),
            "H100:8 is there, but not as spot in region us-east-1",
            "cheapest on demand: us-east-1/us-east-1-a at $96.00/h",
        ),
        (
            Request(accelerators={"A10": 1}, region="eu-west-1", use_spot=True),
            "A10:1 is there, but not in region eu-west-1 and not as spot",
            "cheapest elsewhere on demand: us-east-1/us-east-1a at $1.20/h",
        ),
        (
            Request(cpus=plus(3), memory_gb=plus(1024)),
            "no machine has memory=1024+; the most is 768 GB",
            "such as 768+",
        ),
        (
            Request(cpus=plus(3), memory_gb=plus(700)),
            "no machine has cpus=3+ with memory=700+: with cpus=3+ the most memory is 256 GB (m.64)",
            "memory=256+",
        ),
        (Request(cpus=Amount(value=3)), "no machine has cpus=3; nearest are 2 and 4 vCPUs", "such as 4"),
        (
            Request(accelerators={"H100": 8}, cpus=plus(999)),
            "no machine with H100:8 has cpus=999+; the most is 192 vCPUs",
            "such as 192+",
        ),
    ],
)
def test_the_reason_names_what_comes_nearest(tmp_path: Path, query: Request, reason: str, fix: str) -> None:
    known = catalogue(tmp_path, ROWS)  # type: ignore[arg-type]
    assert list(known.offers(query)) == []
    first = known.why_nothing(query)[0]
    assert first.subject == CLOUD
    assert reason in first.reason
    assert fix in first.fix


def test_every_unknown_name_is_told_at_once(tmp_path: Path) -> None:
    known = catalogue(tmp_path, ROWS)  # type: ignore[arg-type]
    reasons = known.why_nothing(Request(region="nowhere", accelerators={"Q1": 1, "Q2": 1}, instance_type="qq"))
    assert [why.reason.split("'")[1] for why in reasons] == ["qq", "Q1", "Q2", "nowhere"]


def test_spot_alone_is_said(tmp_path: Path) -> None:
    known = catalogue(tmp_path, [machine("m", usd=0.01, use_spot=True)])
    [why] = known.why_nothing(Request())
    assert why.reason == "a machine is there, but only as spot"
    assert why.fix == "cheapest as spot: north at $0.0100/h (m)"


def test_machines_with_accelerators_are_not_for_those_who_ask_for_none(tmp_path: Path) -> None:
    known = catalogue(tmp_path, [machine("g", accelerators={"T4": 1.0})])
    [why] = known.why_nothing(Request())
    assert "has accelerators, and none are asked for" in why.reason
    assert why.fix == "name the type: g"
    assert [one.instance_type for one in known.offers(Request(instance_type="g"))] == ["g"]


def test_no_reason_where_there_is_an_offer(tmp_path: Path) -> None:
    assert catalogue(tmp_path, ROWS).why_nothing(Request()) == ()  # type: ignore[arg-type]


@pytest.mark.parametrize("updatable", [False, True])
def test_no_catalogue_says_how_to_get_one(tmp_path: Path, updatable: bool) -> None:
    known = Catalogue.open(Dirs.under(tmp_path), CLOUD, updatable=updatable)
    [why] = known.why_nothing(Request())
    assert list(known.offers(Request())) == []
    assert why.fix == ("skyx catalog update mars" if updatable else "skyx catalog import mars FILE.csv")
