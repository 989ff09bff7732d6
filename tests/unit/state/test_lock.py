"""The lock of a cluster, within one process; across processes: tests/crash."""

import json
import os
import threading

import pytest

from skyx_core.clock import SystemClock
from skyx_core.errors import BusyError, StateStoreError
from skyx_core.state.lock import ClusterLock
from state_samples import FakeClock, until


def lock(folder, name="a", clock=None, on_wait=None):
    return ClusterLock(folder / "locks", name, command="skyx down a", clock=clock or SystemClock(), on_wait=on_wait)


def elsewhere(action):
    """What ``action`` raises in another thread."""
    caught = []

    def work():
        try:
            action()
        except Exception as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    return caught[0] if caught else None


def test_a_lock_names_its_holder_and_is_never_deleted(tmp_path):
    mine = lock(tmp_path)
    with mine.acquire(0):
        info = json.loads(mine.path.read_text())
        assert (info["pid"], info["command"]) == (os.getpid(), "skyx down a")
        error = elsewhere(lambda: lock(tmp_path).acquire(0))
        assert isinstance(error, BusyError)
        assert error.exit_code == 6
        assert f"process {os.getpid()}" in error.why
        assert "since 20" in error.why
    assert mine.path.exists()
    assert mine.holder() is None
    assert elsewhere(lambda: lock(tmp_path).acquire(0).release()) is None


def test_names_that_differ_have_locks_of_their_own(tmp_path):
    with lock(tmp_path, "My_Job"), lock(tmp_path, "my-job"), lock(tmp_path, "../../x"):
        assert len(list((tmp_path / "locks").iterdir())) == 3


def test_a_thread_that_asks_for_what_it_holds_is_refused_at_once(tmp_path):
    mine = lock(tmp_path)
    with mine.acquire(0):
        for other in (mine, lock(tmp_path)):
            with pytest.raises(BusyError, match=r"held already|holds it already"):
                other.acquire(1000)
    mine.release()


def test_waiting_is_announced_after_five_seconds_and_then_every_thirty(tmp_path):
    clock, seen = FakeClock(), []
    with lock(tmp_path).acquire(0):
        waiter = lock(tmp_path, clock=clock, on_wait=lambda holder, waited: seen.append((holder.pid, waited)))
        error = elsewhere(lambda: waiter.acquire(70))
    assert isinstance(error, BusyError)
    assert [round(waited) for _, waited in seen] == [5, 35, 65]
    assert {pid for pid, _ in seen} == {os.getpid()}


def test_a_waiting_command_can_be_called_off(tmp_path):
    def stop():
        raise KeyError("fenced")

    with lock(tmp_path).acquire(0):
        assert isinstance(elsewhere(lambda: lock(tmp_path).acquire(1000, check=stop)), KeyError)
    lock(tmp_path).acquire(0).release()


def test_threads_exclude_each_other(tmp_path):
    inside, most, done = [0], [0], []

    def work():
        for _ in range(5):
            with lock(tmp_path).acquire(60):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                threading.Event().wait(0.002)
                inside[0] -= 1
        done.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: len(done) == 4)
    assert most == [1]


def test_an_unreadable_holder_is_still_a_holder(tmp_path):
    mine = lock(tmp_path)
    with mine.acquire(0):
        mine.path.write_text("garbage")
        error = elsewhere(lambda: lock(tmp_path).acquire(0))
        assert isinstance(error, BusyError)
        assert "left no name" in error.why


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path):
    (tmp_path / "locks").write_text("")
    with pytest.raises(StateStoreError, match="can't be used"):
        lock(tmp_path).acquire(0)
