"""Core's own implementation of each verb: last in line, it calls the driver's method of the same name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from skyx_core.errors import CloudError, SkyxError
from skyx_core.hookspecs import hookimpl
from skyx_core.models import Cluster, JobReceipt, TeardownResult
from skyx_core.plugin_faults import Operation, as_plugin_error

if TYPE_CHECKING:
    from pydantic import BaseModel

    from skyx_core.drivers import Attempt, CloudDriver, Executor, NodeAccess
    from skyx_core.models import Candidate, ClusterHandle, JobSpec, Place, Request, Verdict

T = TypeVar("T")


class Classify(Protocol):
    """Says what a cloud's error means; core's rule engine."""

    def __call__(self, *, cloud: str, place: Place, candidate: Candidate, error: CloudError) -> Verdict: ...


class BuiltinVerbs:
    """``where(kind, name)`` gives "distribution version" for messages."""

    def __init__(self, classify: Classify, where: Callable[[str, str], str]) -> None:
        self._classify = classify
        self._where = where

    @hookimpl(trylast=True)
    def skyx_provision(
        self, driver: CloudDriver[BaseModel], place: Place, request: Request, attempt: Attempt
    ) -> Cluster:
        operation = Operation("provision", driver.name, self._where("cloud", driver.name))
        return _guarded(operation, Cluster, lambda: driver.provision(place, request, attempt))

    @hookimpl(trylast=True)
    def skyx_classify_error(self, cloud: str, place: Place, candidate: Candidate, error: CloudError) -> Verdict:
        return self._classify(cloud=cloud, place=place, candidate=candidate, error=error)

    @hookimpl(trylast=True)
    def skyx_submit_job(self, executor: Executor[BaseModel], cluster: NodeAccess, job: JobSpec) -> JobReceipt:
        operation = Operation("submit_job", executor.name, self._where("executor", executor.name))
        return _guarded(operation, JobReceipt, lambda: executor.submit_job(cluster, job))

    @hookimpl(trylast=True)
    def skyx_teardown(self, driver: CloudDriver[BaseModel], handle: ClusterHandle, place: Place) -> TeardownResult:
        operation = Operation("teardown", driver.name, self._where("cloud", driver.name))
        return _guarded(operation, TeardownResult, lambda: driver.teardown(handle, place))


def _guarded(operation: Operation, expected: type, fn: Callable[[], T]) -> T:
    """So that a driver's fault is never taken for that of a listener around it."""
    try:
        result = fn()
    except (CloudError, SkyxError):
        raise
    except BaseException as error:
        raise as_plugin_error(error, operation) from error
    return operation.checked(result, expected)
