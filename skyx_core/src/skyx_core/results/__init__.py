"""What the embedding API returns. The same fields, under the same names, are in ``-o json`` and in the docs.

Plain dataclasses: listing ten thousand clusters must not build ten thousand validated models. Names load lazily: each
of these classes costs more than a millisecond to make, and a command needs few of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.results.blocks import BlockRow as BlockRow
    from skyx_core.results.blocks import BlocksResult as BlocksResult
    from skyx_core.results.catalogs import CatalogChange as CatalogChange
    from skyx_core.results.catalogs import CatalogInfo as CatalogInfo
    from skyx_core.results.catalogs import GpuReport as GpuReport
    from skyx_core.results.catalogs import GpuRow as GpuRow
    from skyx_core.results.clusters import ClusterInfo as ClusterInfo
    from skyx_core.results.clusters import LifecycleResult as LifecycleResult
    from skyx_core.results.clusters import StatusResult as StatusResult
    from skyx_core.results.convert import to_iso as to_iso
    from skyx_core.results.convert import to_json as to_json
    from skyx_core.results.installed import CheckResult as CheckResult
    from skyx_core.results.installed import PluginInfo as PluginInfo
    from skyx_core.results.jobs import CancelResult as CancelResult
    from skyx_core.results.jobs import JobInfo as JobInfo
    from skyx_core.results.jobs import JobResult as JobResult
    from skyx_core.results.jobs import LogChunk as LogChunk
    from skyx_core.results.plans import Excluded as Excluded
    from skyx_core.results.plans import LaunchResult as LaunchResult
    from skyx_core.results.plans import Near as Near
    from skyx_core.results.plans import OfferRow as OfferRow
    from skyx_core.results.plans import PipelinePlan as PipelinePlan
    from skyx_core.results.plans import PlanRow as PlanRow
    from skyx_core.results.plans import PlanTotal as PlanTotal
    from skyx_core.results.plans import TaskPlan as TaskPlan
    from skyx_core.results.spend import SpendReport as SpendReport
    from skyx_core.results.spend import SpendRow as SpendRow
    from skyx_core.results.states import ClusterStatus as ClusterStatus
    from skyx_core.results.states import JobStatus as JobStatus
    from skyx_core.results.states import Json as Json

_HOME = {
    "blocks": (
        "BlockRow",
        "BlocksResult",
    ),
    "catalogs": (
        "CatalogChange",
        "CatalogInfo",
        "GpuReport",
        "GpuRow",
    ),
    "clusters": (
        "ClusterInfo",
        "LifecycleResult",
        "StatusResult",
    ),
    "convert": (
        "to_iso",
        "to_json",
    ),
    "installed": (
        "CheckResult",
        "PluginInfo",
    ),
    "jobs": (
        "CancelResult",
        "JobInfo",
        "JobResult",
        "LogChunk",
    ),
    "plans": (
        "Excluded",
        "LaunchResult",
        "Near",
        "OfferRow",
        "PipelinePlan",
        "PlanRow",
        "PlanTotal",
        "TaskPlan",
    ),
    "spend": (
        "SpendReport",
        "SpendRow",
    ),
    "states": (
        "ClusterStatus",
        "JobStatus",
        "Json",
    ),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}
__all__ = sorted(_MODULE_OF)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value
