"""Bringing catalogues to this machine: from a CSV file, or from the cloud itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import IO, TYPE_CHECKING

from skyx_core.calls import Fence
from skyx_core.catalog.csv_rows import CsvRows
from skyx_core.catalog.near import near
from skyx_core.catalog.writer import Staged, Writer, Written, accelerators_json, quota_json
from skyx_core.cluster.catalogues import Catalogues, checked
from skyx_core.drivers import SupportsCatalogUpdate
from skyx_core.errors import CatalogError, CloudError, SkyxError, UsageError
from skyx_core.models import Offer
from skyx_core.plugin_faults import Operation
from skyx_core.results import CatalogChange
from skyx_core.task.accelerators import canonical

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services

UPDATE_LIMIT_S = 600.0  # for one cloud to say all its offers
_MOST_OFFERS = 20_000_000


class CatalogueChanges:
    """See ``Session`` for what each does."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._catalogues = Catalogues(services)

    def import_csv(
        self, cloud: str, file: str | Path | IO[bytes], tell: Callable[[str], None] | None = None
    ) -> CatalogChange:
        name = checked(cloud)
        if not isinstance(file, str | Path):
            return self._imported(name, file, "(stdin)", tell)
        path = self._services.cwd / file
        try:
            with path.open("rb") as stream:
                return self._imported(name, stream, str(path), tell)
        except (OSError, ValueError) as error:
            number = error.errno if isinstance(error, OSError) else None
            why = os.strerror(number).lower() if number else str(error)
            raise CatalogError("the file can't be read", where=str(file), why=why, hint="pass a CSV file") from error

    def _imported(self, name: str, stream: IO[bytes], source: str, tell: Callable[[str], None] | None) -> CatalogChange:
        rows = CsvRows(stream, source, tell=tell)
        writer = Writer(self._catalogues.of(name).imported, name)
        try:
            written = writer.write(rows, source, self._services.clock.time())
            if not written.rows:
                raise CatalogError(
                    "there is no offer in this file",
                    where=source,
                    why="; ".join(_left_out(rows)) or "it has no rows but the first line",
                    hint="every row needs a type, a region and a price; the catalogue from before is unchanged",
                )
            writer.publish()
        finally:
            writer.discard()
        notes = [*_left_out(rows), *_told(rows, written), *self._no_driver(name)]
        return CatalogChange(name, written.rows, written.types, written.regions, source, notes)

    def _no_driver(self, name: str) -> Iterator[str]:
        installed = self._services.plugins.names("cloud")
        if name not in installed:
            close = near(name, installed, 1)
            meant = f" (did you mean {close[0]!r}?)" if close else ""
            yield (
                f"no installed plugin offers cloud {name!r}{meant}: "
                "it can be planned ('skyx plan --catalogued'), not launched on"
            )

    def update(self, clouds: Sequence[str]) -> list[CatalogChange]:
        return [self._update(checked(name)) for name in clouds] or [self._update(name) for name in self._updatable()]

    def _updatable(self) -> list[str]:
        names = self._services.plugins.names("cloud")
        return [name for name in names if self._catalogues.of(name).updatable]

    def _update(self, name: str) -> CatalogChange:
        try:
            written = self._fetched(name)
        except SkyxError as error:
            return CatalogChange(
                name, error=str(error), error_code=error.code, exit_code=error.exit_code, hint=error.hint
            )
        except CloudError as error:
            hint = "see what the cloud says of it; the catalogue from before is unchanged"
            return CatalogChange(name, error=str(error), error_code="SKYX-E520", exit_code=1, hint=hint)
        return CatalogChange(name, written.rows, written.types, written.regions, "update", list(_doubles(written)))

    def _fetched(self, name: str) -> Written:
        cloud = self._services.clouds.get(name)
        driver = cloud.driver
        if not isinstance(driver, SupportsCatalogUpdate):
            raise UsageError(
                f"cloud {name!r} can't tell its offers", hint=f"bring them: skyx catalog import {name} FILE.csv"
            )
        off = cloud.disabled()
        if off is not None:
            raise UsageError(f"cloud {name!r} can't be used", why=off.reason, hint=off.fix)
        writer = Writer(self._catalogues.of(name).imported, name)
        operation = Operation("fetch_offers()", name, cloud.distribution)
        now, fence = self._services.clock.time(), Fence()

        def take() -> Written:
            items = operation.items(driver.fetch_offers(), Offer, _MOST_OFFERS)
            wanted = takewhile(lambda _: not fence.cancelled, items)
            return writer.write((_staged(offer, operation) for offer in wanted), "update", now)

        try:
            written = self._services.caller.call(
                take, limit=UPDATE_LIMIT_S, what=operation.what, plugin=name, distribution=cloud.distribution
            )
            if not written.rows:
                raise operation.broken("gave no offer at all")
            writer.publish()
        finally:
            fence.set()  # a call that was given up ends at its next item
            writer.discard()
        return written


def _staged(offer: Offer, operation: Operation) -> Staged:
    if offer.cloud != operation.plugin:
        raise operation.broken(f"gave an offer of cloud {offer.cloud!r}")
    return Staged(
        offer.instance_type,
        offer.cpus,
        offer.memory_gb,
        accelerators_json({canonical(name): count for name, count in offer.accelerators.items()}),
        offer.region,
        offer.zone or "",
        int(offer.use_spot),
        offer.hourly_usd,
        quota_json(offer.quota_buckets),
        offer.reservation,
    )


def _left_out(rows: CsvRows) -> Iterator[str]:
    if rows.bad:
        more = f"; and {rows.bad - len(rows.examples)} more" if rows.bad > len(rows.examples) else ""
        yield f"{_rows(rows.bad)} left out as bad: {'; '.join(rows.examples)}{more}"
    if rows.unpriced:
        yield f"{_rows(rows.unpriced)} left out for want of a price"
    if rows.odd_prices:
        yield f"{rows.odd_prices} cells are no price (negative, infinite or no number): taken as not sold that way"


def _told(rows: CsvRows, written: Written) -> Iterator[str]:
    yield from _doubles(written)
    if rows.unsized:
        yield f"{_rows(rows.unsized)} without vCPUs or memory: only requests that don't ask for these find them"
    if rows.ignored:
        shown = ", ".join(repr(name) for name in rows.ignored[:8]) + (", ..." if len(rows.ignored) > 8 else "")
        yield f"columns left out: {shown}"


def _doubles(written: Written) -> Iterator[str]:
    if written.doubles:
        yield f"{written.doubles} offers of the same machine at the same place: the cheapest of each was kept"


def _rows(count: int) -> str:
    return f"{count} row{'s' if count != 1 else ''}"
