"""Looking into the catalogues of all clouds: those on this machine, and what drivers without one say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from skyx_core.catalog.catalogue import Catalogue, imported_names
from skyx_core.catalog.listing import Cheapest, cheapest, listing
from skyx_core.catalog.near import near
from skyx_core.cluster.clouds import catalogue_of
from skyx_core.errors import CloudCallError, CloudError, PluginError, SkyxError, UsageError
from skyx_core.models import Capability, Offer, Request
from skyx_core.results import CatalogInfo, GpuReport, GpuRow, OfferRow, to_iso
from skyx_core.task.accelerators import USUAL_ACCELERATORS, accelerators
from skyx_core.task.infra import cloud_name
from skyx_core.task.mistakes import BadValue, BadValues

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services

T = TypeVar("T")


class Found(Iterable[OfferRow]):
    """Offers, lazily. ``problems``: clouds that could not be read, known at the end of an iteration."""

    def __init__(self, rows: Callable[[list[str]], Iterator[OfferRow]]) -> None:
        self.problems: list[str] = []
        self._rows = rows

    def __iter__(self) -> Iterator[OfferRow]:
        return self._rows(self.problems)


class Catalogues:
    """See ``Session`` for what each does."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def of(self, name: str) -> Catalogue:
        """That of one cloud, with or without a driver."""
        try:
            kind = self._services.plugins.cloud_class(name)
        except PluginError:
            kind = None
        return catalogue_of(self._services, name, kind)

    def names(self) -> list[str]:
        """Clouds that are installed or have a catalogue here."""
        return sorted({*self._services.plugins.names("cloud"), *imported_names(self._services.dirs)})

    def infos(self) -> list[CatalogInfo]:
        """Those that are there, also broken ones."""
        rows = (self._info(name) for name in self.names())
        return [row for row in rows if row is not None]

    def _info(self, name: str) -> CatalogInfo | None:
        known = self.of(name)
        installed = name in self._services.plugins.names("cloud")
        try:
            header = known.header()
        except SkyxError as error:
            return CatalogInfo(name, 0, "", "", None, error.where, installed, str(error))
        if header is None:
            return None
        age = self._services.clock.time() - header.imported_at if header.imported_at else None
        at = to_iso(header.imported_at) if header.imported_at else ""
        return CatalogInfo(name, header.rows, header.source, at, age, str(known.path()), installed)

    def offers(self, accelerator: str | None, cloud: str | None, region: str | None, limit: int | None) -> Found:
        wanted, count = parsed(accelerator)
        names = self._chosen(cloud)

        def rows(problems: list[str]) -> Iterator[Offer]:
            empty = True
            for name in names:
                listed = partial(self._listed, name, wanted, count, region, cloud)
                for offer in _guarded(listed, name, problems, cloud):
                    empty = False
                    yield offer
            if empty and wanted:
                problems += self._why_none(wanted, count, region, names)

        return Found(lambda problems: islice(map(_row, rows(problems)), limit))

    def _listed(
        self, name: str, wanted: str | None, count: float | None, region: str | None, named: str | None
    ) -> Iterator[Offer]:
        file = self.of(name).file()
        if file is not None:
            return listing(file, accelerator=wanted, count=count, region=region)
        told = (offer for offer in self._told(name, wanted, count, named) if region in (None, offer.region))
        if wanted is None:
            return told
        return (o for o in told if wanted in o.accelerators and count in (None, o.accelerators[wanted]))

    def _told(self, name: str, wanted: str | None, count: float | None, named: str | None) -> Iterable[Offer]:
        """By a driver that has no catalogue: on demand and spot, cheapest first."""
        clouds, reasons = self._services.clouds.enabled(frozenset({name}))
        if not clouds and named:
            raise UsageError(f"cloud {name!r} can't be used", why=reasons[0].reason, hint=reasons[0].fix)
        found: dict[tuple[object, ...], Offer] = {}
        for cloud in clouds:
            for request in _queries(wanted, count, spot=Capability.SPOT in cloud.capabilities):
                found.update((_identity(offer), offer) for offer in cloud.offers(request))
        return sorted(found.values(), key=lambda o: (o.hourly_usd, o.region, o.zone or "", o.instance_type, o.use_spot))

    def gpus(self, accelerator: str | None, cloud: str | None) -> GpuReport:
        wanted, count = parsed(accelerator)
        problems: list[str] = []
        found: dict[tuple[str, float, str], dict[bool, Cheapest]] = {}
        for name in self._chosen(cloud):
            for one in _guarded(partial(self._cheapest, name, wanted, count, cloud), name, problems, cloud):
                ways = found.setdefault((one.accelerator, one.number, name), {})
                if one.spot not in ways or one.hourly_usd < ways[one.spot].hourly_usd:
                    ways[one.spot] = one
        rows = [_gpu_row(key, ways.get(False), ways.get(True)) for key, ways in found.items()]
        rows.sort(key=lambda row: (*next(iter(row.accelerators.items())), _lowest(row), row.cloud))
        if not rows and wanted:
            problems += self._why_none(wanted, count, None, self._chosen(cloud))
        return GpuReport(rows, problems)

    def _cheapest(self, name: str, wanted: str | None, count: float | None, named: str | None) -> Iterator[Cheapest]:
        file = self.of(name).file()
        if file is not None:
            return cheapest(file, wanted, count)
        return (
            Cheapest(gpu, number, offer.use_spot, offer.hourly_usd, offer.instance_type, offer.region)
            for offer in self._told(name, wanted, count, named)
            for gpu, number in offer.accelerators.items()
            if wanted in (None, gpu) and count in (None, number)
        )

    def _why_none(self, wanted: str, count: float | None, region: str | None, names: list[str]) -> list[str]:
        """As the catalogues say; where they say nothing, the nearest names that drivers or this field know."""
        request = Request(accelerators={wanted: count or 1.0}, region=region)
        sold = set(USUAL_ACCELERATORS)
        told: list[str] = []
        for name in names:
            with suppress(SkyxError, CloudError):  # was told before
                known = self.of(name)
                if known.file() is None:
                    sold.update(gpu for offer in self._told(name, wanted, count, None) for gpu in offer.accelerators)
                else:
                    found = known.why_nothing(request)
                    told += (f"{name}: {why.reason}" + (f"; {why.fix}" if why.fix else "") for why in found)
        close = near(wanted, sold) if not told and wanted not in sold else []
        return told or ([f"unknown accelerator {wanted!r}; did you mean {', '.join(close)}?"] if close else [])

    def _chosen(self, cloud: str | None) -> list[str]:
        names = self.names()
        if cloud is None:
            return names
        name = checked(cloud)
        if name not in names:
            close = near(name, names)
            hint = (
                f"did you mean {', '.join(close)}?" if close else "'skyx catalog info' and 'skyx plugins' list clouds"
            )
            raise UsageError(
                f"there is no cloud {name!r} here", why="no plugin and no catalogue has this name", hint=hint
            )
        return [name]


def _queries(wanted: str | None, count: float | None, *, spot: bool) -> Iterator[Request]:
    """Everything, and what is asked for, for drivers that offer it only then."""
    for use_spot in (False, True) if spot else (False,):
        yield Request(any_accelerators=True, use_spot=use_spot)
        if wanted is not None:
            yield Request(accelerators={wanted: count or 1.0}, use_spot=use_spot)


def _identity(o: Offer) -> tuple[object, ...]:
    counts = tuple(sorted(o.accelerators.items()))
    return o.region, o.zone, o.instance_type, counts, o.use_spot, o.hourly_usd, o.reservation


def checked(cloud: str) -> str:
    """The name of a cloud as it is stored."""
    try:
        return cloud_name(cloud) or ""
    except BadValue as error:
        raise UsageError(error.message, hint="use the name that its plugin or its list of prices has") from error


def parsed(text: str | None) -> tuple[str | None, float | None]:
    """``H100:8`` as a name and a number; without one, any number will do."""
    if text is None:
        return None, None
    try:
        found = accelerators(text)
    except (BadValue, BadValues) as error:
        raise UsageError(str(error), hint="such as H100 or H100:8") from error
    if found is None:
        return None, None
    name, count = found.choices[0]
    return name, count if ":" in text else None


def _guarded(items: Callable[[], Iterable[T]], name: str, problems: list[str], named: str | None) -> Iterator[T]:
    """One cloud that can't be read spoils only itself, unless it is the one that was asked for."""
    try:
        yield from items()
    except (SkyxError, CloudError) as error:
        if named and isinstance(error, SkyxError):
            raise
        if named:
            raise CloudCallError(f"cloud {name!r} can't tell its offers", why=str(error)) from error
        problems.append(f"{name}: {error}")


def _row(o: Offer) -> OfferRow:
    return OfferRow(
        o.cloud,
        o.region,
        o.zone,
        o.instance_type,
        dict(o.accelerators),
        o.cpus,
        o.memory_gb,
        o.use_spot,
        o.hourly_usd,
    )


def _gpu_row(key: tuple[str, float, str], regular: Cheapest | None, spot: Cheapest | None) -> GpuRow:
    accelerator, count, cloud = key
    return GpuRow(
        cloud,
        {accelerator: count},
        regular.hourly_usd if regular else None,
        regular.instance_type if regular else None,
        regular.region if regular else None,
        spot.hourly_usd if spot else None,
        spot.instance_type if spot else None,
        spot.region if spot else None,
    )


def _lowest(row: GpuRow) -> float:
    return min(price for price in (row.hourly_usd, row.spot_hourly_usd) if price is not None)
