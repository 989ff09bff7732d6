"""The index file: right at every moment, never needed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from plugin_fixtures import install, uninstall
from skyx_core import index
from skyx_core.index import read_index

Install = Callable[..., Path]


def settle(*folders: Path) -> None:
    """Make the folders look as if nothing had changed for a while."""
    for folder in folders:
        past = time.time_ns() - 10_000_000_123
        os.utime(folder, ns=(past, past))


def names(folder: Path | None, site: Path) -> list[str]:
    return sorted({entry.name for entry in read_index(folder, [str(site)]).entries})


def test_a_fresh_file_spares_the_scan(tmp_path: Path) -> None:
    site, cache = tmp_path / "site", tmp_path / "cache"
    install("skyx-good", site)
    settle(site)
    assert read_index(cache, [str(site)]).scanned
    again = read_index(cache, [str(site)])
    assert not again.scanned
    assert again == index.scan([str(site)])._replace(scanned=False)


def test_no_file_is_trusted_that_was_made_right_after_a_change(tmp_path: Path) -> None:
    site, cache = tmp_path / "site", tmp_path / "cache"
    install("skyx-good", site)
    now = time.time_ns()
    os.utime(site, ns=(now, now))
    read_index(cache, [str(site)])
    install("skyx-raising", site)
    os.utime(site, ns=(now, now))  # a change within the same tick of the file system's clock
    assert "raising" in names(cache, site)


@pytest.mark.parametrize("pause", [0.0, 0.01])
def test_installing_and_removing_show_at_once(tmp_path: Path, pause: float) -> None:
    site, cache = tmp_path / "site", tmp_path / "cache"
    install("skyx-good", site)
    for _ in range(10):
        install("skyx-raising", site)
        assert names(cache, site) == ["good", "raising"]
        time.sleep(pause)
        uninstall("skyx-raising", site)
        assert names(cache, site) == ["good"]


def test_a_change_after_the_file_was_written_is_seen(tmp_path: Path) -> None:
    site, cache = tmp_path / "site", tmp_path / "cache"
    install("skyx-good", site)
    settle(site)
    assert names(cache, site) == ["good"]
    install("skyx-raising", site)
    assert names(cache, site) == ["good", "raising"]


def test_a_folder_added_to_the_path_counts(tmp_path: Path) -> None:
    one, two, cache = tmp_path / "one", tmp_path / "two", tmp_path / "cache"
    install("skyx-good", one)
    install("skyx-raising", two)  # as an editable install adds its folder by a .pth file
    settle(one, two)
    assert len(read_index(cache, [str(one)]).entries) < len(read_index(cache, [str(one), str(two)]).entries)


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\x00",
        b'{"format": 1}',
        b"[" * 100_000,
        b'{"format": 1, "stamps": 3, "core": 1, "extras": 2, "entries": [[1]]}',
    ],
)
def test_a_damaged_file_is_made_again(tmp_path: Path, damage: bytes) -> None:
    site, cache = tmp_path / "site", tmp_path / "cache"
    install("skyx-good", site)
    settle(site)
    read_index(cache, [str(site)])
    (file,) = cache.iterdir()
    file.write_bytes(damage)
    assert names(cache, site) == ["good"]
    assert json.loads(file.read_bytes())["format"] == 1


def test_every_shortened_file_is_made_again(tmp_path: Path) -> None:
    site, cache = tmp_path / "site", tmp_path / "cache"
    install("skyx-good", site)
    settle(site)
    read_index(cache, [str(site)])
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    for length in range(0, len(whole), 37):
        file.write_bytes(whole[:length])
        assert names(cache, site) == ["good"]


def test_a_cache_that_can_not_be_written_is_done_without(tmp_path: Path) -> None:
    site, blocked = tmp_path / "site", tmp_path / "a-file"
    install("skyx-good", site)
    settle(site)
    blocked.write_text("")
    assert names(blocked / "cache", site) == ["good"]
    assert names(None, site) == ["good"]


def test_damaged_metadata_of_one_distribution_hides_only_that_one(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install("skyx-good", site)
    install("skyx-raising", site)
    (next(site.glob("skyx_raising-*.dist-info")) / "METADATA").unlink()
    (next(site.glob("skyx_raising-*.dist-info")) / "entry_points.txt").write_bytes(b"[skyx.clouds]\n\xff\xfe = =\n")
    (site / "empty-1.0.dist-info").mkdir()
    assert "good" in names(None, site)


def test_a_distribution_twice_on_the_path_is_one(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    install("skyx-good", one)
    install("skyx-good", two)
    clouds = [entry for entry in index.scan([str(one), str(two)]).entries if entry.kind == "cloud"]
    assert len(clouds) == 1


def test_old_files_are_thrown_away(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for number in range(25):
        site = tmp_path / f"site{number}"
        site.mkdir()
        settle(site)
        read_index(cache, [str(site)])
    assert len(list(cache.iterdir())) <= 16


def test_the_versions_that_gates_need_are_in_it() -> None:
    found = index.scan()
    assert found.core
    assert "aws" in found.extras
    assert "skyx_core.discovery" not in {entry.value for entry in found.entries}
