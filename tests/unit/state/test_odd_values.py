"""Values that the lock and the lists can't take."""

import pytest

from skyx_core.clock import clock_from
from skyx_core.errors import UsageError
from skyx_core.state.listing import where_names
from skyx_core.state.lock import ClusterLock


@pytest.mark.parametrize("wait_s", [float("nan"), float("inf"), -1.0])
def test_a_lock_waits_a_finite_time(tmp_path, wait_s):
    lock = ClusterLock(tmp_path, "a", command="", clock=clock_from({}))
    with pytest.raises(UsageError, match="time to wait"):
        lock.acquire(wait_s)
    lock.acquire(0).release()


def test_names_that_are_not_text_are_not_in_the_record():
    assert where_names("name", ["a\udcff"]) == ("WHERE 0", ())
    assert where_names("name", ["a\udcff", "b"]) == ("WHERE name = ?", ["b"])
