"""What the store does with clusters."""

import json
import sqlite3
import threading

import pytest

from skyx_core.errors import ClusterStateError, NotFoundError, StateStoreError
from skyx_core.models import Cluster, Link, Node, Place
from skyx_core.results import ClusterStatus, to_json
from skyx_core.state.store import Store
from state_samples import FakeClock, handle, record


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def store(tmp_path, clock):
    with Store(tmp_path / "state" / "state.db", clock) as made:
        yield made


def test_making_and_reading_an_empty_store_touches_no_file(store):
    assert store.list() == []
    assert store.infos() == []
    assert store.infos_json() == "[]"
    assert store.get("a") is None
    assert store.history() == []
    assert store.intents("u") == []
    assert list(store.events("a")) == []
    assert not store.path.parent.exists()


def test_the_file_and_its_folder_are_the_owners_only(store):
    store.reserve(record("a"))
    assert store.path.stat().st_mode & 0o777 == 0o600
    assert store.path.parent.stat().st_mode & 0o777 == 0o700
    assert [p.name for p in store.path.parent.iterdir() if "part" in p.name] == []


def test_the_owner_is_made_once(store, tmp_path, clock):
    owner = store.owner
    assert len(owner) == 16
    assert int(owner, 16) >= 0
    assert Store(store.path, clock).owner == owner
    assert Store(tmp_path / "other.db", clock).owner != owner


def test_what_is_reserved_comes_back_whole(store, clock):
    stored = store.reserve(record("a"))
    assert stored == store.get("a")
    assert stored.status is ClusterStatus.INIT
    assert stored.created_at == clock.now
    assert stored.handle == handle("a")
    assert stored.cluster is None
    assert stored.place is None
    assert stored.accelerators == {"H100": 8.0}


def test_a_name_is_reserved_once(store):
    store.reserve(record("a"))
    with pytest.raises(ClusterStateError, match="'a' exists already"):
        store.reserve(record("a", uid="other"))
    assert len(store.list()) == 1


def test_update_changes_what_is_named_and_nothing_else(store, clock):
    first = store.reserve(record("a"))
    clock.now += 10
    place = Place(cloud="fake", region="r2")
    node = Node(rank=0, id="vm-1", address="127.0.0.9")
    cluster = Cluster(handle=handle("a"), place=place, nodes=(node,), link=Link.SSH)
    second = store.update(
        "a", first.generation, status=ClusterStatus.UP, ever_up=True, place=place, cluster=cluster, head="127.0.0.9"
    )
    assert second == store.get("a")
    assert (second.status, second.head, second.place, second.cluster) == (ClusterStatus.UP, "127.0.0.9", place, cluster)
    assert (second.region, second.task_yaml, second.created_at) == (first.region, first.task_yaml, first.created_at)
    assert second.updated_at == first.created_at + 10
    assert store.update("a", second.generation, cluster=None, autostop=None).cluster is None


def test_ever_up_never_goes_back(store):
    generation = store.reserve(record("a")).generation
    store.update("a", generation, ever_up=True)
    assert store.update("a", generation, ever_up=False, status=ClusterStatus.INIT).ever_up


def test_an_attempt_on_another_cloud_keeps_the_identity(store):
    generation = store.reserve(record("a")).generation
    moved = store.update("a", generation, cloud="other", account="42")
    assert (moved.cloud, moved.account) == ("other", "42")
    assert store.get("a").handle == handle("a")


def test_an_update_of_an_earlier_holder_is_refused(store):
    old = store.reserve(record("a")).generation
    new = store.take("a").generation
    assert new > old
    with pytest.raises(StateStoreError, match="taken over"):
        store.update("a", old, status=ClusterStatus.UP)
    with pytest.raises(StateStoreError, match="taken over"):
        store.remove("uid-a", old, "down")
    assert store.get("a").status is ClusterStatus.INIT
    assert store.update("a", new, status=ClusterStatus.UP).status is ClusterStatus.UP


def test_a_new_cluster_of_an_old_name_has_no_old_fence(store):
    old = store.reserve(record("a")).generation
    store.remove("uid-a", old, "down")
    store.reserve(record("a", uid="uid-2"))
    with pytest.raises(StateStoreError, match="taken over"):
        store.update("a", old, status=ClusterStatus.UP)


def test_unknown_clusters_are_named(store):
    store.reserve(record("a"))
    for action in (lambda: store.update("b", 1), lambda: store.take("b"), lambda: store.remove("uid-b", 1, "")):
        with pytest.raises(NotFoundError, match="b"):
            action()


def test_removing_moves_to_the_history_and_may_be_repeated(store, clock):
    generation = store.reserve(record("a")).generation
    store.add_event("uid-a", "a", "planned", "{}")
    clock.now += 3600
    for _ in range(2):
        store.remove("uid-a", generation, "down")
    assert store.get("a") is None
    assert store.list() == []
    (gone,) = store.history("a")
    assert (gone.name, gone.reason, gone.ended_at - gone.created_at) == ("a", "down", 3600)
    assert (gone.num_nodes, gone.use_spot, gone.hourly_usd, gone.zone) == (2, False, 12.5, "r1-a")
    assert store.history("b") == []
    assert [event.kind for event in store.events("a")] == ["planned"]


def test_lists_take_names_and_patterns(store):
    for name in ("exp-2", "exp-1", "other"):
        store.reserve(record(name))
    names = [each.name for each in store.list()]
    assert names == ["exp-1", "exp-2", "other"]
    assert [each.name for each in store.infos(["exp-*"])] == ["exp-1", "exp-2"]
    assert [each.name for each in store.list(["other", "nope"])] == ["other"]
    assert store.list([]) == []
    assert store.list(["' OR 1=1 --"]) == []


def test_infos_and_their_json_agree(store):
    store.reserve(record("a", created_at=1_700_000_000.25, use_spot=True))
    store.reserve(record("b", accelerators={}, autostop=None, zone=None, hourly_usd=1.0, reason='a "quoted"\nßreason'))
    infos = store.infos()
    assert infos[0].created_at == "2023-11-14T22:13:20Z"
    assert infos[0].accelerators == {"H100": 8.0}
    as_json = json.loads(store.infos_json())
    assert as_json == [to_json(info) for info in infos]
    assert list(as_json[0]) == list(to_json(infos[0]))
    assert '"hourly_usd":1.0' in store.infos_json()


@pytest.mark.parametrize(
    ("column", "value"),
    [("status", "NONSENSE"), ("accelerators", "[1"), ("autostop", "{"), ("num_nodes", "x"), ("reason", b"\xff\xfe")],
)
def test_one_damaged_row_is_left_out_with_a_warning(store, column, value):
    for name in ("a", "b", "c"):
        store.reserve(record(name))
    with sqlite3.connect(store.path) as con:
        con.execute("PRAGMA ignore_check_constraints=ON")
        con.execute(f"UPDATE clusters SET {column} = CAST(? AS TEXT) WHERE name = 'b'", (value,))
    names = {info.name for info in store.infos()}
    assert {"a", "c"} <= names
    assert {"a", "c"} <= {row.name for row in store.list()}
    assert {"a", "c"} <= {row["name"] for row in json.loads(store.infos_json())}
    if column != "reason":  # that one is readable, with replacement characters
        assert names == {"a", "c"}
        assert "'b' is damaged" in store.warnings[0]
        with pytest.raises(StateStoreError, match="'b' is damaged"):
            store.get("b")


def test_threads_share_a_store(store):
    generation = store.reserve(record("a", num_nodes=1)).generation
    errors = []

    def work():
        try:
            for _ in range(25):
                store.add_event("uid-a", "a", "warning", "{}")
                store.update("a", generation, reason="x")
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert len(list(store.events("a"))) == 100


def test_text_that_is_not_utf8_is_kept_readable(store):
    odd = "skyx launch \udcff\x00 'ß'"
    generation = store.reserve(record("a", command=odd)).generation
    assert store.get("a").command == "skyx launch \\udcff\x00 'ß'"
    store.update("a", generation, reason=odd)
    store.add_event("u", "a", "warning", odd)
    store.remove("uid-a", generation, odd)
    assert "ß" in store.history("a")[0].reason
