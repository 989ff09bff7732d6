"""Importing: what is taken, what is left out and told, and what is refused without a change."""

from __future__ import annotations

import gzip
import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from skyx_core import Session
from skyx_core.catalog import Catalogue
from skyx_core.catalog.csv_rows import CsvRows, Limits
from skyx_core.errors import CatalogError, SkyxError, UsageError
from skyx_core.models import Request
from skyx_core.results import CatalogChange

HEAD = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone,GpuInfo"
GOOD = f"{HEAD}\nm1,,,4,16,1.5,0.5,north,north-a,\nm2,h100-80gb,8,96,1024,30,,north,,\n"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(environ={"SKYX_HOME": str(tmp_path / "home")}, cwd=tmp_path, scan_plugins=False) as made:
        yield made


def bring(session: Session, content: str | bytes, cloud: str = "mars") -> CatalogChange:
    data = content.encode() if isinstance(content, str) else content
    return session.import_catalog(cloud, io.BytesIO(data))


def sold(session: Session, query: Request, cloud: str = "mars") -> list[tuple[str, str | None, float]]:
    known = Catalogue.open(session.dirs, cloud)
    return [(one.instance_type, one.zone, one.hourly_usd) for one in known.offers(query)]


def noted(change: CatalogChange, text: str) -> bool:
    return any(text in note for note in change.notes)


def test_a_cloud_without_a_plugin_can_be_imported(session: Session) -> None:
    change = bring(session, GOOD)
    assert (change.rows, change.types, change.regions) == (3, 2, 1)
    assert noted(change, "skyx plan --catalogued")
    assert sold(session, Request()) == [("m1", "north-a", 1.5)]
    assert sold(session, Request(use_spot=True)) == [("m1", "north-a", 0.5)]
    assert sold(session, Request(accelerators={"H100": 8.0})) == [("m2", None, 30.0)]
    assert session.catalogued() == ["mars"]


def test_columns_in_any_order_and_case_and_others_are_told(session: Session) -> None:
    change = bring(session, "REGION,price,Arch,instancetype,memory_gib,vcpus\nr,1,x86,m,8,2\n")
    assert change.rows == 1
    assert noted(change, "columns left out: 'Arch'")


@pytest.mark.parametrize("packed", [False, True])
def test_a_mark_at_the_beginning_and_gzip_are_fine(session: Session, packed: bool) -> None:
    data = GOOD.encode("utf-8-sig")
    assert bring(session, gzip.compress(data) if packed else data).rows == 3


@pytest.mark.parametrize("price", ["", "nan", "NaN", "-1", "inf", "-inf", "1e999", "free", "1_0", "$3"])
def test_what_is_no_price_is_not_sold_that_way(session: Session, price: str) -> None:
    change = bring(
        session, f"{HEAD}\nm1,,,4,16,{price},0.5,r,,\nm2,,,4,16,1,{price},r,,\nm3,,,4,16,{price},{price},r,,\n"
    )
    assert sold(session, Request()) == [("m2", None, 1.0)]
    assert sold(session, Request(use_spot=True)) == [("m1", None, 0.5)]
    assert noted(change, "1 row left out for want of a price")
    assert noted(change, "4 cells are no price") == (price.lower() not in ("", "nan"))


def test_zero_is_a_price(session: Session) -> None:
    bring(session, f"{HEAD}\nm1,,,4,16,0,-0.0,r,,\n")
    assert sold(session, Request()) == [("m1", None, 0.0)]


def test_bad_rows_are_left_out_and_the_first_five_named_by_line(session: Session) -> None:
    bad = [
        ",,,4,16,1,,r,,",
        "m,,,4,16,1,,,,",
        "m,,,four,16,1,,r,,",
        "m,,,4,-16,1,,r,,",
        "m,A100,,4,16,1,,r,,",
        "m,,8,4,16,1,,r,,",
        "m,A100,0,4,16,1,,r,,",
        "m,,,4,16,1,,r,,,too,many",
        ",A100,1,4,16,1,,r,,",
        "m\x07,,,4,16,1,,r,,",
    ]
    change = bring(session, "\n".join([HEAD, *bad, "good,,,4,16,1,,r,,", ""]))
    [note] = [note for note in change.notes if "left out as bad" in note]
    assert note.startswith("10 rows left out as bad: line 2: InstanceType is empty; line 3: Region is empty")
    assert note.endswith("; and 5 more")
    assert sold(session, Request()) == [("good", None, 1.0)]


def test_lines_are_counted_as_an_editor_does(session: Session) -> None:
    change = bring(session, f'{HEAD}\n"m\n1",,,4,16,1,,r,,\n\nm2,,,x,16,1,,r,,\nm3,,,4,16,1,,r,,"a\nb"\n')
    [note] = [note for note in change.notes if "bad" in note]
    assert "line 3:" in note
    assert "line 5: vCPUs 'x'" in note


def test_of_doubles_the_cheapest_is_kept(session: Session) -> None:
    change = bring(session, f"{HEAD}\nm,,,4,16,3,,r,z,\nm,,,4,16,1,,r,z,\nm,,,4,16,2,,r,z,\n")
    assert sold(session, Request()) == [("m", "z", 1.0)]
    assert noted(change, "2 offers of the same machine")


def test_missing_sizes_are_told_and_dont_hide_a_machine(session: Session) -> None:
    change = bring(session, f"{HEAD}\ntpu,tpu-v2-8,1,,,4.5,,r,,\n")
    assert noted(change, "1 row without vCPUs or memory")
    assert sold(session, Request(accelerators={"tpu-v2-8": 1.0})) == [("tpu", None, 4.5)]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b"\xef\xbb\xbf", "no column"),
        (GOOD.encode("utf-16"), "UTF-16"),
        (b"\x7fELF\0\0\0", "not text"),
        (b"InstanceType,Region\nm,r\n", "no column vCPUs, MemoryGiB, Price or SpotPrice"),
        (HEAD.replace(",", ";").encode(), "no column"),
        (HEAD.encode(), "no rows but the first line"),
        (f"{HEAD},Region\n".encode(), "two columns Region"),
        (f"{HEAD}\nm,,,4,16,,,r,,\n".encode(), "for want of a price"),
        (f"{HEAD}\nm,,,x,16,1,,r,,\n".encode(), "line 2: vCPUs 'x'"),
        (f"{HEAD}\n".encode() + b"m\xff,,,4,16,1,,r,,\n", "is not UTF-8"),
        (f"{HEAD}\n".encode() + b"x" * 1_100_000, "longer than"),
        (gzip.compress(GOOD.encode())[:-12], "end"),
        (b"\x1f\x8b\x08garbage-garbage", "unpacked"),
    ],
)
def test_what_is_no_catalogue_is_refused_and_the_old_one_stays(session: Session, content: bytes, why: str) -> None:
    bring(session, GOOD)
    with pytest.raises(CatalogError) as caught:
        bring(session, content)
    assert why in caught.value.why
    assert caught.value.where == "(stdin)"
    assert caught.value.hint
    assert sold(session, Request()) == [("m1", "north-a", 1.5)]
    assert [path.name for path in session.dirs.catalogues.iterdir()] == ["mars.db"]


def test_files_that_cant_be_read_are_named(session: Session, tmp_path: Path) -> None:
    for name in ("nothing.csv", ".", "a\0b"):
        with pytest.raises(CatalogError, match="can't be read") as caught:
            session.import_catalog("mars", name)
        assert caught.value.where == name


@pytest.mark.parametrize("cloud", ["../evil", "a/b", "", "A B", "x" * 60])
def test_a_name_that_is_none_is_refused(session: Session, cloud: str) -> None:
    with pytest.raises(UsageError):
        bring(session, GOOD, cloud)


def test_names_of_clouds_are_as_in_task_files(session: Session) -> None:
    assert bring(session, GOOD, "K8S").cloud == "kubernetes"


def test_a_folder_that_cant_be_written_is_named(session: Session) -> None:
    session.dirs.catalogues.parent.mkdir(parents=True)
    session.dirs.catalogues.write_text("a file")
    with pytest.raises(SkyxError, match="can't be used") as caught:
        bring(session, GOOD)
    assert caught.value.where == str(session.dirs.catalogues)


def test_two_imports_at_once_leave_one_of_both(session: Session) -> None:
    texts = [f"{HEAD}\nm{n},,,4,16,{n},,r,,\n" for n in range(1, 5)]
    threads = [threading.Thread(target=bring, args=(session, text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    [(name, _, price)] = sold(session, Request())
    assert name == f"m{price:g}"
    assert [path.name for path in session.dirs.catalogues.iterdir()] == ["mars.db"]


def test_what_a_killed_import_left_goes_with_the_next_one(session: Session) -> None:
    bring(session, GOOD)
    old, young = (session.dirs.catalogues / f"mars.db.1.{part}.part" for part in ("old", "young"))
    old.write_text("x")
    young.write_text("x")
    os.utime(old, (1, 1))
    bring(session, GOOD)
    assert (old.exists(), young.exists()) == (False, True)


def test_nothing_is_read_before_it_is_asked_for() -> None:
    class Endless(io.RawIOBase):
        def __init__(self) -> None:
            self.given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            text = f"{HEAD}\n" if not self.given else "m,,,4,16,1,,r,,\n" * 100
            data = text.encode()[: len(buffer)]
            buffer[: len(data)] = data
            self.given += len(data)
            return len(data)

    endless = Endless()
    rows = iter(CsvRows(endless, "it"))  # type: ignore[arg-type]
    assert [next(rows).name for _ in range(3)] == ["m"] * 3
    assert endless.given < 200_000


def read(limits: Limits, rows: int, *, packed: bool = False) -> int:
    text = (f"{HEAD}\n" + "m,,,4,16,1,,r,,\n" * rows).encode()
    return sum(1 for _ in CsvRows(io.BytesIO(gzip.compress(text) if packed else text), "it.csv", limits))


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_may_be_as_large_as_its_limits_and_no_larger(packed: bool) -> None:
    size = len(HEAD) + 1 + 10 * 16
    assert read(Limits(rows=10, size=size), 10, packed=packed) == 10
    for limits, why in ((Limits(rows=9), "more than 9 rows"), (Limits(size=size - 1), f"more than {size - 1} bytes")):
        with pytest.raises(CatalogError, match="this catalogue is too large") as caught:
            read(limits, 10, packed=packed)
        assert why in caught.value.why
        assert "leave out regions" in caught.value.hint


def test_bytes_are_counted_and_not_letters() -> None:
    text = f"{HEAD}\n".encode() + "\u00e4,,,4,16,1,,r,,\n".encode() * 10
    assert len(list(CsvRows(io.BytesIO(text), "it", Limits(size=len(text))))) == 10
    with pytest.raises(CatalogError):
        list(CsvRows(io.BytesIO(text), "it", Limits(size=len(text) - 1)))


def test_the_usual_limits_are_twenty_million_rows_and_eight_gibibytes() -> None:
    assert Limits() == Limits(rows=20_000_000, size=8 * 2**30)


def test_how_far_an_import_is_can_be_heard(session: Session) -> None:
    text = f"{HEAD}\n" + "".join(f"m{n % 50},,,4,16,1,,r{n // 50},,\n" for n in range(45_000))
    heard: list[str] = []
    session.import_catalog("mars", io.BytesIO(text.encode()), tell=heard.append)
    assert heard == ["20,000 rows read", "40,000 rows read", "45,000 rows are put in order"]
