"""Whatever is in a catalogue and whatever is asked of it, it answers what a plain filter and sort would."""

from __future__ import annotations

import csv
import io
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog_rows import CLOUD, brute_force, catalogue, machine, order
from depth import depth
from skyx_core.catalog.csv_rows import OPTIONAL, CsvRows
from skyx_core.catalog.listing import cheapest, listing
from skyx_core.catalog.writer import Writer
from skyx_core.models import Amount, Offer, Request
from skyx_core.task.accelerators import canonical
from skyx_core.task.aliases import ACCELERATORS, MEMORY_GB

MANY = settings(
    max_examples=depth(50, 5000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
ZONES = {"east": ("east-a", "east-b"), "west": ("west-a", "shared"), "south": ("shared",)}
sizes = st.sampled_from([0.0, 1.0, 2.0, 4.0, 8.0, 512.0])
counts = st.sampled_from([0.5, 1.0, 2.0, 8.0])
names = st.sampled_from(["a1", "a2", "b1", "b10", "zz"])
gpus = st.dictionaries(st.sampled_from(["A100", "T4", "H100"]), counts, max_size=2)
prices = st.one_of(st.sampled_from([0.0, 1.0, 1.5, 2.0]), st.floats(0, 1e6))


@st.composite
def offers(draw: st.DrawFn) -> Offer:
    region = draw(st.sampled_from(sorted(ZONES)))
    return machine(
        draw(names),
        region,
        draw(st.sampled_from([None, *ZONES[region]])),
        draw(prices),
        cpus=draw(sizes),
        memory_gb=draw(sizes),
        accelerators=draw(gpus),
        use_spot=draw(st.booleans()),
        quota_buckets=draw(st.sampled_from([(), ("q",), ("q", "r")])),
        reservation=draw(st.sampled_from([None, None, "held"])),
    )


amounts = st.none() | st.builds(Amount, value=st.sampled_from([1.0, 2.0, 3.0, 4.0, 512.0]), plus=st.booleans())
queries = st.builds(
    Request,
    region=st.sampled_from([None, None, "east", "west", "nowhere"]),
    zone=st.sampled_from([None, None, "east-a", "shared", "nowhere-z"]),
    instance_type=st.none() | names,
    cpus=amounts,
    memory_gb=amounts,
    accelerators=st.one_of(st.just({}), gpus, st.just({"A100": 0.25}), st.just({"L4": 1.0})),
    use_spot=st.booleans(),
)


def told(one: Offer) -> tuple[object, ...]:
    return (*order(one), one.use_spot)


@MANY
@given(st.lists(offers(), min_size=1, max_size=40), st.lists(queries, min_size=1, max_size=8))
def test_any_query_of_any_catalogue_is_a_filter_and_a_sort(rows: list[Offer], asked: list[Request]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        known = catalogue(Path(folder), rows)
        for query in asked:
            found, expected = list(known.offers(query)), brute_force(rows, query)
            assert [told(one) for one in found] == [told(one) for one in expected]
            assert all(one in rows for one in found)
            assert bool(known.why_nothing(query)) == (not expected)


def test_more_than_one_chunk_of_types_and_of_places(tmp_path: Path) -> None:
    rows = [
        machine(f"t{kind:02}", f"r{place:02}", None, (7 * kind + 3 * place) % 11, use_spot=spot)
        for kind in range(60)
        for place in range(60)
        for spot in (False, True)
    ]
    known = catalogue(tmp_path, rows)
    queries = [Request(), Request(region="r07"), Request(instance_type="t30"), Request(use_spot=True)]
    for query in queries:
        assert [told(one) for one in known.offers(query)] == [told(one) for one in brute_force(rows, query)]


@MANY
@given(st.lists(offers(), min_size=1, max_size=40), st.sampled_from([None, "A100", "T4"]))
def test_listing_and_lowest_prices_agree_with_the_rows(rows: list[Offer], gpu: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = catalogue(Path(folder), rows).file()
        assert file is not None
        listed = list(listing(file, accelerator=gpu))
        assert [one.hourly_usd for one in listed] == sorted(one.hourly_usd for one in listed)
        every = [
            one
            for spot in (False, True)
            for one in brute_force_all(rows, spot)
            if gpu is None or gpu in one.accelerators
        ]
        assert Counter(map(told, listed)) == Counter(map(told, every))
        lowest: dict[tuple[str, float, bool], float] = {}
        for one in every:
            for name, count in one.accelerators.items():
                if gpu in (None, name):
                    key = (name, count, one.use_spot)
                    lowest[key] = min(one.hourly_usd, lowest.get(key, one.hourly_usd))
        assert {(c.accelerator, c.number, c.spot): c.hourly_usd for c in cheapest(file, gpu)} == lowest


def brute_force_all(rows: list[Offer], spot: bool) -> Iterator[Offer]:
    for name in sorted({one.instance_type for one in rows}):
        yield from brute_force(rows, Request(instance_type=name, use_spot=spot))


@MANY
@given(st.lists(offers(), min_size=1, max_size=30), st.randoms(use_true_random=False), st.booleans())
def test_a_catalogue_survives_the_way_through_csv(rows: list[Offer], random: object, upper: bool) -> None:
    columns = ["InstanceType", "AcceleratorName", "AcceleratorCount", "vCPUs", "MemoryGiB", "Price", "SpotPrice"]
    columns += ["Region", "AvailabilityZone", "GpuInfo", "Other"]
    random.shuffle(columns)  # type: ignore[attr-defined]
    plain = [
        one.model_copy(update={"accelerators": dict(sorted(one.accelerators.items())[:1]), "reservation": None})
        for one in rows
    ]
    text = io.StringIO()
    out = csv.DictWriter(text, columns)
    out.writerow({name: name.upper() if upper else name for name in columns})
    for one in plain:
        [(gpu, count)] = list(one.accelerators.items()) or [("", 0)]
        out.writerow(
            {
                "InstanceType": one.instance_type,
                "AcceleratorName": gpu.lower(),
                "AcceleratorCount": count or "",
                "vCPUs": one.cpus or "",
                "MemoryGiB": one.memory_gb,
                "SpotPrice" if one.use_spot else "Price": repr(one.hourly_usd),
                "Region": one.region,
                "AvailabilityZone": one.zone or "",
            }
        )
    with tempfile.TemporaryDirectory() as folder:
        known = catalogue(Path(folder), [machine("old")])
        read = CsvRows(io.BytesIO(text.getvalue().encode()), "it")
        writer = Writer(known.imported, CLOUD)
        writer.write(read, "it", 0.0)
        writer.publish()
        assert (read.read, read.bad, read.unpriced) == (len(rows), 0, 0)
        for query in (Request(), Request(use_spot=True), Request(accelerators={"A100": 8.0})):
            assert [told(one) for one in known.offers(query)] == [told(one) for one in brute_force(plain, query)]


@settings(max_examples=depth(100, 5000), deadline=None)
@given(st.lists(st.lists(st.text(max_size=12), max_size=11), max_size=8), st.booleans())
def test_no_content_of_cells_breaks_an_import(rows: list[list[str]], quoted: bool) -> None:
    text = io.StringIO()
    out = csv.writer(text, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
    out.writerow(["InstanceType", "vCPUs", "MemoryGiB", "Price", "SpotPrice", "Region", *OPTIONAL])
    out.writerows(rows)
    read = CsvRows(io.BytesIO(text.getvalue().replace("\0", "").encode("utf-8", "replace")), "it")
    sold = list(read)
    assert len(sold) <= 2 * (read.read - read.bad - read.unpriced)
    assert all(one.name and one.region and 0 <= one.price < float("inf") for one in sold)


known_names = st.sampled_from(sorted({*MEMORY_GB, *ACCELERATORS, *ACCELERATORS.values()}))
memory = st.sampled_from(["", "-16GB", "-40GB", "-80GB", " 80 GB", "-96gb"])
makers = st.sampled_from(["", "NVIDIA ", "nvidia-tesla-", "nvidia.com/", "AMD Instinct "])
mounts = st.sampled_from(["", " PCIe", "-SXM4", "-SXM"])


@settings(max_examples=depth(300, 10_000), deadline=None)
@given(makers, known_names, memory, mounts)
def test_case_makers_and_mounting_dont_matter_for_names_that_are_known(
    maker: str, name: str, gb: str, mount: str
) -> None:
    gb = "" if "GB" in name else gb
    usual = canonical(f"{name}{gb}")
    text = f"{maker}{name}{gb}{mount}"
    assert canonical(text.lower()) == canonical(text.upper()) == canonical(text)
    assert canonical(canonical(text)) == canonical(text)
    if mount != "-SXM":
        assert canonical(text) == usual
    assert canonical(name.replace("-", " ")) == canonical(name)


@settings(max_examples=depth(300, 10_000), deadline=None)
@given(st.text(alphabet="aA01 -_./:gGbBtpuvTPUVxmsSXMé", max_size=16) | st.text(max_size=12))
def test_naming_is_idempotent_for_any_text(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)
    assert canonical(f"  {text}\n") == canonical(text)


@pytest.mark.parametrize(
    ("written", "usual"),
    [
        ("a10g", "A10G"),
        ("A100-40GB", "A100"),
        ("A100-80GB", "A100-80GB"),
        ("NVIDIA A100 80GB PCIe", "A100-80GB"),
        ("NVIDIA-H100-80GB-HBM3", "H100"),
        ("nvidia-tesla-t4", "T4"),
        ("nvidia.com/a100", "A100"),
        ("h100-mega-80gb", "H100-MEGA"),
        ("L4-24GB", "L4"),
        ("Tesla V100-SXM2-32GB", "V100-32GB"),
        ("V100-16GB", "V100"),
        ("NVIDIA RTX 6000 Ada Generation", "RTX6000-Ada"),
        ("NVIDIA GeForce RTX 4090", "RTX4090"),
        ("TPU_v5e-8", "tpu-v5litepod-8"),
        ("v3-8", "tpu-v3-8"),
        ("trn1", "Trainium"),
        ("MyGPU", "MyGPU"),
        ("nvidia.com/gpu", "nvidia.com/gpu"),
    ],
)
def test_names_as_clouds_and_people_write_them(written: str, usual: str) -> None:
    assert canonical(written) == usual
