"""stop, start, down and autostop of one cluster, by callers that hold its lock."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from skyx_core.calls import Fence
from skyx_core.cluster.access import ClusterAccess
from skyx_core.cluster.attempts import Build, arm, complete
from skyx_core.cluster.ending import remove_nodes, settle_stopped
from skyx_core.cluster.journal import AttemptRun
from skyx_core.errors import (
    AgentError,
    AttemptCancelled,
    CloudCallError,
    CloudError,
    ClusterStateError,
    CredentialsError,
    InterruptedBySignal,
    LeftoverError,
    NoCapacityError,
    NodeError,
    PluginError,
    SkyxError,
)
from skyx_core.failpoints import failpoint
from skyx_core.models import Autostop, Candidate, Category, EventKind, Place
from skyx_core.results import ClusterStatus
from skyx_core.state.records import ClusterRecord

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services

AGENT_LIMIT_S = 30.0


def check_identity(services: Services, record: ClusterRecord) -> None:
    """A cluster is touched only by the account that made it; another gets ``CredentialsError``."""
    if not record.account:
        return
    account = services.clouds.get(record.cloud).identity()
    if account != record.account:
        raise CredentialsError(
            f"cluster {record.name!r} belongs to account {record.account!r}",
            where=record.cloud,
            why=f"the credentials in use are those of {account!r}",
            hint="use the credentials of its account; 'skyx down --purge' forgets it without looking",
        )


def end_agent(services: Services, record: ClusterRecord) -> None:
    """End jobs, agent and what the executor started, so that nothing respawns; best effort: the nodes end next."""
    cluster = record.cluster
    if cluster is None or record.status is ClusterStatus.STOPPED:
        return
    access = ClusterAccess(services, cluster)
    try:
        executor = services.clouds.executor(record.executor, cluster.link)
        services.caller.call(lambda: executor.stop(access), limit=AGENT_LIMIT_S, what="stop()", plugin=executor.name)
        access.agent.request("shutdown", kill_jobs=True, limit=AGENT_LIMIT_S)
    except (AgentError, NodeError, PluginError) as error:
        services.event(EventKind.WARNING, record, message=f"the agent could not be ended: {error}")
    finally:
        access.close()


def down(services: Services, record: ClusterRecord, *, purge: bool = False) -> list[str]:
    """Terminate it and move the record to the history. Returns what may be left (only with ``purge``)."""
    if not purge:
        with suppress(CloudError):  # a cloud that doesn't answer is said below, with the record marked
            check_identity(services, record)
    record = _mark(services, record, ClusterStatus.TERMINATING)
    services.event(EventKind.TERMINATING, record)
    failpoint("down.before_agent")
    remaining: list[str] = []
    try:
        check_identity(services, record)
        end_agent(services, record)
        for place in places_of(services, record):
            remove_nodes(services, record, place)
    except (LeftoverError, PluginError, CloudError, CredentialsError) as error:
        remaining = list(error.remaining) if isinstance(error, LeftoverError) else []
        if not purge:
            why = (error.why or error.what) if isinstance(error, SkyxError) else str(error)
            services.store.update(record.name, record.generation, reason=why)
            if isinstance(error, CloudError):
                hint = f"run it again once the cloud answers: skyx down {record.name}"
                raise LeftoverError(f"cluster {record.name!r} may still run", why=why, hint=hint) from error
            raise
        remaining = remaining or [f"nodes of {record.handle.cloud_name} in {record.cloud}/{record.region or '?'}"]
    failpoint("down.before_remove")
    for intent in services.store.intents(record.uid, open_only=True):
        services.store.intent_gone(intent.id, "the cluster was taken down")
    services.event(EventKind.TERMINATED, record)
    services.store.remove(record.uid, record.generation, "purged" if remaining else "taken down")
    return remaining


def places_of(services: Services, record: ClusterRecord) -> list[Place]:
    """Where nodes of it may be: its own place, and that of every creating call that never returned."""
    found = [record.place] if record.place else []
    for intent in services.store.intents(record.uid, open_only=True):
        place = Place.model_validate_json(intent.place_json)
        if place not in found:
            found.append(place)
    return [place for place in found if place is not None]


def stop(services: Services, record: ClusterRecord) -> ClusterRecord:
    """Stop all nodes; disks stay. A stopped cluster is success."""
    if record.status is ClusterStatus.STOPPED:
        return record
    if not record.ever_up:
        raise ClusterStateError(
            f"cluster {record.name!r} was never up",
            why=record.reason,
            hint=f"skyx launch -c {record.name}, or skyx down",
        )
    if record.use_spot:
        raise ClusterStateError("spot clusters can't be stopped", where=record.name, hint=f"skyx down {record.name}")
    services.clouds.get(record.cloud).must_stop(record.handle)
    check_identity(services, record)
    record = _mark(services, record, ClusterStatus.STOPPING)
    services.event(EventKind.STOPPING, record)
    failpoint("stop.before_agent")
    end_agent(services, record)
    try:
        settle_stopped(services, record)
    except LeftoverError as error:
        services.store.update(record.name, record.generation, reason=error.why or error.what)
        raise
    failpoint("stop.before_record")
    record = services.store.update(
        record.name, record.generation, status=ClusterStatus.STOPPED, reason="", autostop=None
    )
    services.event(EventKind.STOPPED, record)
    return record


def start(
    services: Services, record: ClusterRecord, *, fence: Fence, held: ExitStack, autostop: Autostop | None = None
) -> ClusterRecord:
    """Start it where it was; never anywhere else: its disks are there. UP is on disk when this returns."""
    if record.status is ClusterStatus.UP:
        return record
    place = record.place
    if place is None or not record.ever_up:
        raise ClusterStateError(
            f"cluster {record.name!r} was never up", hint=f"launch it again: skyx launch -c {record.name}"
        )
    cloud = services.clouds.get(place.cloud)
    cloud.must_stop(record.handle)
    check_identity(services, record)
    record = _mark(services, record, ClusterStatus.STARTING)
    services.event(EventKind.STARTING, record)
    build = Build(services, record, fence, held, autostop)
    limit = services.settings.attempt_timeout_s
    attempt = AttemptRun(
        services, record.handle, candidate_of(record), number=1, generation=record.generation, limit=limit, fence=fence
    )
    build.attempt = attempt
    build.candidate = candidate_of(record)
    try:
        started = cloud.start(record.handle, place, attempt, limit=limit, fence=fence)
        failpoint("start.after_nodes")
        build.finish(complete(started, record.num_nodes, cloud.name))
    except BaseException as error:
        raise _start_failed(services, build, attempt, error) from error
    finally:
        attempt.close()
    return build.record


def _start_failed(services: Services, build: Build, attempt: AttemptRun, error: BaseException) -> BaseException:
    """Stop again what has started: nothing bills that isn't usable, and the data is kept."""
    record = build.record
    try:
        settle_stopped(services, record)
        if attempt.under_way:  # a call that was given up may still start nodes
            services.clock.sleep(services.clouds.get(record.cloud).driver.settle_s)
            settle_stopped(services, record)
        status = ClusterStatus.STOPPING if attempt.under_way else ClusterStatus.STOPPED
        services.store.update(record.name, record.generation, status=status, reason=str(error))
    except (LeftoverError, PluginError) as left:
        services.store.update(record.name, record.generation, status=ClusterStatus.STOPPING, reason=str(left))
    if isinstance(error, AttemptCancelled | KeyboardInterrupt):
        return InterruptedBySignal("the start was interrupted", where=record.name, why="the cluster was stopped again")
    if isinstance(error, CloudError) and record.place is not None:
        verdict = services.hooks.classify_error(record.cloud, record.place, candidate_of(record), error)
        if verdict.category in (Category.CAPACITY, Category.QUOTA):
            hint = verdict.hint or "try again later"
            return NoCapacityError(f"cluster {record.name!r} can't be started now", why=str(error), hint=hint)
        return CloudCallError(f"cluster {record.name!r} could not be started", why=str(error), hint=verdict.hint)
    return error


def candidate_of(record: ClusterRecord) -> Candidate:
    return Candidate(
        cloud=record.cloud,
        region=record.region or "",
        zone=record.zone,
        instance_type=record.instance_type or "",
        cpus=_size(record, "cpus"),
        memory_gb=_size(record, "memory_gb"),
        accelerators=record.accelerators,
        use_spot=record.use_spot,
        hourly_usd=record.hourly_usd,
    )


def _size(record: ClusterRecord, key: str) -> float:
    """Of each node, as it was made."""
    return float(record.cluster.data.get(key, "0")) if record.cluster else 0.0


def set_autostop(
    services: Services, record: ClusterRecord, setting: Autostop | None, *, held: ExitStack
) -> ClusterRecord:
    """Arm it on the cluster itself, or cancel it. Idempotent."""
    cluster = record.cluster
    if record.status is not ClusterStatus.UP or cluster is None:
        raise ClusterStateError(
            f"cluster {record.name!r} is {record.status.value}, autostop needs one that is UP", hint="skyx start"
        )
    if setting is None:
        access = ClusterAccess(services, cluster)
        try:
            access.agent.set_autostop(None)
        finally:
            access.close()
    else:
        arm(services, cluster, setting, held)
    data = setting.model_dump(mode="json") if setting else None
    record = services.store.update(record.name, record.generation, autostop=data)
    services.event(EventKind.AUTOSTOP_SET, record, message=_words(setting))
    return record


def _words(setting: Autostop | None) -> str:
    if setting is None:
        return "autostop is off"
    return f"{'down' if setting.down else 'stop'} after {setting.idle_minutes} idle minutes"


def _mark(services: Services, record: ClusterRecord, status: ClusterStatus) -> ClusterRecord:
    """On disk before the first call."""
    return services.store.update(record.name, record.generation, status=status, reason="")
