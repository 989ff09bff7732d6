"""Listeners: watching, vetoing, wrapping, and every way of failing at it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hook_fixtures import CANDIDATE, CLUSTER, EVENT, HANDLE, PLACE, VERDICT, Setup, Toy, listener, raises
from plugin_fixtures import plugins
from skyx_core import hooks as hooks_module
from skyx_core.api import CloudError
from skyx_core.calls import Caller
from skyx_core.clock import SystemClock
from skyx_core.hooks import Hooks
from skyx_core.models import (
    Event,
    JobSpec,
    Request,
)


def test_verbs_reach_the_driver() -> None:
    setup = Setup()
    toy: Any = Toy()
    cluster: Any = None
    assert setup.provision() == CLUSTER
    assert setup.hooks.teardown(toy, HANDLE, PLACE, limit=5).done
    assert setup.hooks.submit_job(toy, cluster, JobSpec(submit_id="s", task_id="t"), limit=5).job_id == 7
    assert setup.hooks.classify_error("toy", PLACE, CANDIDATE, CloudError("toy", "run")) == VERDICT
    assert setup.logged == []


def test_without_listeners_events_load_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    setup = Setup()
    monkeypatch.setattr(setup.hooks, "_registry", lambda: pytest.fail("loaded"))
    setup.hooks.event(EVENT)
    task: Any = None
    assert setup.hooks.check_launch(task, [], []) == []


def test_a_watcher_hears_every_event() -> None:
    heard: list[Event] = []
    setup = Setup(ear=listener("skyx_event", lambda self, event: heard.append(event)))
    setup.hooks.event(EVENT)
    setup.hooks.event(EVENT)
    assert heard == [EVENT, EVENT]


def test_an_implementation_may_take_fewer_arguments() -> None:
    calls: list[int] = []
    setup = Setup(ear=listener("skyx_event", lambda self: calls.append(1)))
    setup.hooks.event(EVENT)
    assert calls == [1]


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(1), KeyboardInterrupt()], ids=lambda e: type(e).__name__)
def test_a_watcher_that_raises_is_dropped_and_the_others_go_on(error: BaseException) -> None:
    heard: list[int] = []
    calls: list[int] = []

    def bad(self: object, event: Event) -> None:
        calls.append(1)
        raise error

    setup = Setup(
        a=listener("skyx_event", lambda self, event: heard.append(1)),
        bad=listener("skyx_event", bad),
        z=listener("skyx_event", lambda self, event: heard.append(2)),
    )
    for _ in range(3):
        setup.hooks.event(EVENT)
    assert sorted(heard) == [1, 1, 1, 2, 2, 2]
    assert calls == [1]
    assert len(setup.logged) == 1
    assert "bad" in setup.logged[0]
    assert type(error).__name__ in setup.logged[0]


def test_a_watcher_that_hangs_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks_module, "EVENT_LIMIT_S", 0.1)
    release = threading.Event()
    setup = Setup(slow=listener("skyx_event", lambda self, event: release.wait()))
    start = time.monotonic()
    for _ in range(20):
        setup.hooks.event(EVENT)
    release.set()
    assert time.monotonic() - start < 1.5
    assert len(setup.logged) == 1


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda: None, None),
        (lambda: "too dear", "too dear"),
        (raises(KeyError("rate")), "it failed: skyx_check_launch of plugin 'policy' failed"),
        (lambda: False, "it answered bool instead of a reason or None"),
    ],
)
def test_a_veto_is_reported_by_name_also_one_by_failure(answer: Callable[[], object], expected: str | None) -> None:
    setup = Setup(policy=listener("skyx_check_launch", lambda self, requests: answer()))
    task: Any = None
    vetoes = setup.hooks.check_launch(task, [Request()], [CANDIDATE])
    assert [name for name, _ in vetoes] == ([] if expected is None else ["policy"])
    assert all(reason.startswith(str(expected)) for _, reason in vetoes)


def test_a_listener_shows_at_most_twenty_candidates() -> None:
    seen: list[int] = []
    setup = Setup(policy=listener("skyx_check_launch", lambda self, candidates: seen.append(len(candidates))))
    task: Any = None
    setup.hooks.check_launch(task, [], [CANDIDATE] * 50)
    assert seen == [20]


def failing_wrapper(self: object) -> Iterator[None]:
    yield
    raise LookupError("in the wrapper")


@pytest.mark.parametrize(
    "wrong",
    [
        listener("skyx_evnt", lambda self, event: None),
        listener("skyx_event", lambda self, event, weather: None),
        listener("skyx_event", failing_wrapper, wrapper=True),
        type("Picky", (), {"__init__": lambda self, needed: None}),
        type("Old", (), {"api_version": 99}),
    ],
    ids=["misspelt", "strange argument", "wrapped watcher", "can't be made", "another version"],
)
def test_a_listener_that_can_not_be_registered_is_left_out(wrong: object) -> None:
    heard: list[int] = []
    good = listener("skyx_event", lambda self, event: heard.append(1))
    setup = Setup(wrong=wrong, zgood=good, agood=listener("skyx_event", lambda self, event: heard.append(2)))
    setup.hooks.event(EVENT)
    assert sorted(heard) == [1, 2]
    assert len(setup.logged) == 1
    assert "wrong" in setup.logged[0]
    assert setup.provision() == CLUSTER


def test_installed_listeners_are_loaded_and_the_broken_ones_reported(installed: Callable[..., Path]) -> None:
    installed("skyx-listeners")
    logged: list[str] = []
    hooks = Hooks(plugins(), lambda **_: VERDICT, caller=Caller(SystemClock()), log=logged.append)
    hooks.event(EVENT)
    import skyx_listeners  # type: ignore[import-not-found]

    assert skyx_listeners.Watcher.heard == ["planned"]
    assert sorted(name for line in logged for name in ("misspelt", "strangeargs", "unimportable") if name in line) == [
        "misspelt",
        "strangeargs",
        "unimportable",
    ]
    assert all("skyx-listeners 0.5.0" in line for line in logged)


def test_the_trace_shows_hook_implementations_result_and_time() -> None:
    setup = Setup(
        ear=listener("skyx_event", lambda self, event: None), wrap=listener("skyx_provision", lambda self: None)
    )
    setup.provision()
    setup.hooks.event(EVENT)
    lines = setup.trace.getvalue().splitlines()
    assert lines[0].startswith("hook skyx_provision [wrap, core] -> Cluster ")
    assert lines[1].startswith("hook skyx_event [ear] -> NoneType ")
    assert all(line.endswith(" ms") for line in lines)
