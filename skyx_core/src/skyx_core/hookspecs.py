"""The verbs: every hook, in the order of a cluster's life. A listener is a module or object with functions of these
names, marked by ``skyx_core.api.hookimpl``, found by the entry point group ``skyx.plugins``.

Verbs (``skyx_provision``, ``skyx_classify_error``, ``skyx_teardown``, ``skyx_submit_job``) stop at the first answer
that isn't None; core's own implementation comes last and calls the driver's method of the same name. Listeners may wrap
them (``hookimpl(wrapper=True)``). Order among listeners never matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy  # noqa: TID253 - reached only when a hook is called

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from skyx_core.drivers import Attempt, CloudDriver, Executor, NodeAccess
    from skyx_core.errors import CloudError
    from skyx_core.models import (
        Candidate,
        Cluster,
        ClusterHandle,
        Event,
        JobReceipt,
        JobSpec,
        Place,
        Request,
        TeardownResult,
        Verdict,
    )
    from skyx_core.task import Task

hookspec = pluggy.HookspecMarker("skyx")
hookimpl = pluggy.HookimplMarker("skyx")


@hookspec
def skyx_check_launch(task: Task, requests: Sequence[Request], candidates: Sequence[Candidate]) -> str | None:
    """Veto a launch before anything is made: return the reason, or None. Every listener is asked; the first
    candidates (at most 20) are shown. A listener that raises vetoes too, by name.
    """


@hookspec(firstresult=True)
def skyx_provision(driver: CloudDriver[BaseModel], place: Place, request: Request, attempt: Attempt) -> Cluster:
    """Make the nodes of one attempt. Raises ``CloudError``."""
    raise AssertionError


@hookspec(firstresult=True)
def skyx_classify_error(cloud: str, place: Place, candidate: Candidate, error: CloudError) -> Verdict:
    """Say what an error means. Must not raise; unknown errors block the narrowest thing."""
    raise AssertionError


@hookspec(firstresult=True)
def skyx_submit_job(executor: Executor[BaseModel], cluster: NodeAccess, job: JobSpec) -> JobReceipt:
    """Queue a job on a live cluster; the same ``submit_id`` is queued once."""
    raise AssertionError


@hookspec(firstresult=True)
def skyx_teardown(driver: CloudDriver[BaseModel], handle: ClusterHandle, place: Place) -> TeardownResult:
    """Terminate; called again until ``done``."""
    raise AssertionError


@hookspec
def skyx_event(event: Event) -> None:
    """Watch. Called after the event is stored; one that raises is logged and dropped for the rest of the session."""
