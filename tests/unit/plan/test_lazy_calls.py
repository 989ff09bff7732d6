"""Streams of plugins are read a few items at a time, in one thread that goes away, with a limit on each look."""

import threading
import time

import pytest

from skyx_core.calls import Caller
from skyx_core.clock import SystemClock
from skyx_core.errors import CloudError, PluginBrokenError, PluginTimeoutError


def stream(fn, limit: float = 5.0, **more: object):
    return Caller(SystemClock()).stream(fn, limit=limit, what="offers()", plugin="p", expected=int, **more)


def collect(into: list[int], items) -> None:
    for item in items:
        into.append(item)


def threads() -> int:
    return sum(thread.name == "skyx-call p offers()" for thread in threading.enumerate())


def gone() -> bool:
    until = time.monotonic() + 5
    while threads() and time.monotonic() < until:
        time.sleep(0.005)
    return threads() == 0


def test_it_reads_ahead_a_little_and_closes_in_its_own_thread() -> None:
    seen, where = [], []

    def numbers():
        try:
            for number in range(10**6):
                seen.append(number)
                where.append(threading.get_ident())
                yield number
        finally:
            where.append(threading.get_ident())

    taken = stream(numbers)
    assert seen == []  # nothing is called before something is taken
    assert [next(taken) for _ in range(5)] == [0, 1, 2, 3, 4]
    assert len(seen) <= 32
    taken.close()
    assert gone()
    assert len(set(where)) == 1
    assert where[0] != threading.get_ident()


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 5000])
def test_all_of_it_comes_in_order(count: int) -> None:
    assert list(stream(lambda: iter(range(count)))) == list(range(count))
    assert list(stream(lambda: list(range(count)))) == list(range(count))
    assert gone()


@pytest.mark.parametrize("error", [KeyError("zone"), SystemExit(1), KeyboardInterrupt(), CloudError("p", "offers")])
@pytest.mark.parametrize("at_once", [True, False])
def test_what_came_before_an_error_is_given_first(error: BaseException, at_once: bool) -> None:
    def failing():
        yield from range(40)
        raise error

    def raising():
        raise error

    got: list[int] = []
    with pytest.raises(CloudError if isinstance(error, CloudError) else PluginBrokenError):
        collect(got, stream(raising if at_once else failing))
    assert got == ([] if at_once else list(range(40)))
    assert gone()


def test_an_item_of_another_type_and_too_many_items_are_faults() -> None:
    with pytest.raises(PluginBrokenError, match="returned str instead of int"):
        list(stream(lambda: iter([1, "2"])))
    with pytest.raises(PluginBrokenError, match="more than 10 items"):
        list(stream(lambda: iter(range(11)), max_items=10))
    assert list(stream(lambda: iter(range(10)), max_items=10)) == list(range(10))


def test_each_look_has_the_limit_and_what_came_within_it_counts() -> None:
    let_go = threading.Event()

    def slow():
        yield from range(3)
        let_go.wait(20)

    got: list[int] = []
    with pytest.raises(PluginTimeoutError, match=r"within 0\.1 s"):
        collect(got, stream(slow, limit=0.1))
    assert got == [0, 1, 2]
    let_go.set()
    assert gone()


def test_a_stream_that_is_forgotten_leaves_no_thread() -> None:
    taken = stream(lambda: iter(range(10**6)))
    next(taken)
    assert threads() == 1
    del taken
    assert gone()
