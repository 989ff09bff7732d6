"""The offers of one cloud on this machine, wherever they come from."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skyx_core.catalog import builtin
from skyx_core.catalog.file import CatalogFile, Stamp, stamp
from skyx_core.catalog.layout import SUFFIX
from skyx_core.catalog.streams import Selection, offers

if TYPE_CHECKING:
    from skyx_core.catalog.file import Header
    from skyx_core.dirs import Dirs
    from skyx_core.models import Offer, Request, WhyNot


class Catalogue:
    """Implements ``drivers.Catalog``. Thread-safe; making one does no I/O; the file is opened when it is first asked
    and again once it was replaced. What was imported or updated goes before what the cloud's package brings.

    Every method raises ``CatalogError`` for a file that can't be used.
    """

    def __init__(self, cloud: str, imported: Path, brought: Callable[[], Path | None], *, updatable: bool) -> None:
        self.cloud = cloud
        self.imported = imported
        self.updatable = updatable
        self._brought = brought
        self._lock = threading.Lock()
        self._file: CatalogFile | None = None
        self._stamp: tuple[Path, Stamp] | None = None
        self._cached: Path | None = None

    @classmethod
    def open(cls, dirs: Dirs, cloud: str, *, brings: str = "", updatable: bool = False) -> Catalogue:
        """``brings``: the driver's ``builtin_catalog``. ``updatable``: whether ``skyx catalog update`` works."""
        path = dirs.catalogues / f"{cloud}{SUFFIX}"
        return cls(cloud, path, lambda: builtin.compiled(dirs, cloud, brings), updatable=updatable)

    def offers(self, query: Request) -> Iterator[Offer]:
        """Those that satisfy the query, cheapest first, then by region, zone and type; lazily. None where there is no
        catalogue. Machines with accelerators only to those who ask for accelerators, for the type or for any.
        """
        file = self.file()
        return iter(()) if file is None else offers(file, Selection(query, everything=query.any_accelerators))

    def why_nothing(self, query: Request) -> Sequence[WhyNot]:
        """Why there are none, with the nearest names, sizes and prices; () if there are some."""
        from skyx_core.catalog.reasons import no_catalogue, why_nothing

        file = self.file()
        return no_catalogue(self.cloud, updatable=self.updatable) if file is None else why_nothing(file, query)

    def header(self) -> Header | None:
        """Where the offers come from; None: there are none."""
        file = self.file()
        return file.header if file else None

    def path(self) -> Path:
        """Of the file in use; where an imported one would be if there is none."""
        file = self.file()
        return file.path if file else self.imported

    def file(self) -> CatalogFile | None:
        """The open file; None: there is none. For ``listing`` and ``reasons``."""
        with self._lock:
            path, found = self.imported, stamp(self.imported)
            if found is None:
                path, found = self._fallback()
            if found is None:
                return None
            if self._file is None or self._stamp != (path, found):
                self._file = CatalogFile.open(path, self.cloud)
                self._stamp = (path, found)
            return self._file

    def _fallback(self) -> tuple[Path, Stamp | None]:
        """What the package brings; it can't change while this process runs, the compiled file can be deleted."""
        found = stamp(self._cached) if self._cached else None
        if found is None:
            self._cached = self._brought()
            found = stamp(self._cached) if self._cached else None
        return self._cached or self.imported, found


def imported_names(dirs: Dirs) -> list[str]:
    """Clouds with an imported or updated catalogue here, sorted."""
    try:
        return sorted(path.name.removesuffix(SUFFIX) for path in dirs.catalogues.glob(f"*{SUFFIX}"))
    except OSError:
        return []
