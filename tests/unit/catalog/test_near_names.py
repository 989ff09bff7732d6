"""Listings of accelerators that nobody has: the nearest names are told."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from builders import offer
from market_clouds import market
from skyx_core import Session

HEAD = "InstanceType,vCPUs,MemoryGiB,Price,Region,AcceleratorName,AcceleratorCount\n"
EUROPA = market("europa", [offer("europa", "r", accelerators={"Warp-1": 1.0})])  # a driver without a catalogue


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    environ = {"SKYX_HOME": str(tmp_path / "home")}
    with Session(environ=environ, cwd=tmp_path, plugins=[EUROPA], scan_plugins=False) as made:
        yield made


def bring(session: Session, cloud: str, row: str) -> None:
    session.import_catalog(cloud, io.BytesIO(f"{HEAD}{row}\n".encode()))


def problems_of(session: Session, accelerator: str) -> list[list[str]]:
    """Of both listings; neither may find something."""
    report, found = session.gpus(accelerator), session.offers(accelerator)
    assert (report.rows, list(found)) == ([], [])
    return [report.problems, found.problems]


def test_a_catalogue_tells_what_is_nearest_in_it(session: Session) -> None:
    bring(session, "mars", "g1,4,16,2,r,A100,1")
    assert problems_of(session, "A10") == [["mars: unknown accelerator 'A10'; did you mean A100?"]] * 2


@pytest.mark.parametrize(("accelerator", "region", "found"), [("A100", "r", True), (None, "q", False)])
def test_other_lists_have_nothing_to_tell(session: Session, accelerator: str | None, region: str, found: bool) -> None:
    bring(session, "mars", "g1,4,16,2,r,A100,1")
    rows = session.offers(accelerator, region=region)
    assert (bool(list(rows)), rows.problems) == (found, [])


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("H1000", ["unknown accelerator 'H1000'; did you mean H100, "]),
        ("Warp1", ["unknown accelerator 'Warp1'; did you mean Warp-1?"]),
        ("H100", []),
        ("zzzz", []),
    ],
)
def test_without_a_catalogue_the_nearest_usual_names_and_those_that_drivers_have_are_told(
    session: Session, asked: str, told: list[str]
) -> None:
    for problems in problems_of(session, asked):
        assert [problem[: len(told[0])] for problem in problems] == told


def test_a_catalogue_that_is_damaged_is_told_once_when_nothing_is_found(session: Session) -> None:
    bring(session, "mars", "g1,4,16,2,r,A100,1")
    (found,) = session.dirs.catalogues.glob("mars*")
    found.write_bytes(b"garbage" * 1000)
    for problems in problems_of(session, "H1000"):
        assert problems[0].startswith("mars: ")
        assert problems[1].startswith("unknown accelerator 'H1000'")
        assert len(problems) == 2
