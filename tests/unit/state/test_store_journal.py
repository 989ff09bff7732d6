"""Events and intents."""

import pytest

from skyx_core.errors import NotFoundError, StateStoreError
from skyx_core.state.store import Store
from state_samples import FakeClock, intent, record


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "state.db", FakeClock()) as made:
        yield made


def test_events_come_in_order_by_name_and_by_id(store):
    for number in range(3):
        store.add_event("uid-1", "a", "planned", f'{{"n":{number}}}')
    store.add_event("uid-2", "a", "planned", "{}")
    store.add_event("uid-3", "b", "planned", "{}")
    assert [event.json for event in store.events("uid-1")] == ['{"n":0}', '{"n":1}', '{"n":2}']
    by_name = list(store.events("a"))
    assert [event.uid for event in by_name] == ["uid-1"] * 3 + ["uid-2"]
    assert [event.seq for event in store.events("a", after=by_name[1].seq)] == [by_name[2].seq, by_name[3].seq]


def test_events_are_read_in_pages_without_holding_the_store(store):
    with store._db.write() as con:
        con.executemany(
            "INSERT INTO events (uid, name, kind, time, json) VALUES ('u', 'a', 'k', 1.0, ?)",
            [(str(number),) for number in range(1201)],
        )
    seen = []
    for event in store.events("a"):
        if event.json == "0":
            store.add_event("u", "a", "k", "late")
        seen.append(event.json)
    assert seen == [*map(str, range(1201)), "late"]


def test_an_intent_is_open_until_its_call_answered(store):
    stored = store.add_intent(intent("i1"))
    assert stored.open
    assert stored.created_at == 1_700_000_000.0
    assert store.intents("uid-a") == [stored]
    assert store.find_open("uid-a", "vm", "digest") == stored
    assert store.find_open("uid-a", "vm", "another") is None
    assert store.find_open("uid-a", "disk", "digest") is None
    for _ in range(2):
        store.intent_made("i1", ["vm-1", "vm-2"])
    (made,) = store.intents("uid-a")
    assert (made.state, made.ids, made.ranks) == ("made", ("vm-1", "vm-2"), (0, 1))
    assert store.intents("uid-a", open_only=True) == []
    assert store.find_open("uid-a", "vm", "digest") is None


def test_failed_and_gone_intents_say_why_and_keep_their_ids(store):
    store.add_intent(intent("i1"))
    store.add_intent(intent("i2"))
    store.intent_failed("i1", "no capacity")
    store.intent_made("i2", ["vm-1"])
    store.intent_gone("i2", "not in two complete lists")
    first, second = store.intents("uid-a")
    assert (first.state, first.error) == ("failed", "no capacity")
    assert (second.state, second.ids, second.error) == ("gone", ("vm-1",), "not in two complete lists")


def test_intents_keep_the_order_in_which_they_were_made(store):
    for number in range(5):
        store.add_intent(intent(f"i{number}"))
    store.intent_made("i0", ["x"])
    assert [each.id for each in store.intents("uid-a")] == [f"i{number}" for number in range(5)]
    assert [each.id for each in store.intents("uid-a", open_only=True)] == ["i1", "i2", "i3", "i4"]


def test_a_fenced_holder_can_store_no_intent(store):
    old = store.reserve(record("a")).generation
    store.add_intent(intent("i1"), generation=old)
    store.take("a")
    with pytest.raises(StateStoreError, match="nothing may be created"):
        store.add_intent(intent("i2"), generation=old)
    with pytest.raises(StateStoreError, match="nothing may be created"):
        store.add_intent(intent("i3", uid="uid-gone"), generation=old)
    assert [each.id for each in store.intents("uid-a")] == ["i1"]


def test_an_unknown_intent_is_named(store):
    with pytest.raises(NotFoundError, match="nope"):
        store.intent_made("nope", [])


def test_many_events_are_stored_at_once_with_their_own_times(store):
    seqs = store.add_events([("u", "a", "planned", 5.0, "{}"), ("u", "a", "warning", 6.0, '"\udcff"')])
    found = list(store.events("u"))
    assert [(event.seq, event.time) for event in found] == list(zip(seqs, [5.0, 6.0], strict=True))
    assert store.add_events([]) == []


def test_events_of_some_kinds_are_read_over_all_clusters_in_order(store):
    rows = [("u1", "a", "planned", 1.0, "{}"), ("u2", "b", "stopped", 2.0, "{}"), ("u1", "a", "warning", 3.0, "{}")]
    store.add_events(rows * 400)
    found = list(store.events_of(["planned", "stopped"]))
    assert [(event.uid, event.kind) for event in found] == [("u1", "planned"), ("u2", "stopped")] * 400
    assert list(store.events_of([])) == []


def test_a_write_that_need_not_last_does_not_weaken_the_next(store):
    def mode():
        with store._db.read() as con:
            return con.execute("PRAGMA synchronous").fetchone()[0]

    store.add_event("u", "a", "k", "{}")
    assert mode() == 1  # NORMAL
    generation = store.reserve(record("a")).generation
    assert mode() == 2  # FULL
    store.add_event("u", "a", "k", "{}")
    store.update("a", generation, reason="x")
    assert mode() == 2
    store.add_event("u", "a", "k", "{}")
    store.close()
    store.add_intent(intent("i1"))
    assert mode() == 2
