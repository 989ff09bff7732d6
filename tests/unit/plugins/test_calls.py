"""Calls into plugins: limits, fences and what becomes of the errors."""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from skyx_core.calls import Caller, Fence
from skyx_core.clock import SharedClock, SystemClock
from skyx_core.errors import AttemptCancelled, CloudError, PluginBrokenError, PluginTimeoutError, UsageError


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError("nothing to say")


@pytest.fixture
def caller() -> Caller:
    return Caller(SystemClock())


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Ends the calls that a test left hanging."""
    event = threading.Event()
    yield event
    event.set()


def raising(error: BaseException) -> NoReturn:
    raise error


def test_the_result_comes_back_from_another_thread(caller: Caller) -> None:
    def describe() -> tuple[threading.Thread, str]:
        return threading.current_thread(), threading.current_thread().name

    thread, name = caller.call(describe, limit=5, what="describe", plugin="x")
    assert thread is not threading.current_thread()
    assert thread.daemon
    assert "describe" in name


def test_a_thread_serves_one_call_after_the_other_and_one_that_hangs_is_left_behind(caller: Caller) -> None:
    hang = threading.Event()
    first = caller.call(threading.current_thread, limit=5, what="w", plugin="x")
    again = caller.call(threading.current_thread, limit=5, what="w", plugin="x")
    with pytest.raises(PluginTimeoutError):
        caller.call(hang.wait, limit=0.05, what="w", plugin="x")
    other = caller.call(threading.current_thread, limit=5, what="w", plugin="x")
    hang.set()
    assert first is again
    assert other is not first


def test_arguments_are_passed_on(caller: Caller) -> None:
    assert caller.call(divmod, 7, 3, limit=5, what="w", plugin="x", expected=tuple) == (2, 1)


@pytest.mark.parametrize(
    "error", [CloudError("c", "run", code="Full"), AttemptCancelled("no"), UsageError("wrong")], ids=repr
)
def test_errors_of_the_contract_pass_as_they_are(caller: Caller, error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        caller.call(raising, error, limit=5, what="w", plugin="x")
    assert caught.value is error


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (KeyError("zone"), "KeyError: 'zone'"),
        (SystemExit(2), "SystemExit: 2"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (GeneratorExit(), "GeneratorExit"),
        (StopIteration(), "StopIteration"),
        (Unprintable(), "Unprintable: (its message can't be shown: ValueError)"),
        (ValueError("a\nb"), "ValueError: a b"),
        (ValueError("x" * 10_000), "ValueError: " + "x" * 488),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_any_other_error_names_the_plugin_and_its_version(caller: Caller, error: BaseException, why: str) -> None:
    with pytest.raises(PluginBrokenError) as caught:
        caller.call(raising, error, limit=5, what="describe", plugin="x", distribution="skyx-x 1.0")
    assert caught.value.why == why
    assert caught.value.what == "describe of plugin 'x' failed"
    assert caught.value.where == "skyx-x 1.0"
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("result", [None, "text", 3, []])
def test_a_result_of_the_wrong_type_is_refused(caller: Caller, result: object) -> None:
    with pytest.raises(PluginBrokenError, match=rf"returned {type(result).__name__} instead of Path or bytes"):
        caller.call(lambda: result, limit=5, what="w", plugin="x", expected=(Path, bytes))


def test_a_call_that_hangs_is_given_up_at_its_limit(caller: Caller, release: threading.Event) -> None:
    start = time.monotonic()
    with pytest.raises(PluginTimeoutError, match=r"did not return within 0\.2 s"):
        caller.call(release.wait, limit=0.2, what="w", plugin="x")
    assert time.monotonic() - start < 2


def test_the_limit_is_measured_by_the_clock(tmp_path: Path, release: threading.Event) -> None:
    clock = SharedClock(tmp_path / "clock")
    threading.Timer(0.1, clock.advance, [3600]).start()
    with pytest.raises(PluginTimeoutError):
        Caller(clock).call(release.wait, limit=3000, what="w", plugin="x")


def test_a_late_result_is_reported_and_not_used(caller: Caller, release: threading.Event) -> None:
    late: queue.Queue[object] = queue.Queue()
    with pytest.raises(PluginTimeoutError):
        caller.call(lambda: release.wait() and "late", limit=0.05, what="w", plugin="x", on_late=late.put)
    assert late.empty()
    release.set()
    assert late.get(timeout=5) == "late"


def test_a_late_error_is_reported_too(caller: Caller, release: threading.Event) -> None:
    late: queue.Queue[object] = queue.Queue()
    error = CloudError("c", "run")

    def call() -> None:
        release.wait()
        raise error

    with pytest.raises(PluginTimeoutError):
        caller.call(call, limit=0.05, what="w", plugin="x", on_late=late.put)
    release.set()
    assert late.get(timeout=5) is error


def test_a_result_in_time_is_never_reported_as_late(caller: Caller) -> None:
    late: list[object] = []
    for _ in range(200):
        try:
            caller.call(time.sleep, 0.002, limit=0.002, what="w", plugin="x", on_late=late.append)
            used = 1
        except PluginTimeoutError:
            used = 0
        end = time.monotonic() + 2
        while not used and not late and time.monotonic() < end:
            time.sleep(0.001)
        assert used + len(late) == 1
        late.clear()


def test_a_fence_ends_the_wait_at_once(caller: Caller, release: threading.Event) -> None:
    fence = Fence()
    threading.Timer(0.1, fence.set).start()
    start = time.monotonic()
    with pytest.raises(AttemptCancelled, match="was given up"):
        caller.call(release.wait, limit=60, what="provision", plugin="x", fence=fence)
    assert time.monotonic() - start < 2
    assert fence.cancelled


def test_within_the_grace_a_fenced_call_may_end_by_itself(caller: Caller) -> None:
    fence = Fence()

    def call() -> None:
        while not fence.cancelled:
            time.sleep(0.01)
        raise AttemptCancelled("by the driver")

    threading.Timer(0.05, fence.set).start()
    with pytest.raises(AttemptCancelled, match="by the driver"):
        caller.call(call, limit=60, what="w", plugin="x", fence=fence, grace=30)


def test_items_are_taken_within_the_call(caller: Caller) -> None:
    options: dict[str, Any] = {"limit": 5.0, "what": "offers", "plugin": "x"}
    assert caller.call_iter(lambda: iter("abc"), **options) == ["a", "b", "c"]
    assert caller.call_iter(itertools.count, first=3, **options) == [0, 1, 2]
    assert caller.call_iter(itertools.count, first=0, **options) == []


def test_too_many_items_are_refused(caller: Caller) -> None:
    with pytest.raises(PluginBrokenError, match="gave more than 1000 items"):
        caller.call_iter(itertools.count, limit=5, what="offers", plugin="x", max_items=1000)


@pytest.mark.parametrize("answer", [None, 3, [1, "two"]])
def test_what_can_not_be_iterated_or_holds_a_stranger_is_refused(caller: Caller, answer: object) -> None:
    with pytest.raises(PluginBrokenError, match="offers of plugin 'x' returned"):
        caller.call_iter(lambda: answer, limit=5, what="offers", plugin="x", expected=int)  # type: ignore[arg-type, return-value]


def test_an_endless_iterable_ends_once_it_is_given_up(caller: Caller) -> None:
    given: list[int] = []

    def slow() -> Iterator[int]:
        for number in itertools.count():
            given.append(number)
            time.sleep(0.01)
            yield number

    with pytest.raises(PluginTimeoutError):
        caller.call_iter(slow, limit=0.1, what="offers", plugin="x")
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        before = len(given)
        time.sleep(0.1)
        if len(given) == before:
            return
    pytest.fail("still taking items")


def test_an_error_in_the_middle_of_the_items_is_a_fault_of_the_plugin(caller: Caller) -> None:
    with pytest.raises(PluginBrokenError, match="ZeroDivisionError"):
        caller.call_iter(lambda: (1 // number for number in (1, 0)), limit=5, what="offers", plugin="x")
