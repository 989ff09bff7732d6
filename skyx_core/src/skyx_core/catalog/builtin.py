"""The small catalogue in a cloud's package: CSV there, compiled once into the cache."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING

from skyx_core.catalog.file import CatalogFile
from skyx_core.catalog.layout import SUFFIX, VERSION
from skyx_core.errors import CatalogError

if TYPE_CHECKING:
    from pathlib import Path

    from skyx_core.dirs import Dirs


def compiled(dirs: Dirs, cloud: str, brings: str) -> Path | None:
    """The compiled file; made when it is missing or damaged, named by its content. Safe to race. None: the package
    brings none. Raises ``CatalogError`` for a CSV that can't be read or has bad rows.
    """
    if not brings:
        return None
    content = _read(cloud, brings)
    digest = hashlib.sha256(b"%d %b" % (VERSION, content)).hexdigest()[:16]
    folder = dirs.cache / "catalog"
    path = folder / f"{cloud}-{digest}{SUFFIX}"
    if not _usable(path, cloud):
        _compile(path, cloud, brings, content)
        for old in folder.glob(f"{cloud}-{'[0-9a-f]' * 16}{SUFFIX}"):
            if old != path:
                with suppress(OSError):
                    old.unlink()
    return path


def _usable(path: Path, cloud: str) -> bool:
    try:
        CatalogFile.open(path, cloud).close()
    except CatalogError:
        return False
    return True


def _compile(path: Path, cloud: str, brings: str, content: bytes) -> None:
    from skyx_core.catalog.csv_rows import CsvRows
    from skyx_core.catalog.writer import Writer

    rows = CsvRows(BytesIO(content), brings)
    writer = Writer(path, cloud)
    try:
        writer.write(rows, brings, 0.0)
        if rows.bad:
            raise CatalogError(
                f"the catalogue in the package of {cloud!r} has bad rows",
                where=brings,
                why=rows.examples[0],
                hint=_HINT,
            )
        writer.publish()
    finally:
        writer.discard()


_HINT = "this is a fault of the plugin: report it to its authors"


def _read(cloud: str, brings: str) -> bytes:
    from importlib import resources

    package, _, inside = brings.partition(":")
    try:
        found = resources.files(package)
        for part in inside.split("/"):
            found = found.joinpath(part)
        return found.read_bytes()
    except (OSError, ImportError, ValueError, TypeError) as error:
        raise CatalogError(
            f"the catalogue in the package of {cloud!r} can't be read", where=brings, why=str(error), hint=_HINT
        ) from error
