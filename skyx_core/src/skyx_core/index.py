"""Which plugins are installed, from a small file instead of a scan of all distributions.

The file is keyed by the import path and the modification times of its folders, which installing and uninstalling
change. A time too near to the moment of the scan can't tell a later change apart, so no file is written then. A file
that is missing, damaged or can't be written costs a scan (some 50 ms), never an error.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import Distribution
    from pathlib import Path

KIND_OF_GROUP: Mapping[str, str] = {
    "skyx.clouds": "cloud",
    "skyx.executors": "executor",
    "skyx.rules": "rules",
    "skyx.commands": "command",
    "skyx.kits": "kit",
    "skyx.stores": "store",
    "skyx.plugins": "listener",
}
_FORMAT = 1
_KEPT_FILES = 16
_FINE_NS, _COARSE_NS = 50_000_000, 2_000_000_000  # how long two changes may share one time stamp


class Entry(NamedTuple):
    """One entry point. ``requires``: the range of skyx-core that its distribution declares, "" = none."""

    kind: str
    name: str
    value: str
    distribution: str
    version: str
    requires: str = ""

    @property
    def where(self) -> str:
        return f"{self.distribution} {self.version}".strip()


class Index(NamedTuple):
    """All entry points of our groups, in the order of kind and name. ``core``: the installed version of skyx-core,
    "" = not installed; ``extras``: those of the distribution skyx. ``scanned``: made just now, not read from the file.
    """

    entries: tuple[Entry, ...] = ()
    core: str = ""
    extras: tuple[str, ...] = ()
    scanned: bool = False


def group_of(kind: str) -> str:
    """The entry point group of a kind."""
    return next(group for group, of in KIND_OF_GROUP.items() if of == kind)


Stamps = tuple[tuple[str, int], ...]


class IndexReader:
    """The index of this process' import path, read anew only when something was installed or removed since."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self._folder = folder
        self._known: tuple[Stamps, Index] | None = None

    def read(self) -> Index:
        """Costs a few ``stat`` calls when nothing has changed."""
        stamps = _stamps(sys.path)
        known = self._known
        if known is not None and known[0] == stamps:
            return known[1]
        started = time.time_ns()
        index = read_index(self._folder)
        if _settled(stamps, started):
            self._known = stamps, index
        return index


def read_index(folder: str | os.PathLike[str] | None, path: Sequence[str] | None = None) -> Index:
    """The index for an import path (default ``sys.path``), from the file where it is fresh, else from a scan."""
    stamps = _stamps(sys.path if path is None else path)
    file = None if folder is None else os.path.join(folder, f"plugins-{_digest(stamps)}.json")
    kept = _load(file, stamps) if file is not None else None
    if kept is not None:
        return kept
    started = time.time_ns()
    index = scan(path)
    if file is not None:
        _save(file, index, stamps, started)
    return index


def scan(path: Sequence[str] | None = None) -> Index:
    """Read the entry points of every distribution on the import path; imports no plugin."""
    import importlib
    from importlib.metadata import MetadataPathFinder, distributions

    from skyx_core.specifiers import canonical

    importlib.invalidate_caches()
    MetadataPathFinder().invalidate_caches()  # up to Python 3.11 the line above leaves this cache out
    where = list(sys.path if path is None else path)
    found: dict[str, list[Entry]] = {}
    for dist in distributions(path=where):
        entries = _entries_of(dist)
        if entries:  # the first on the path hides others of the same name
            found.setdefault(canonical(entries[0].distribution), entries)
    core = next(iter(distributions(name="skyx-core", path=where)), None)
    meta = next(iter(distributions(name="skyx", path=where)), None)
    return Index(
        entries=tuple(sorted((e for some in found.values() for e in some), key=_by_kind_and_name)),
        core=_version_of(core),
        extras=_extras_of(meta),
        scanned=True,
    )


def _by_kind_and_name(entry: Entry) -> tuple[str, str, str]:
    return entry.kind, entry.name, entry.distribution


def _entries_of(dist: Distribution) -> list[Entry]:
    """The entry points in our groups; [] also for a distribution whose metadata can't be read."""
    from skyx_core.specifiers import declared_range

    try:
        text = dist.read_text("entry_points.txt")
        if not text or "[skyx." not in text:
            return []
        name, version = dist.metadata["Name"] or "unknown", _version_of(dist)
        requires = declared_range(dist.requires or [], "skyx-core")
        return [
            Entry(KIND_OF_GROUP[point.group], point.name, point.value, name, version, requires)
            for point in dist.entry_points
            if point.group in KIND_OF_GROUP
        ]
    except Exception:
        return []  # damaged metadata of one distribution is no reason to lose the others


def _version_of(dist: Distribution | None) -> str:
    try:
        return "" if dist is None else dist.version or ""
    except Exception:
        return ""


def _extras_of(dist: Distribution | None) -> tuple[str, ...]:
    try:
        return () if dist is None else tuple(dist.metadata.get_all("Provides-Extra") or ())
    except Exception:
        return ()


def _stamps(path: Sequence[str]) -> Stamps:
    stamps = []
    for entry in path:
        folder = os.path.abspath(entry)
        try:
            stamps.append((folder, os.stat(folder).st_mtime_ns))
        except OSError:
            stamps.append((folder, -1))
    return tuple(stamps)


def _digest(stamps: Stamps) -> str:
    from zlib import crc32  # names a file; two paths that collide only rebuild each other's index

    return f"{crc32(repr([folder for folder, _ in stamps]).encode('utf-8', 'surrogateescape')):08x}"


def _settled(stamps: Stamps, started: int) -> bool:
    """Whether any later change must have got another time stamp than the one seen."""
    return all(
        started - stamp > (_FINE_NS if stamp % 1_000_000_000 else _COARSE_NS) for _, stamp in stamps if stamp >= 0
    )


def _load(file: str, stamps: Stamps) -> Index | None:
    import json

    try:
        with open(file, "rb") as stream:
            data = json.loads(stream.read())
        if data["format"] != _FORMAT or data["stamps"] != [list(stamp) for stamp in stamps]:
            return None
        entries = tuple(Entry(*map(str, row)) for row in data["entries"])
        known = frozenset(KIND_OF_GROUP.values())
        if not all(entry.kind in known for entry in entries):
            return None
        return Index(entries=entries, core=str(data["core"]), extras=tuple(map(str, data["extras"])))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _save(path: str, index: Index, stamps: Stamps, started: int) -> None:
    """Write it whole or not at all; failing is no error."""
    import json
    from pathlib import Path

    file = Path(path)
    if not _settled(stamps, started):
        return
    data = {
        "format": _FORMAT,
        "stamps": stamps,
        "core": index.core,
        "extras": index.extras,
        "entries": [[e.kind, e.name, e.value, e.distribution, e.version, e.requires] for e in index.entries],
    }
    part = file.with_suffix(f".{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part.write_text(json.dumps(data), encoding="utf-8")
        part.replace(file)
        _prune(file.parent)
    except (OSError, ValueError):
        part.unlink(missing_ok=True) if part.parent.is_dir() else None


def _prune(folder: Path) -> None:
    """Keep the files of the import paths used last: each folder that skyx is started in may make one."""
    files = sorted(folder.glob("plugins-*"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files[_KEPT_FILES:]:
        file.unlink(missing_ok=True)
