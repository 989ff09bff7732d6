"""Verbs: wrapped, answered by listeners, and who is named when they fail."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator

import pytest

from hook_fixtures import CANDIDATE, CLUSTER, PLACE, VERDICT, Setup, Toy, listener, raises
from skyx_core.api import CloudError
from skyx_core.calls import Fence
from skyx_core.errors import AttemptCancelled, PluginBrokenError, PluginTimeoutError
from skyx_core.models import (
    Cluster,
    Request,
    Verdict,
)


def test_a_wrapper_is_around_the_driver() -> None:
    order: list[str] = []

    def around(self: object, request: Request) -> Generator[None, Cluster, Cluster]:
        order.append("before")
        result = yield
        order.append("after")
        return result

    def made() -> Cluster:
        order.append("driver")
        return CLUSTER

    setup = Setup(wrap=listener("skyx_provision", around, wrapper=True))
    assert setup.provision(Toy(made)) == CLUSTER
    assert order == ["before", "driver", "after"]


def failing_wrapper(self: object) -> Iterator[None]:
    yield
    raise LookupError("in the wrapper")


def test_a_wrapper_that_raises_is_named_not_the_driver() -> None:
    setup = Setup(
        other=listener("skyx_provision", lambda self: None),
        wrap=listener("skyx_provision", failing_wrapper, wrapper=True),
    )
    with pytest.raises(PluginBrokenError, match="skyx_provision of plugin 'wrap' failed") as caught:
        setup.provision()
    assert "in the wrapper" in caught.value.why


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_driver_that_raises_is_named_not_the_wrapper(wrapped: bool) -> None:
    def through(self: object) -> Generator[None, Cluster, Cluster]:
        return (yield)

    setup = Setup(**({"wrap": listener("skyx_provision", through, wrapper=True)} if wrapped else {}))
    with pytest.raises(PluginBrokenError, match="provision of plugin 'toy' failed") as caught:
        setup.provision(Toy(raises(KeyError("zone"))))
    assert isinstance(caught.value.__cause__, KeyError)


def test_what_a_cloud_answered_passes_through_wrappers() -> None:
    def through(self: object) -> Generator[None, Cluster, Cluster]:
        return (yield)

    error = CloudError("toy", "run", code="Full")
    setup = Setup(wrap=listener("skyx_provision", through, wrapper=True))
    with pytest.raises(CloudError) as caught:
        setup.provision(Toy(raises(error)))
    assert caught.value is error


@pytest.mark.parametrize("answer", [None, False, [], "made"])
def test_a_driver_that_returns_something_else_is_named(answer: object) -> None:
    with pytest.raises(PluginBrokenError, match=f"provision of plugin 'toy' returned {type(answer).__name__}"):
        Setup().provision(Toy(lambda: answer))


def test_a_listener_that_answers_a_verb_wrongly_is_named() -> None:
    setup = Setup(usurper=listener("skyx_provision", lambda self: "mine"))
    with pytest.raises(PluginBrokenError, match="skyx_provision of plugin 'usurper' returned str instead of Cluster"):
        setup.provision()


def test_a_listener_may_answer_a_verb_itself() -> None:
    own = CLUSTER.model_copy(update={"data": {"by": "listener"}})
    setup = Setup(usurper=listener("skyx_provision", lambda self: own))
    assert setup.provision(Toy(raises(AssertionError("asked")))) == own


def test_a_broken_classifier_is_logged_and_core_answers() -> None:
    def bad(self: object, error: CloudError) -> Verdict:
        raise RuntimeError("no idea")

    setup = Setup(bad=listener("skyx_classify_error", bad))
    assert setup.hooks.classify_error("toy", PLACE, CANDIDATE, CloudError("toy", "run")) == VERDICT
    assert "no idea" in setup.logged[0]


def test_a_hanging_driver_is_given_up_at_the_limit_or_the_fence() -> None:
    release = threading.Event()
    late: list[object] = []
    hanging = Toy(lambda: release.wait() and CLUSTER)
    with pytest.raises(PluginTimeoutError, match="provision of plugin 'toy'"):
        Setup().provision(hanging, limit=0.1)
    fence = Fence()
    threading.Timer(0.1, fence.set).start()
    with pytest.raises(AttemptCancelled):
        Setup().provision(hanging, limit=60, fence=fence, on_late=late.append)
    release.set()
    end = time.monotonic() + 5
    while not late and time.monotonic() < end:
        time.sleep(0.01)
    assert late == [CLUSTER]
