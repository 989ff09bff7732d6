"""By speed, by price with what moving data costs, and what each ability of a cloud decides."""

import pytest

from builders import candidate, offer, source
from skyx_core.models import Capability, Request
from skyx_core.plan import ranking
from skyx_core.plan.needs import missing
from skyx_core.plan.planner import make_plan
from skyx_core.plan.speed import TFLOPS, tflops


def gpus(name: str, count: float) -> dict[str, object]:
    return {"accelerators": {name: count}}


def test_the_fastest_comes_first_then_the_quickest_start_then_the_price() -> None:
    slow = source(
        "slow",
        offer("slow", "r", instance_type="h", hourly_usd=50, **gpus("H100", 8)),
        offer("slow", "r", instance_type="v", hourly_usd=10, **gpus("V100", 8)),
        usual_start_s=400.0,
    )
    quick = source(
        "quick",
        offer("quick", "r1", instance_type="h", hourly_usd=70, **gpus("H100", 8)),
        offer("quick", "r2", instance_type="h", hourly_usd=60, **gpus("H100", 8)),
        offer("quick", "r", instance_type="x", hourly_usd=1, **gpus("Unheard", 8)),
        usual_start_s=60.0,
    )
    requests = [Request(accelerators={name: 8.0}) for name in ("H100", "V100", "Unheard")]
    plan = make_plan(requests, [slow, quick], optimize="time")
    names = [f"{c.candidate.infra()} {c.candidate.instance_type}" for c in plan.choices]
    assert names == ["quick/r2 h", "quick/r1 h", "slow/r h", "slow/r v", "quick/r x"]


def test_without_accelerators_more_cpus_are_faster_and_ordered_still_holds() -> None:
    cloud = source("a", offer("a", instance_type="s", cpus=2), offer("a", instance_type="l", cpus=64, hourly_usd=3))
    types = [c.candidate.instance_type for c in make_plan([Request()], [cloud], optimize="time").choices]
    assert types == ["l", "s"]
    both = [Request(instance_type="s"), Request()]
    types = [c.candidate.instance_type for c in make_plan(both, [cloud], ordered=True, optimize="time").choices]
    assert types == ["s", "l"]


def test_speed_is_compared_up_to_a_bound_which_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "MOST_COMPARED", 3)
    rows = [offer("a", f"r{n}", instance_type=f"t{n}", cpus=n, hourly_usd=n) for n in range(1, 7)]
    plan = make_plan([Request()], [source("a", *rows)], optimize="time")
    assert [c.candidate.cpus for c in plan.choices] == [3, 2, 1, 4, 5, 6]
    assert "the 3 cheapest candidates" in plan.notes[0]


def test_the_table_of_speeds_is_of_canonical_names_and_counts_slices() -> None:
    from skyx_core.task.accelerators import canonical

    assert [name for name in TFLOPS if canonical(name) != name] == []
    assert tflops(candidate(accelerators={"h100": 8.0})) == 8 * 989
    assert tflops(candidate(accelerators={"tpu-v5litepod-8": 1.0})) == 8 * 197
    assert tflops(candidate(accelerators={"tpu-v2-8": 1.0})) == 4 * 45
    assert tflops(candidate(accelerators={"Unheard": 8.0, "H100": 1.0})) == 0
    assert tflops(candidate()) == 0


def test_what_comes_once_counts_like_an_hour() -> None:
    near = [offer("a", "near", instance_type="n", hourly_usd=2)]
    far = [offer("b", f"far{n}", instance_type=f"f{n}", hourly_usd=price) for n, price in enumerate((1, 1.5, 4))]
    costs = {"near": 0.0, "far0": 0.5, "far1": 5.0, "far2": 0.0}
    plan = make_plan([Request()], [source("a", *near), source("b", *far)], egress=lambda c: costs[c.region])
    rows = [(c.candidate.region, c.candidate.egress_usd) for c in plan.choices]
    assert rows == [("far0", 0.5), ("near", 0.0), ("far2", 0.0), ("far1", 5.0)]


def test_what_is_dear_to_reach_waits_for_what_costs_less_in_all() -> None:
    rows = [offer("a", "r1"), offer("a", "r2"), offer("a", "r3", hourly_usd=1.5), offer("a", "r4", hourly_usd=1.9)]
    plan = make_plan([Request()], [source("a", *rows)], egress=lambda c: 0.8 if c.region == "r1" else 0.0)
    assert [c.candidate.region for c in plan.choices] == ["r2", "r3", "r1", "r4"]


def test_egress_reads_only_as_far_as_it_must() -> None:
    read = []

    def offers(_request):
        for number in range(10_000):
            read.append(number)
            yield offer("a", f"r{number}", hourly_usd=1 + number)

    plan = make_plan([Request()], [source("a", offers=offers)], egress=lambda c: 2.5 if c.region == "r0" else 0.0)
    assert [next(plan.choices).candidate.region for _ in range(3)] == ["r1", "r2", "r0"]
    assert len(read) < 9


NEEDS: dict[Capability, dict[str, object]] = {
    Capability.SPOT: {"use_spot": True},
    Capability.MULTI_NODE: {"num_nodes": 2},
    Capability.CUSTOM_IMAGE: {"image_id": "img"},
    Capability.DOCKER_IMAGE: {"image_id": "docker:x"},
    Capability.DISK_TIER: {"disk_tier": "high"},
    Capability.PORTS_AT_LAUNCH: {"ports": ("80",)},
    Capability.NETWORK_TIER: {"network_tier": "best"},
    Capability.LABELS: {"labels": {"a": "b"}},
}
HOW_NOT_WHETHER = {  # these decide how a cloud is used, not whether
    Capability.ZONES, Capability.ZONES_TOGETHER, Capability.ATOMIC_BATCH, Capability.FREE_DESCRIBE, Capability.FALLBACK,
}  # fmt: skip


def test_every_capability_is_either_needed_by_some_request_or_never() -> None:
    assert set(NEEDS) | HOW_NOT_WHETHER == set(Capability)


@pytest.mark.parametrize("capability", list(NEEDS))
def test_a_cloud_without_what_is_needed_is_asked_for_nothing(capability: Capability) -> None:
    request = Request.model_validate(NEEDS[capability])
    everything, asked = frozenset(Capability), []

    def offers(_request):
        asked.append(1)
        return [offer("a", use_spot=request.use_spot)]

    unable = source("a", offers=offers, capabilities=everything - {capability})
    plan = make_plan([request], [unable])
    assert list(plan.choices) == []
    assert asked == []
    assert plan.excluded[0].reason.startswith("doesn't support ")
    able = source("a", offers=offers, capabilities=everything)
    assert len(list(make_plan([request], [able]).choices)) == 1


@pytest.mark.parametrize(
    ("request_", "ability"),
    [
        (Request(ports=("80",)), "ports"),
        (Request(autostop=True, autostop_down=True), "self_end"),
        (Request(autostop=True), "stop"),
    ],
)
def test_abilities_with_methods_count_too(request_: Request, ability: str) -> None:
    every = frozenset({"ports", "self_end", "stop"})
    assert list(missing(request_, frozenset(), every)) == []
    assert len(list(missing(request_, frozenset(), every - {ability}))) == 1
