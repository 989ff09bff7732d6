"""Numbered steps, with a backup, once; and the same for JSON inside."""

import json
import sqlite3

import pytest

from skyx_core.errors import StateStoreError, StateTooNewError
from skyx_core.models import ClusterHandle
from skyx_core.state.db import Database
from skyx_core.state.documents import decode, encode
from skyx_core.state.files import create
from skyx_core.state.migrations import MIGRATIONS
from skyx_core.state.store import Store
from state_samples import FakeClock, handle, record

NEXT = (*MIGRATIONS, ("ALTER TABLE clusters ADD COLUMN colour TEXT", "UPDATE clusters SET colour = 'red'"))
BROKEN = (*MIGRATIONS, ("UPDATE clusters SET name = 'spoilt'", "UPDATE nothing SET x = 1"))


@pytest.fixture
def path(tmp_path):
    with Store(tmp_path / "state.db", FakeClock()) as store:
        store.reserve(record("a"))
    return tmp_path / "state.db"


def test_a_step_runs_once_and_keeps_a_backup(path):
    for _ in range(2):
        db = Database(path, NEXT)
        with db.read() as con:
            assert con.execute("SELECT name, colour FROM clusters").fetchall() == [("a", "red")]
            assert con.execute("PRAGMA user_version").fetchone() == (len(NEXT),)
        db.close()
    backup = path.with_name(f"state.db.v{len(MIGRATIONS)}.bak")
    assert backup.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(backup) as con:
        assert con.execute("SELECT name FROM clusters").fetchall() == [("a",)]
        assert con.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    con.close()


def test_a_step_that_fails_changes_nothing(path):
    with (
        pytest.raises(StateStoreError, match=f"from version {len(MIGRATIONS)} to {len(BROKEN)}") as caught,
        Database(path, BROKEN).read(),
    ):
        pass
    assert f".v{len(MIGRATIONS)}.bak" in caught.value.hint
    assert Store(path, FakeClock()).get("a") is not None


def test_the_version_before_is_then_too_old(path):
    with Database(path, NEXT).read():
        pass
    with pytest.raises(StateTooNewError):
        Store(path, FakeClock()).list()


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_file_of_each_earlier_release_is_brought_up_to_date(tmp_path, version):
    path = tmp_path / "state.db"
    create(path, MIGRATIONS[:version])
    with sqlite3.connect(path) as con:
        con.execute("INSERT INTO events (uid, name, kind, time, json) VALUES ('u', 'a', 'planned', 1.0, '{}')")
    con.close()
    with Store(path, FakeClock()) as store:
        store.reserve(record("a"))
        assert store.blocks(now=0) == []
        assert [event.name for event in store.events("a")] == ["a"]
    assert path.with_name(f"state.db.v{version}.bak").exists()


def test_documents_are_versioned_and_brought_up_to_date_when_read():
    text = encode(handle("a"))
    assert json.loads(text)["v"] == 1
    assert decode(ClusterHandle, text) == handle("a")

    def rename(old):
        old["cloud_name"] = old.pop("label")
        return old

    upgrades = {"ClusterHandle": (rename,)}
    old = json.loads(text)
    old["label"] = old.pop("cloud_name")
    assert decode(ClusterHandle, json.dumps(old), upgrades) == handle("a")
    assert decode(ClusterHandle, encode(handle("a"), upgrades), upgrades) == handle("a")
    with pytest.raises(StateTooNewError, match="newer skyx"):
        decode(ClusterHandle, encode(handle("a"), upgrades))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"v": 1}', '{"v": "1"}', '{"v": null}', "1", "[" * 100_000])
def test_documents_that_cannot_be_read_are_one_clear_error(text):
    with pytest.raises(StateStoreError, match="ClusterHandle in the record can't be read"):
        decode(ClusterHandle, text)
