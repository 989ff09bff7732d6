"""Bringing nodes to an end, until the cloud says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from skyx_core.errors import CloudError, LeftoverError, PluginError
from skyx_core.failpoints import failpoint
from skyx_core.models import EventKind, Place, TeardownResult
from skyx_core.spans import span
from skyx_core.state.records import ClusterRecord

if TYPE_CHECKING:
    from skyx_core.cluster.cloud import Cloud
    from skyx_core.cluster.services import Services

FIRST_PAUSE_S = 0.05
LAST_PAUSE_S = 2.0
MAX_FAILURES = 6


def remove_nodes(services: Services, record: ClusterRecord, place: Place) -> None:
    """Terminate until the cloud says that everything is gone; ``LeftoverError`` names what isn't."""
    cloud = services.clouds.get(place.cloud)
    _until_done(services, record, "terminate", lambda: cloud.teardown(record.handle, place))
    late = _late_s(services, record, cloud)
    if late > 0:
        services.event(
            EventKind.PROGRESS, record, message=f"waiting {span(late, up=True)} for a call that got no answer"
        )
        services.clock.sleep(late)
        _until_done(services, record, "terminate", lambda: cloud.teardown(record.handle, place))


def _late_s(services: Services, record: ClusterRecord, cloud: Cloud) -> float:
    """How long something that no list shows may still come to life: a call without an answer, or a node too new."""
    lag, settle = cloud.driver.list_lag_s, cloud.driver.settle_s
    ends = [0.0]
    for intent in services.store.intents(record.uid, open_only=lag <= 0):
        if intent.open:
            ends.append(intent.created_at + settle + lag)
        elif intent.state == "failed" and lag:
            ends.append((intent.ended_at or 0.0) + lag)
    return max(ends) - services.clock.time()


def settle_stopped(services: Services, record: ClusterRecord) -> None:
    """Stop all nodes of a cluster that was up once; its disks may hold data, so it is never terminated here."""
    place = record.place
    if place is None:
        return
    cloud = services.clouds.get(place.cloud)
    _until_done(services, record, "stop", lambda: cloud.stop(record.handle, place))


def _until_done(services: Services, record: ClusterRecord, verb: str, step: Callable[[], TeardownResult]) -> None:
    """Repeat a step of teardown, with growing pauses. An error is tried again until the limit."""
    clock = services.clock
    end, pause, problem = clock.monotonic() + services.settings.teardown_timeout_s, FIRST_PAUSE_S, ""
    remaining: tuple[str, ...] = ()
    failures = 0
    while True:
        failpoint(f"{verb}.before_step")
        try:
            result = step()
            if result.reason and result.reason != problem:
                services.event(EventKind.PROGRESS, record, message=result.reason)
            failures, remaining, problem = 0, result.remaining, result.reason
            if result.done:
                failpoint(f"{verb}.after_done")
                return
        except (CloudError, PluginError) as error:
            failures, problem = failures + 1, str(error)
        if clock.monotonic() > end or failures >= MAX_FAILURES:
            raise LeftoverError(
                f"cluster {record.name!r} could not be {'terminated' if verb == 'terminate' else 'stopped'}",
                remaining=remaining,
                why=problem,
                hint=f"run the command again: skyx {'down' if verb == 'terminate' else 'stop'} {record.name}",
            )
        clock.sleep(pause)
        pause = min(LAST_PAUSE_S, pause * 2)
