"""Ctrl-C from within, at every step of a search: one error, nothing left, each attempt reported once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from scripted_clouds import Script, said
from scripted_sessions import Connect, connecting, gone, launch, replays
from skyx_core.clock import SystemClock
from skyx_core.cluster.attempts import Build
from skyx_core.cluster.cloud import Cloud
from skyx_core.cluster.known_blocks import KnownBlocks
from skyx_core.cluster.search import Search
from skyx_core.errors import InterruptedBySignal
from skyx_core.failover.engine import Engine
from skyx_core.state.store import Store

pytestmark = pytest.mark.e2e


@pytest.fixture
def connect(cli, tmp_path) -> Iterator[Connect]:
    with connecting(cli, tmp_path) as made:
        yield made


class Once:
    """Raises at call ``number`` of a method, before or after it does its work."""

    def __init__(self, kind: type, method: str, when: str, number: int = 1) -> None:
        self._real = getattr(kind, method)
        self._left = number
        self._when = when
        self.raised = False

    def __get__(self, instance: Any, _: type) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            self._left -= 1
            if self._left == 0 and self._when == "before":
                self._raise()
            made = self._real(instance, *args, **kwargs)
            if self._left == 0 and self._when == "after":
                self._raise()
            return made

        return call

    def _raise(self) -> None:
        self.raised = True
        raise KeyboardInterrupt


STEPS = [
    *((Engine, "next", "after", number) for number in range(1, 8)),
    *((Engine, "next", "before", number) for number in (1, 4)),
    *((Engine, "_drawn_next", "before", number) for number in (1, 2)),
    *((Engine, "_begin", "after", number) for number in (1, 2, 3)),
    *((Engine, "located", when, 1) for when in ("before", "after")),
    *((Engine, "outcome", when, number) for when in ("before", "after") for number in (1, 2)),
    *((Engine, "cleaned", when, 1) for when in ("before", "after")),
    *((Cloud, "locate", when, number) for when in ("before", "after") for number in (1, 2)),
    *((Cloud, "provision", when, number) for when in ("before", "after") for number in (1, 2)),
    *((Build, "run", when, number) for when in ("before", "after") for number in (1, 2)),
    *((Build, "finish", when, 1) for when in ("before", "after")),
    *((Build, "clean_up", when, 1) for when in ("before", "after")),
    *((Store, "announce", when, 1) for when in ("before", "after")),
    *((KnownBlocks, "save", when, 1) for when in ("before", "after")),
    *((Search, name, "after", 1) for name in ("_report", "_locate", "_clean")),
]


def named(step: tuple[type, str, str, int]) -> str:
    kind, method, when, number = step
    return f"{when}-{kind.__name__}.{method}-{number}"


@pytest.mark.parametrize("step", STEPS, ids=map(named, STEPS))
def test_at_every_step_of_a_search(connect, monkeypatch, step):
    """A zone that is full, with nodes to clean, then a region that has room."""
    full = said("odd", "Full", "no room")
    full.nodes_may_exist = True
    odd = Script("odd", {"r1": [None], "r2": [None]}, {("r1", None): full}, leaves_nodes=True)
    session = connect(odd)
    told: Counter[int] = Counter()
    tell = Engine.outcome
    monkeypatch.setattr(Engine, "outcome", lambda self, n, *more: (told.update([n]), tell(self, n, *more))[1])
    kind, method, when, number = step
    raising = Once(kind, method, when, number)
    monkeypatch.setattr(kind, method, raising)
    try:
        launched = launch(session)
    except InterruptedBySignal:
        assert raising.raised
        assert gone(session)
        assert odd.nodes() == [], "nodes are left"
    else:
        assert not raising.raised, "a launch that was interrupted went on"
        assert launched.attempts == 2
    assert all(times == 1 for times in told.values()), f"told twice: {told}"


@pytest.mark.parametrize("when", ["before", "after"])
def test_while_it_waits_for_capacity(connect, monkeypatch, when):
    full = said("odd", "Full", "no room")
    session = connect(Script("odd", {"r1": [None]}, {("r1", None): full}))
    waiting = Once(SystemClock, "sleep", when, 3)
    monkeypatch.setattr(SystemClock, "sleep", waiting)
    with pytest.raises(InterruptedBySignal):
        launch(session, retry_until_up=True)
    assert waiting.raised
    assert gone(session)
    assert replays(session)
