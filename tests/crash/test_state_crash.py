"""The store and the lock between real processes, some of which are killed."""

import signal
import time

import pytest

from skyx_core.clock import SystemClock
from skyx_core.errors import BusyError
from skyx_core.state.lock import ClusterLock
from skyx_core.state.store import Store
from state_samples import DEPTH, FakeClock, intent, record, start, until

HEAD = """
import sys
from pathlib import Path
from state_samples import FakeClock, intent, record
from skyx_core.clock import SystemClock
from skyx_core.state.lock import ClusterLock
from skyx_core.state.store import Store
s = Store(Path(sys.argv[1]), FakeClock())
"""


def finish(process):
    """(exit status, stdout, stderr) within a minute."""
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_sixteen_processes_read_then_write_without_an_error_or_a_lost_update(tmp_path):
    rounds = 100 * DEPTH
    code = f"""{HEAD}
name = f"c{{sys.argv[2]}}"
sys.stdin.readline()
for n in range({rounds}):
    record_now = s.take("shared" if n % 2 else name)
    s.update(record_now.name, record_now.generation, num_nodes=1) if n % 2 == 0 else None
    with s._db.write() as con:
        count = con.execute("SELECT value FROM meta WHERE key = 'count'").fetchone()[0]
        con.execute("UPDATE meta SET value = ? WHERE key = 'count'", (str(int(count) + 1),))
"""
    path = tmp_path / "state.db"
    store = Store(path, FakeClock())
    store.reserve(record("shared"))
    with store._db.write() as con:
        con.execute("INSERT INTO meta VALUES ('count', '0')")
    for number in range(16):
        store.reserve(record(f"c{number}"))
    workers = [start(code, path, number) for number in range(16)]
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    assert [finish(worker)[::2] for worker in workers] == [(0, "")] * 16
    with store._db.read() as con:
        assert con.execute("SELECT value FROM meta WHERE key = 'count'").fetchone() == (str(16 * rounds),)
    assert len(store.list()) == 17


def test_many_processes_make_the_file_at_once_and_agree_on_its_owner(tmp_path):
    path = tmp_path / "home" / "state" / "state.db"
    code = f"{HEAD}sys.stdin.readline(); print(s.owner)"
    workers = [start(code, path) for _ in range(8)]
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    results = [finish(worker) for worker in workers]
    assert {(code, err) for code, _, err in results} == {(0, "")}
    assert len({out for _, out, _ in results}) == 1
    assert [each.name for each in path.parent.iterdir() if ".part" in each.name] == []


ACTIONS = {
    "state.reserve": "s.reserve(record('b'))",
    "state.update": "s.update('a', int(sys.argv[2]), reason='new')",
    "state.remove": "s.remove('uid-a', int(sys.argv[2]), 'down')",
    "state.intent": "s.add_intent(intent('i2'))",
    "state.intent_ended": "s.intent_made('i1', ['vm-1'])",
}


def happened(store, point):
    return {
        "state.reserve": lambda: store.get("b") is not None,
        "state.update": lambda: store.get("a").reason == "new",
        "state.remove": lambda: store.get("a") is None and len(store.history()) == 1,
        "state.intent": lambda: len(store.intents("uid-a")) == 2,
        "state.intent_ended": lambda: store.intents("uid-a")[0].state == "made",
    }[point]()


@pytest.mark.parametrize("point", ACTIONS)
@pytest.mark.parametrize("moment", ["before_commit", "after_commit"])
def test_killed_before_the_commit_nothing_happened_and_after_it_all_did(tmp_path, point, moment):
    path = tmp_path / "state.db"
    store = Store(path, FakeClock())
    generation = store.reserve(record("a")).generation
    store.add_intent(intent("i1"))
    worker = start(HEAD + ACTIONS[point], path, generation, failpoint=f"{point}.{moment}=kill")
    assert finish(worker)[0] == -signal.SIGKILL
    assert happened(store, point) == (moment == "after_commit")
    assert store.get("a") is not None or happened(store, "state.remove")
    with store._db.read() as con:
        assert con.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    if moment == "before_commit":
        assert finish(start(HEAD + ACTIONS[point], path, generation))[::2] == (0, "")
        assert happened(store, point)


def test_no_space_at_the_commit_is_a_clear_error_and_nothing_happened(tmp_path):
    path = tmp_path / "state.db"
    code = f"{HEAD}\ntry: s.reserve(record('b'))\nexcept Exception as e: print(type(e).__name__, e.why)"
    _, out, err = finish(start(code, path, failpoint="state.reserve.before_commit=enospc"))
    assert (out, err) == ("StateStoreError no space left on device\n", "")
    assert Store(path, FakeClock()).list() == []


def test_killed_at_any_moment_every_row_that_was_confirmed_is_there(tmp_path):
    path = tmp_path / "state.db"
    code = f"{HEAD}\nfor n in range(10**6):\n    s.reserve(record(f'c{{n}}'))\n    print(n, flush=True)"
    worker = start(code, path)
    for _ in range(60):
        worker.stdout.readline()
    worker.kill()
    out, _ = worker.communicate(timeout=20)
    confirmed = 59 + out.count("\n")
    names = {each.name for each in Store(path, FakeClock()).list()}
    assert names >= {f"c{n}" for n in range(confirmed + 1)}
    assert len(names) <= confirmed + 2


HOLD = f"""{HEAD}
lock = ClusterLock(Path(sys.argv[1]), "a", command="skyx launch", clock=SystemClock())
lock.acquire(60)
print("held", flush=True)
"""


def waiter(folder):
    return ClusterLock(folder, "a", command="skyx down", clock=SystemClock())


def test_a_killed_holder_frees_its_lock_within_two_seconds(tmp_path):
    holder = start(HOLD + "sys.stdin.readline()", tmp_path)
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(BusyError) as caught:
        waiter(tmp_path).acquire(0)
    assert f"process {holder.pid} " in caught.value.why
    assert "skyx launch" in caught.value.why
    holder.kill()
    killed = time.monotonic()
    with waiter(tmp_path).acquire(10):
        assert time.monotonic() - killed < 2
    holder.communicate(timeout=10)


def test_children_of_a_holder_do_not_hold_its_lock(tmp_path):
    spawn = """
import os, subprocess, time
child = subprocess.Popen(["sleep", "60"])
forked = os.fork()
if not forked:
    time.sleep(60); os._exit(0)
print(child.pid, forked, flush=True)
sys.stdin.readline()
"""
    import os

    holder = start(HOLD + spawn, tmp_path)
    assert holder.stdout.readline() == "held\n"
    children = [int(pid) for pid in holder.stdout.readline().split()]
    try:
        with pytest.raises(BusyError):
            waiter(tmp_path).acquire(0.2)  # a forked child that ran did not free it either
        holder.kill()
        waiter(tmp_path).acquire(2).release()
        for pid in children:
            os.kill(pid, 0)
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        holder.communicate(timeout=10)


def test_processes_exclude_each_other(tmp_path):
    code = f"""{HEAD}
import os, time
lock = ClusterLock(Path(sys.argv[1]), "a", command="x", clock=SystemClock())
for _ in range(10):
    with lock.acquire(60):
        os.mkdir(Path(sys.argv[1]) / "inside"); time.sleep(0.001); os.rmdir(Path(sys.argv[1]) / "inside")
"""
    workers = [start(code, tmp_path) for _ in range(6)]
    assert [finish(worker)[::2] for worker in workers] == [(0, "")] * 6
    until(lambda: not (tmp_path / "inside").exists())
