"""Broken, newer, foreign and unreachable state files."""

import json
import os
import random
import resource
import shutil
import subprocess
import sys

import pytest

from skyx_core.errors import StateStoreError, StateTooNewError
from skyx_core.state.store import Store
from state_samples import DEPTH, FakeClock, record


@pytest.fixture
def path(tmp_path):
    """A store with thirty clusters, all in the main file."""
    path = tmp_path / "state.db"
    with Store(path, FakeClock()) as store:
        for number in range(30):
            made = store.reserve(record(f"c{number:02}", task_yaml="x" * 500))
            store.add_event(made.uid, made.name, "planned", "{}")
        store.remove("uid-c29", made.generation, "down")
    return path


def use(path):
    """All kinds of use; every failure must be one of ours. Gives the number of failures."""
    failed, hints = 0, []
    store = Store(path, FakeClock())
    actions = (
        store.list,
        lambda: json.loads(store.infos_json()),
        store.infos,
        lambda: store.get("c05"),
        lambda: [each.handle for each in (store.get("c05"),) if each],
        store.history,
        lambda: list(store.events("c05")),
        lambda: store.take("c07"),
        lambda: store.reserve(record("new")),
        lambda: store.add_event("u", "n", "k", "{}"),
    )
    for action in actions:
        try:
            action()
        except StateStoreError as error:
            failed += 1
            hints.append(error.hint)
    store.close()
    assert all(hints)
    return failed


def test_a_store_cut_anywhere_is_an_error_and_never_a_traceback(path, tmp_path):
    size = path.stat().st_size
    rng = random.Random(1)
    cuts = [0, 1, 15, 16, 99, 100, 4095, 4096, 4097, size - 1, *(rng.randrange(size) for _ in range(10 * DEPTH))]
    failures = 0
    for number, cut in enumerate(cuts):
        copy = tmp_path / f"cut{number}.db"
        copy.write_bytes(path.read_bytes()[:cut])
        failures += bool(use(copy))
    assert failures > len(cuts) // 2


def test_a_store_with_a_flipped_byte_is_an_error_or_works(path, tmp_path):
    raw = path.read_bytes()
    rng = random.Random(2)
    offsets = [0, 16, 18, 24, 28, 44, 56, 60, 63, 100, 103, *(rng.randrange(len(raw)) for _ in range(30 * DEPTH))]
    failures = 0
    for number, offset in enumerate(offsets):
        flipped = bytearray(raw)
        flipped[offset] ^= 1 << rng.randrange(8) if number % 2 else 0xFF
        copy = tmp_path / f"flip{number}.db"
        copy.write_bytes(flipped)
        failures += bool(use(copy))
    assert 3 < failures < len(offsets)


def test_a_damaged_store_says_what_can_be_read_and_how_to_save_it(path):
    raw = bytearray(path.read_bytes())
    raw[:16] = b"x" * 16
    path.write_bytes(raw)
    with pytest.raises(StateStoreError) as caught:
        Store(path, FakeClock()).list()
    assert caught.value.code == "SKYX-E800"
    assert str(path) in caught.value.where
    assert "29 clusters can still be read: c00, c01" in caught.value.why
    assert "skyx_core.state.salvage" in caught.value.hint
    assert path.read_bytes() == raw, "nothing is repaired unasked"


def test_salvage_keeps_the_good_rows_and_the_broken_file(path):
    owner = Store(path, FakeClock()).owner
    raw = bytearray(path.read_bytes())
    raw[:16] = b"x" * 16
    path.write_bytes(raw)
    run = subprocess.run(
        [sys.executable, "-m", "skyx_core.state.salvage", str(path)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert "29 clusters" in run.stdout
    store = Store(path, FakeClock())
    assert [each.name for each in store.list()] == [f"c{number:02}" for number in range(29)]
    assert store.owner == owner
    assert len(store.history()) == 1
    assert store.take("c00").generation > 30
    assert path.with_name("state.db.broken-1").read_bytes() == raw


def test_salvage_of_a_cut_store_keeps_what_is_left(path):
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])
    store = Store(path, FakeClock())
    result = store.salvage()
    assert result.broken.stat().st_size == len(raw) // 2
    assert len(store.list()) == result.rows["clusters"]
    assert store.owner


def test_salvage_of_nothing_changes_nothing(tmp_path):
    with pytest.raises(OSError, match="no such file"):
        Store(tmp_path / "none.db", FakeClock()).salvage()
    assert list(tmp_path.iterdir()) == []


def test_an_emptied_file_and_a_lone_journal_are_not_a_new_store(path):
    path.write_bytes(b"")
    with pytest.raises(StateStoreError, match="damaged"):
        Store(path, FakeClock()).list()
    path.unlink()
    path.with_name("state.db-wal").write_bytes(b"frames")
    with pytest.raises(StateStoreError, match="its journal"):
        Store(path, FakeClock()).reserve(record("a"))


def test_a_newer_store_is_refused_unchanged(path):
    import sqlite3

    with sqlite3.connect(path) as con:
        con.execute("PRAGMA user_version=99")
    con.close()
    before = path.read_bytes()
    for action in (lambda s: s.list(), lambda s: s.reserve(record("x"))):
        with pytest.raises(StateTooNewError, match="newer skyx") as caught:
            action(Store(path, FakeClock()))
        assert "upgrade" in caught.value.hint
    assert path.read_bytes() == before


def test_what_is_not_ours_is_refused(tmp_path):
    import sqlite3

    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as con:
        con.execute("CREATE TABLE t (x)")
    con.close()
    before = foreign.read_bytes()
    text = tmp_path / "text.db"
    text.write_text("hello " * 1000)
    folder = tmp_path / "folder.db"
    folder.mkdir()
    below_a_file = text / "state.db"
    for path in (foreign, text, folder, below_a_file):
        with pytest.raises(StateStoreError) as caught:
            Store(path, FakeClock()).reserve(record("a"))
        assert str(path.parent) in caught.value.where
    assert foreign.read_bytes() == before


def limited(code: str, path, prefix: list[str]) -> str:
    """What Python code prints in a child that is started through ``prefix``."""
    head = (
        "import sys; from pathlib import Path; from state_samples import *; from skyx_core.state.store import Store\n"
    )
    head += "from skyx_core.errors import StateStoreError\ns = Store(Path(sys.argv[1]), FakeClock())\n"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    run = subprocess.run(
        [*prefix, sys.executable, "-c", head + code, str(path)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=env,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_a_read_only_place_can_be_listed_and_not_written(path):
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], check=False).returncode:
        pytest.skip("no user namespaces here")
    mount = f'mount --bind "{path.parent}" "{path.parent}" && mount -o remount,ro,bind "{path.parent}" && exec "$@"'
    out = limited(
        "print(len(s.infos()), len(s.list()))\n"
        "try: s.take('c00')\nexcept StateStoreError as e: print(e, '|', e.hint)\n"
        "try: Store(s.path.parent / 'new' / 's.db', FakeClock()).owner\nexcept StateStoreError as e: print(e)\n",
        path,
        ["unshare", "-rm", "sh", "-c", mount, "sh"],
    )
    lines = out.splitlines()
    assert lines[0] == "29 29"
    assert "ead-only" in lines[1]
    assert "SKYX_HOME" in lines[1]
    assert "ead-only" in lines[2]


def test_a_full_disk_is_said_and_what_was_stored_stays(path):
    limit = path.stat().st_size + 200_000
    out = limited(
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "kept = 0\n"
        "try:\n  while kept < 5000: s.add_event('u', 'n', 'k', 'x' * 5000); kept += 1\n"
        "except StateStoreError as e: print(kept, e.code, e.hint)\n",
        path,
        [],
    )
    kept, code, hint = out.split(" ", 2)
    assert code == "SKYX-E800"
    assert "space" in hint
    store = Store(path, FakeClock())
    assert len(list(store.events("u"))) == int(kept) > 0
    assert len(store.list()) == 29
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != limit
