"""Catalogues through a session: what drivers get of them, what packages bring, updates, and lists over all clouds."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from builders import offer
from skyx_core import Session, loads
from skyx_core.catalog.catalogue import Catalogue
from skyx_core.drivers import CloudDriver, SupportsCatalogUpdate
from skyx_core.errors import CatalogError, CloudError, UsageError
from skyx_core.models import Capability, Idempotency, Link, Offer, Request, WhyNot
from skyx_core.task import Task

CSV = "InstanceType,vCPUs,MemoryGiB,Price,Region,AcceleratorName,AcceleratorCount\n"


def _unused(*_: object, **__: object) -> None:
    raise AssertionError("not part of these tests")


class Mars(CloudDriver, SupportsCatalogUpdate):  # type: ignore[type-arg]
    """Everything from the catalogue."""

    name = "mars"
    idempotency = Idempotency.TOKEN
    link = Link.SANDBOX
    capabilities = frozenset({Capability.SPOT})
    fetched: ClassVar[Callable[[], Iterable[Offer]]] = staticmethod(lambda: ())

    def offers(self, query: Request) -> Iterable[Offer]:
        assert self.context.catalog is not None
        return self.context.catalog.offers(query)

    def why_nothing(self, query: Request) -> Sequence[WhyNot]:
        assert self.context.catalog is not None
        return self.context.catalog.why_nothing(query)

    def fetch_offers(self) -> Iterable[Offer]:
        return type(self).fetched()

    locate = provision = find = describe = teardown = inventory = runner = _unused  # type: ignore[assignment]


class Venus(Mars):
    name = "venus"
    builtin_catalog = "venus_package:data/offers.csv"


class Moon(CloudDriver):  # type: ignore[type-arg]
    """No catalogue: says itself what it has."""

    name = "moon"
    idempotency = Idempotency.TOKEN
    link = Link.SANDBOX

    def offers(self, query: Request) -> Iterable[Offer]:
        return [offer("moon", instance_type="m", hourly_usd=0.5, accelerators=query.accelerators)]

    locate = provision = find = describe = teardown = inventory = runner = _unused  # type: ignore[assignment]


def task(text: str = "resources: {cpus: 1+}") -> Task:
    return loads(text).tasks[0]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    plugins = [("cloud", kind.name, kind) for kind in (Mars, Moon)]
    environ = {"SKYX_HOME": str(tmp_path / "home"), "SKYX_DISABLE_CLOUDS": "local"}
    with Session(environ=environ, cwd=tmp_path, plugins=plugins, scan_plugins=False) as made:
        yield made


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cloud's package with a catalogue."""
    data = tmp_path / "site" / "venus_package" / "data"
    data.mkdir(parents=True)
    (data.parent / "__init__.py").write_text("")
    (data / "offers.csv").write_text(f"{CSV}v.small,2,8,0.1,low,,\nv.big,8,32,4,low,t4,1\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    yield data / "offers.csv"
    sys.modules.pop("venus_package", None)


def bring(session: Session, cloud: str, *rows: str) -> None:
    session.import_catalog(cloud, io.BytesIO((CSV + "\n".join(rows)).encode()))


def test_a_driver_plans_from_the_imported_catalogue(session: Session) -> None:
    bring(session, "mars", "a,4,16,2,r,,", "b,4,16,1,r,,")
    plan = session.plan(task("resources: {infra: mars, cpus: 4}"))
    assert [row.instance_type for row in plan.candidates] == ["b", "a"]


def test_without_a_catalogue_the_plan_says_how_to_get_one(session: Session) -> None:
    [why] = session.plan(task("resources: {infra: mars}")).excluded
    assert "no catalogue" in why.reason
    assert why.fix == "skyx catalog update mars"


def test_one_broken_catalogue_spoils_only_its_own_cloud(session: Session) -> None:
    bring(session, "mars", "a,4,16,2,r,,")
    path = session.dirs.catalogues / "mars.db"
    path.write_bytes(path.read_bytes()[:5000])
    plan = session.plan(task())
    assert {row.cloud for row in plan.candidates} == {"moon"}
    [why] = [why for why in plan.excluded if why.cloud == "mars"]
    assert str(path) in why.reason
    assert "skyx catalog import mars" in why.fix
    found = session.offers()
    assert {row.cloud for row in found} == {"moon"}
    assert [problem.split(":")[0] for problem in found.problems] == ["mars"]
    [info] = session.catalogues()
    assert (info.cloud, info.error != "") == ("mars", True)
    with pytest.raises(CatalogError):
        list(session.offers(cloud="mars"))
    bring(session, "mars", "a,4,16,2,r,,")
    assert {row.cloud for row in session.offers()} == {"mars", "moon"}


def test_what_a_package_brings_is_compiled_once_and_again_when_it_changes(tmp_path: Path, package: Path) -> None:
    environ = {"SKYX_HOME": str(tmp_path / "home")}

    def names(session: Session) -> list[str]:
        return [row.instance_type for row in session.offers(cloud="venus")]

    with Session(environ=environ, plugins=[("cloud", "venus", Venus)], scan_plugins=False) as session:
        assert names(session) == ["v.small", "v.big"]
        [made] = (session.dirs.cache / "catalog").iterdir()
        before = made.stat().st_mtime_ns
        assert names(session) == ["v.small", "v.big"]
        assert made.stat().st_mtime_ns == before
        made.write_bytes(b"garbage")
        assert names(session) == ["v.small", "v.big"]
        package.write_text(f"{CSV}v.new,2,8,0.1,low,,\n")
        assert names(session) == ["v.new"]
        assert len(list((session.dirs.cache / "catalog").iterdir())) == 1
        [info] = [one for one in session.catalogues() if one.cloud == "venus"]
        assert (info.rows, info.source, info.age_seconds) == (1, "venus_package:data/offers.csv", None)
        bring(session, "venus", "mine,2,8,0.1,low,,")
        assert names(session) == ["mine"]


@pytest.mark.parametrize(("text", "why"), [(None, "No such file"), (f"{CSV}a,x,8,1,r,,\n", "line 2"), ("", "empty")])
def test_a_package_with_a_bad_catalogue_is_blamed(tmp_path: Path, package: Path, text: str | None, why: str) -> None:
    package.unlink() if text is None else package.write_text(text)
    environ = {"SKYX_HOME": str(tmp_path / "home")}
    session = Session(environ=environ, plugins=[("cloud", "venus", Venus)], scan_plugins=False)
    with session, pytest.raises(CatalogError) as caught:
        list(session.offers(cloud="venus"))
    assert why in caught.value.why
    assert caught.value.where == Venus.builtin_catalog


def test_update_keeps_what_the_cloud_tells(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    told = [
        offer("mars", "r", zone="z", instance_type="g", accelerators={"nvidia-tesla-t4": 1.0}, use_spot=True),
        offer("mars", "r", instance_type="p", quota_buckets=("cpus", "all"), reservation="held", hourly_usd=0),
    ]
    monkeypatch.setattr(Mars, "fetched", staticmethod(lambda: iter(told)))
    [change] = session.update_catalog()
    assert (change.cloud, change.rows, change.error) == ("mars", 2, "")
    assert [row.instance_type for row in session.offers(cloud="mars")] == ["p", "g"]
    assert [row.accelerators for row in session.offers("T4", "mars")] == [{"T4": 1.0}]
    plan = session.plan(task("resources: {infra: mars, cpus: 4}"))
    assert (plan.chosen[0].reservation, plan.chosen[0].quota_buckets) == ("held", ("cpus", "all"))


@pytest.mark.parametrize(
    ("fetched", "error"),
    [
        (lambda: (), "no offer at all"),
        (lambda: [offer("venus")], "an offer of cloud 'venus'"),
        (lambda: ["an offer"], "returned str"),
        (lambda: (1 // n for n in (1, 0)), "returned int"),
        (lambda: (_ for _ in ()).throw(CloudError("mars", "List", "Denied", "no")), "Denied"),
    ],
)
def test_an_update_that_fails_changes_nothing(
    session: Session, monkeypatch: pytest.MonkeyPatch, fetched: object, error: str
) -> None:
    bring(session, "mars", "a,4,16,2,r,,")
    monkeypatch.setattr(Mars, "fetched", staticmethod(fetched))
    [change] = session.update_catalog(["mars"])
    assert error in change.error
    assert change.exit_code
    assert [row.instance_type for row in session.offers(cloud="mars")] == ["a"]
    assert [path.name for path in session.dirs.catalogues.iterdir()] == ["mars.db"]


def test_a_cloud_that_cant_tell_says_what_to_do(session: Session) -> None:
    [change] = session.update_catalog(["moon"])
    assert "can't tell its offers" in change.error
    assert "skyx catalog import moon" in change.hint
    assert change.exit_code == 2
    [change] = session.update_catalog(["pluto"])
    assert change.error


def test_lists_and_lowest_prices_cover_clouds_without_a_plugin_or_a_catalogue(session: Session) -> None:
    bring(session, "mars", "g1,4,16,2,r,T4,1", "g2,4,16,3,r,T4,1", "g4,4,16,5,s,T4,4", "c,4,16,1,r,,")
    bring(session, "pluto", "p,4,16,1.5,r,T4,1")
    assert session.catalogued() == ["mars", "pluto"]
    assert {info.cloud: info.installed for info in session.catalogues()} == {"mars": True, "pluto": False}
    rows = session.gpus().rows
    assert [(r.cloud, r.accelerators, r.hourly_usd, r.instance_type, r.spot_hourly_usd) for r in rows] == [
        ("pluto", {"T4": 1.0}, 1.5, "p", None),
        ("mars", {"T4": 1.0}, 2.0, "g1", None),
        ("mars", {"T4": 4.0}, 5.0, "g4", None),
    ]
    assert [row.cloud for row in session.gpus("t4:4").rows] == ["moon", "mars"]
    assert [row.instance_type for row in session.offers("t4", "mars")] == ["g1", "g2", "g4"]
    assert [row.instance_type for row in session.offers("T4:4", "mars")] == ["g4"]
    assert [row.instance_type for row in session.offers(region="s")] == ["g4"]
    assert [row.instance_type for row in session.offers(limit=2)] == ["c", "g1"]


def test_an_accelerator_that_nobody_has_is_explained(session: Session) -> None:
    bring(session, "mars", "g1,4,16,2,r,A100,1")
    report = session.gpus("A10", "mars")
    assert report.rows == []
    assert report.problems == ["mars: unknown accelerator 'A10'; did you mean A100?"]


def test_unknown_clouds_and_accelerators_are_refused(session: Session) -> None:
    with pytest.raises(UsageError, match="no cloud 'marz'") as caught:
        session.offers(cloud="marz")
    assert "mars" in caught.value.hint
    with pytest.raises(UsageError):
        session.offers("H100:many")


class Europa(CloudDriver):  # type: ignore[type-arg]
    """No catalogue, and machines with accelerators, some of them sold as spot, too."""

    name = "europa"
    idempotency = Idempotency.TOKEN
    link = Link.SANDBOX
    capabilities = frozenset({Capability.SPOT})

    def offers(self, query: Request) -> Iterable[Offer]:
        rows = [
            ("plain", {}, 1.0),
            ("one", {"H100": 1.0}, 3.0),
            ("eight", {"H100": 8.0}, 20.0),
            ("t", {"T4": 1.0}, 2.0),
        ]
        for kind, has, price in sorted(rows, key=lambda row: row[2]):
            if query.any_accelerators or has == query.accelerators:
                usd = price / 2 if query.use_spot else price
                yield offer(
                    "europa", "r", instance_type=kind, accelerators=has, hourly_usd=usd, use_spot=query.use_spot
                )

    locate = provision = find = describe = teardown = inventory = runner = _unused  # type: ignore[assignment]


def test_a_driver_without_a_catalogue_lists_all_that_it_has(tmp_path: Path) -> None:
    environ = {"SKYX_HOME": str(tmp_path / "home"), "SKYX_DISABLE_CLOUDS": "local"}
    plugins = [("cloud", "europa", Europa)]
    with Session(environ=environ, cwd=tmp_path, plugins=plugins, scan_plugins=False) as session:
        rows = [(row.instance_type, row.use_spot, row.hourly_usd) for row in session.offers(cloud="europa")]
        assert rows == [
            ("plain", True, 0.5), ("plain", False, 1.0), ("t", True, 1.0), ("one", True, 1.5), ("t", False, 2.0),
            ("one", False, 3.0), ("eight", True, 10.0), ("eight", False, 20.0),
        ]  # fmt: skip
        named = [(row.instance_type, row.use_spot) for row in session.offers("H100", "europa")]
        assert named == [("one", True), ("one", False), ("eight", True), ("eight", False)]
        assert [row.instance_type for row in session.offers("H100:8")] == ["eight", "eight"]
        assert list(session.offers("A100")) == []
        gpus = [(row.accelerators, row.hourly_usd, row.spot_hourly_usd) for row in session.gpus().rows]
        assert gpus == [({"H100": 1.0}, 3.0, 1.5), ({"H100": 8.0}, 20.0, 10.0), ({"T4": 1.0}, 2.0, 1.0)]
        assert [row.accelerators for row in session.gpus("H100").rows] == [{"H100": 1.0}, {"H100": 8.0}]
        assert [row.instance_type for row in session.plan(task("resources: {}")).candidates] == ["plain"]


def test_a_listing_of_a_catalogue_has_machines_with_accelerators(session: Session, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(CSV + "plain,4,16,1,r,,\nbig,8,32,9,r,H100,8\n")
    session.import_catalog("mars", tmp_path / "m.csv")
    known = Catalogue.open(session.dirs, "mars")
    assert [one.instance_type for one in known.offers(Request(any_accelerators=True))] == ["plain", "big"]
    assert [one.instance_type for one in known.offers(Request())] == ["plain"]
