"""Bringing clusters up with a job."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from skyx_core.cluster.guard import Guard
from skyx_core.errors import UsageError
from skyx_core.models import Autostop, Request
from skyx_core.state.names import check_cluster_name, made_name

if TYPE_CHECKING:
    from skyx_core.cluster.block_operations import BlockOperations
    from skyx_core.cluster.catalogue_changes import CatalogueChanges
    from skyx_core.cluster.catalogues import Catalogues
    from skyx_core.cluster.job_operations import JobOperations
    from skyx_core.cluster.jobspec import RunPerRank
    from skyx_core.cluster.launch import Confirm
    from skyx_core.cluster.lifecycle_operations import LifecycleOperations
    from skyx_core.cluster.services import Services
    from skyx_core.cluster.views import Views
    from skyx_core.results import LaunchResult
    from skyx_core.task import Task


class Operations:
    """Everything that a session does once it needs plugins. See ``Session`` for what each does."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.guard = Guard(services)

    @cached_property
    def blocks(self) -> BlockOperations:
        from skyx_core.cluster.block_operations import BlockOperations

        return BlockOperations(self._services)

    @cached_property
    def jobs(self) -> JobOperations:
        from skyx_core.cluster.job_operations import JobOperations

        return JobOperations(self._services, self.guard)

    @cached_property
    def lifecycle(self) -> LifecycleOperations:
        from skyx_core.cluster.lifecycle_operations import LifecycleOperations

        return LifecycleOperations(self._services, self.guard)

    @cached_property
    def views(self) -> Views:
        from skyx_core.cluster.views import Views

        return Views(self._services, self.guard)

    @cached_property
    def catalogues(self) -> Catalogues:
        from skyx_core.cluster.catalogues import Catalogues

        return Catalogues(self._services)

    @cached_property
    def catalogue_changes(self) -> CatalogueChanges:
        from skyx_core.cluster.catalogue_changes import CatalogueChanges

        return CatalogueChanges(self._services)

    def launch(
        self,
        task: Task | None,
        *,
        cluster: str | None,
        dryrun: bool,
        detach: bool,
        retry_until_up: bool,
        hedge: int,
        autostop: Autostop | None,
        keep: bool,
        wait: float | None,
        confirm: Confirm | None,
        run: RunPerRank | None,
        optimize: str = "",
    ) -> LaunchResult:
        from skyx_core.cluster.launch import Launch, Wanted, prepare
        from skyx_core.cluster.search import SearchOptions
        from skyx_core.results import LaunchResult, to_json

        if hedge != 1:
            raise UsageError("hedged launches aren't supported yet", hint="leave --hedge out")
        services = self._services
        services.rulebooks.check()
        name = check_cluster_name(cluster) if cluster is not None else made_name(services.rng)
        asked = autostop or (task.autostop if task else None)
        with self.guard.interruptible(keep=keep) as interruption:
            wanted = prepare(
                services,
                Wanted(
                    name=name,
                    task=task,
                    requests=_requests(task, asked),
                    autostop=asked,
                    run=run,
                    dryrun=dryrun,
                    search=SearchOptions(retry_until_up=retry_until_up, keep_on_interrupt=interruption.keeps),
                    confirm=confirm,
                    optimize=optimize,
                ),
            )
            interruption.check()
            with self.guard.held(name, wait, interruption):
                launched = Launch(services, wanted, interruption.fence).run()
        status = launched.record.status.value if launched.record else "DRYRUN"
        if launched.job_id is not None and not detach:
            status = self.jobs.wait(name, launched.job_id, None).status
        candidate = to_json(launched.candidate.model_dump()) if launched.candidate else None
        return LaunchResult(
            cluster=name,
            job_id=launched.job_id,
            status=status,
            attempts=launched.attempts,
            candidate=candidate if isinstance(candidate, dict) else None,
        )


def _requests(task: Task | None, autostop: Autostop | None) -> tuple[Request, ...]:
    requests = task.requests() if task is not None else (Request(),)
    if autostop is None:
        return requests
    update = {"autostop": True, "autostop_down": autostop.down}
    return tuple(request.model_copy(update=update) for request in requests)
