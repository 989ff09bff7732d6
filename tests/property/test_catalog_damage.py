"""Whatever happens to the bytes of a catalogue, reading it ends, with offers or with the one error that names it."""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog_rows import CLOUD, machine, write
from depth import depth
from skyx_core.catalog import Catalogue
from skyx_core.catalog.listing import cheapest, listing
from skyx_core.dirs import Dirs
from skyx_core.errors import CatalogError
from skyx_core.models import Amount, Request

ROWS = [
    machine(f"m{n}", f"r{place}", zone, 1.0 + n, accelerators={"T4": 1.0} if n % 3 else {}, use_spot=spot)
    for n in range(12)
    for place in range(4)
    for zone in ("a", "b")
    for spot in (False, True)
]
QUERIES = [
    Request(),
    Request(accelerators={"T4": 1.0}, use_spot=True),
    Request(region="r1"),
    Request(instance_type="m3"),
]
NOTHING = Request(cpus=Amount(value=3), accelerators={"T4": 1.0}, region="r1")


@settings(max_examples=depth(60, 3000), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 255)), min_size=1, max_size=60), st.integers(0, 2**20))
def test_flipped_bytes_never_hang_it_nor_raise_anything_else(flips: list[tuple[int, int]], start: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        dirs = Dirs.under(Path(folder))
        path = dirs.catalogues / f"{CLOUD}.db"
        write(path, ROWS)
        data = bytearray(path.read_bytes())
        for offset, value in flips:
            data[(start + offset % 8192) % len(data)] = value
        path.write_bytes(data)
        known = Catalogue.open(dirs, CLOUD)
        try:
            for query in QUERIES:
                assert len(list(islice(known.offers(query), 10_000))) < 10_000
            known.why_nothing(NOTHING)
            file = known.file()
            assert file is not None
            assert len(list(islice(listing(file), 10_000))) < 10_000
            list(cheapest(file))
        except CatalogError as error:
            assert error.where == str(path)  # noqa: PT017 - either is fine
