"""A job on a live cluster: its files, then the queue."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from skyx_core.calls import Fence
from skyx_core.cluster.access import ClusterAccess
from skyx_core.cluster.jobspec import RunPerRank, make_job
from skyx_core.cluster.sync import Transfer, sync
from skyx_core.errors import AttemptCancelled
from skyx_core.models import EventKind
from skyx_core.state.records import ClusterRecord

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services
    from skyx_core.task import Task


def deliver(
    services: Services,
    record: ClusterRecord,
    task: Task,
    transfers: Sequence[Transfer],
    *,
    setup: bool,
    run: RunPerRank | None = None,
    access: ClusterAccess | None = None,
    fence: Fence | None = None,
) -> int | None:
    """Copy files and queue the job on a live cluster. None: the task has nothing to run."""
    cluster = record.cluster
    assert cluster is not None
    own = access is None
    access = access or ClusterAccess(services, cluster)
    held = ExitStack()
    try:
        if transfers or record.autostop:
            held.enter_context(access.agent.hold())  # not idle from here on until the job is queued
        sync(services, record, access, transfers, fence=fence)
        if task.run is None and run is None and not (setup and task.setup):
            return None
        executor = services.clouds.executor(record.executor, cluster.link)
        services.caller.call(lambda: executor.prepare(access), limit=300, what="prepare()", plugin=executor.name)
        addresses = [node.address for node in cluster.nodes]
        job = make_job(
            services,
            task,
            cluster=record.name,
            setup=setup,
            addresses=addresses,
            has=record.accelerators,
            run=run,
        )
        if fence is not None and fence.cancelled:
            raise AttemptCancelled("interrupted before the job was queued")
        receipt = services.hooks.submit_job(executor, access, job, limit=60)
        services.event(EventKind.JOB_SUBMITTED, record, job_id=receipt.job_id)
        return receipt.job_id
    finally:
        held.close()
        if own:
            access.close()
