"""CSV in the layout that is common in this field, row by row, with everything odd counted."""

from __future__ import annotations

import csv
import gzip
import io
import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import IO, cast

from skyx_core.catalog.writer import Staged, accelerators_json
from skyx_core.errors import CatalogError
from skyx_core.task.accelerators import canonical

NEEDED = ("InstanceType", "vCPUs", "MemoryGiB", "Region")
PRICES = ("Price", "SpotPrice")
OPTIONAL = ("AcceleratorName", "AcceleratorCount", "AvailabilityZone", "GpuInfo")
_KNOWN = {name.lower(): name for name in (*NEEDED, *PRICES, *OPTIONAL)}
_LONGEST_LINE = 1_000_000
_LONGEST_NAME = 200
_TOLD_EVERY = 20_000  # rows
_REMEMBERED = 20_000
_EXAMPLES = 5
_HINT = (
    f"the first line must name the columns {', '.join(NEEDED)}, and Price or SpotPrice; separated by commas, in UTF-8"
)
_TOO_LARGE = "leave out regions and machines that you don't use; the catalogue from before is unchanged"

Cells = tuple[str, ...]
Pick = Callable[[list[str]], tuple[Cells, Cells, Cells]]


@dataclass(frozen=True)
class Limits:
    """Of one file. ``size``: bytes, unpacked."""

    rows: int = 20_000_000
    size: int = 8 << 30


class BadRow(ValueError):
    """What is wrong with one row."""


class CsvRows:
    """Iterate once. Afterwards: ``read`` rows of data, ``bad`` ones with the first ``examples``, ``unpriced`` ones
    (left out), ``odd_prices`` (cells that are no price: taken as not sold that way), ``unsized`` rows, ``ignored``
    columns. Raises ``CatalogError`` for a file that isn't such a CSV, or beyond its limits. ``tell`` hears now and then
    how far it is.
    """

    def __init__(
        self, stream: IO[bytes], name: str, limits: Limits | None = None, tell: Callable[[str], None] | None = None
    ) -> None:
        self._stream = stream
        self._name = name
        self._limits = limits or Limits()
        self._tell = tell or _nobody
        self.read = self.bad = self.unpriced = self.odd_prices = self.unsized = 0
        self.examples: list[str] = []
        self.ignored: list[str] = []
        self._line = 0
        self._machine = lru_cache(_REMEMBERED)(_machine)
        self._place = lru_cache(_REMEMBERED)(_place)

    def __iter__(self) -> Iterator[Staged]:
        reader = csv.reader(self._lines())
        try:
            header = next(reader, None)
            width = len(header or ())
            pick = _picker(self._columns(header), width)
            for cells in reader:
                if not any(cells):
                    continue
                self.read += 1
                if self.read > self._limits.rows:
                    raise self._too_large(f"it has more than {self._limits.rows:,} rows")
                if self.read % _TOLD_EVERY == 0:
                    self._tell(f"{self.read:,} rows read")
                try:
                    yield from self._row(cells, pick, width)
                except BadRow as error:
                    self._note(reader.line_num, str(error))
        except csv.Error as error:
            raise self._refused(f"line {reader.line_num}: {error}") from error
        self._tell(f"{self.read:,} rows are put in order")

    def _note(self, line: int, why: str) -> None:
        self.bad += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(f"line {line}: {why}")

    def _refused(self, why: str) -> CatalogError:
        return CatalogError("this is not a catalogue that can be imported", where=self._name, why=why, hint=_HINT)

    def _too_large(self, why: str) -> CatalogError:
        return CatalogError("this catalogue is too large", where=self._name, why=why, hint=_TOO_LARGE)

    def _lines(self) -> Iterator[str]:
        """Decoded lines, none of them endless."""
        stream, head = _peeked(self._stream)
        if head.startswith(b"\x1f\x8b"):
            stream, head = _peeked(gzip.GzipFile(fileobj=stream), self._refused)
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise self._refused("it is UTF-16 text")
        if b"\0" in head:
            raise self._refused("it is not text")
        if not head:
            raise self._refused("it is empty")
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        size = 0
        try:
            while line := text.readline(_LONGEST_LINE):
                self._line += 1
                size += len(line) if line.isascii() else len(line.encode())
                if size > self._limits.size:
                    raise self._too_large(f"it has more than {self._limits.size:,} bytes (unpacked)")
                if len(line) == _LONGEST_LINE:
                    raise self._refused(f"line {self._line} is longer than {_LONGEST_LINE:,} characters")
                yield line
        except UnicodeDecodeError as error:
            raise self._refused(f"what follows line {self._line} is not UTF-8") from error
        except (OSError, EOFError, zlib.error) as error:
            raise self._refused(str(error) or type(error).__name__) from error

    def _columns(self, header: Sequence[str] | None) -> dict[str, int]:
        found: dict[str, int] = {}
        for index, cell in enumerate(header or ()):
            name = _KNOWN.get(cell.strip().lower().replace("_", "").replace(" ", ""))
            if name is None:
                self.ignored.append(cell.strip())
            elif name in found:
                raise self._refused(f"it has two columns {name}")
            else:
                found[name] = index
        missing = [name for name in NEEDED if name not in found]
        missing += [] if any(name in found for name in PRICES) else ["Price or SpotPrice"]
        if missing:
            raise self._refused(f"it has no column {', '.join(missing)}")
        return found

    def _row(self, cells: list[str], pick: Pick, width: int) -> Iterator[Staged]:
        """The one or two offers of a row."""
        if len(cells) > width:
            raise BadRow(f"{len(cells)} cells, and the first line has {width}")
        machine, place, prices = pick([*cells, *[""] * (width + 1 - len(cells))])
        name, cpus, memory, have = self._machine(machine)
        region, zone = self._place(place)
        sold = False
        for spot, text in enumerate(prices):
            price = self._price(text)
            if price is not None:
                sold = True
                yield Staged(name, cpus, memory, have, region, zone, spot, price)
        self.unpriced += not sold
        self.unsized += not (cpus and memory)

    def _price(self, text: str) -> float | None:
        """Dollars per hour; None: not sold that way."""
        number = _number(text)
        if number is not None and 0 <= number < math.inf:
            return number + 0.0  # -0.0 too
        self.odd_prices += text.strip().lower() not in {"", "nan"}
        return None


def _nobody(_: str) -> None:
    """Nobody wants to hear how far it is."""


def _machine(cells: Cells) -> tuple[str, float, float, str]:
    name, cpus, memory, accelerator, count = map(str.strip, cells)
    if not name and accelerator:
        raise BadRow(f"{accelerator} without InstanceType: it can't be had by itself")
    have = _accelerators(accelerator, count)
    return _name("InstanceType", name), _size("vCPUs", cpus), _size("MemoryGiB", memory), have


def _accelerators(name: str, count: str) -> str:
    number = _number(count)
    if name.lower() in {"", "nan", "none"}:
        if number:
            raise BadRow(f"AcceleratorCount {count[:40]!r} without AcceleratorName")
        return "{}"
    if number is None or not 0 < number < 1e6:
        raise BadRow(f"AcceleratorCount {count[:40]!r} of {name[:40]} is not a number above 0")
    return accelerators_json({canonical(_name("AcceleratorName", name)): number})


def _place(cells: Cells) -> tuple[str, str]:
    region, zone = map(str.strip, cells)
    return _name("Region", region), _name("AvailabilityZone", zone, optional=True)


def _picker(columns: Mapping[str, int], width: int) -> Pick:
    """Takes the cells that matter out of a row that was filled up; a column that isn't there is the empty last cell."""

    def of(*names: str) -> Callable[[list[str]], Cells]:
        return itemgetter(*(columns.get(name, width) for name in names))

    machine = of("InstanceType", "vCPUs", "MemoryGiB", "AcceleratorName", "AcceleratorCount")
    place, prices = of("Region", "AvailabilityZone"), of(*PRICES)
    return lambda cells: (machine(cells), place(cells), prices(cells))


def _peeked(
    stream: IO[bytes] | gzip.GzipFile, refused: Callable[[str], Exception] | None = None
) -> tuple[IO[bytes], bytes]:
    """A stream that can be read from its beginning, and its beginning."""
    buffered = io.BufferedReader(cast("io.RawIOBase", stream), 65536)
    try:
        return buffered, buffered.peek(4096)[:4096]
    except (OSError, EOFError, zlib.error) as error:
        if refused is not None:
            raise refused(f"it can't be unpacked: {error}") from error
        raise


def _number(text: str) -> float | None:
    """A finite or infinite number, None for NaN and anything else."""
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) or "_" in text else number


def _size(column: str, text: str) -> float:
    """0 = not known."""
    if text.lower() in {"", "nan"}:
        return 0.0
    number = _number(text)
    if number is None or not 0 <= number < 1e9:
        raise BadRow(f"{column} {text[:40]!r} is not a number, 0 or more")
    return number + 0.0


def _name(column: str, text: str, *, optional: bool = False) -> str:
    if not text and not optional:
        raise BadRow(f"{column} is empty")
    if len(text) > _LONGEST_NAME or not text.isprintable():
        raise BadRow(f"{column} {text[:40]!r} is not a name")
    return text
