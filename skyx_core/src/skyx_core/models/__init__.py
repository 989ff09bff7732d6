"""Frozen models that cross the border between core and plugins. Units: US dollars, GB (10^9 for disks,
GiB for memory, as clouds list them), minutes for idle times, seconds for everything else.

Models grow by optional fields. Names load lazily, so that importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.models.blocks import Block as Block
    from skyx_core.models.blocks import BlockKey as BlockKey
    from skyx_core.models.blocks import Category as Category
    from skyx_core.models.blocks import ErrorRule as ErrorRule
    from skyx_core.models.blocks import Retry as Retry
    from skyx_core.models.blocks import RuleTable as RuleTable
    from skyx_core.models.blocks import Scope as Scope
    from skyx_core.models.blocks import Verdict as Verdict
    from skyx_core.models.cluster import Autostop as Autostop
    from skyx_core.models.cluster import CheckLine as CheckLine
    from skyx_core.models.cluster import Cluster as Cluster
    from skyx_core.models.cluster import ClusterHandle as ClusterHandle
    from skyx_core.models.cluster import Inventory as Inventory
    from skyx_core.models.cluster import Node as Node
    from skyx_core.models.cluster import NodeState as NodeState
    from skyx_core.models.cluster import Observation as Observation
    from skyx_core.models.cluster import Place as Place
    from skyx_core.models.cluster import SelfEnd as SelfEnd
    from skyx_core.models.cluster import TeardownResult as TeardownResult
    from skyx_core.models.cluster import ZoneOption as ZoneOption
    from skyx_core.models.events import Event as Event
    from skyx_core.models.events import EventKind as EventKind
    from skyx_core.models.events import Skipped as Skipped
    from skyx_core.models.jobs import JobReceipt as JobReceipt
    from skyx_core.models.jobs import JobSpec as JobSpec
    from skyx_core.models.jobs import Payload as Payload
    from skyx_core.models.jobs import RuntimeRequirements as RuntimeRequirements
    from skyx_core.models.offers import Amount as Amount
    from skyx_core.models.offers import Candidate as Candidate
    from skyx_core.models.offers import Capability as Capability
    from skyx_core.models.offers import Idempotency as Idempotency
    from skyx_core.models.offers import Link as Link
    from skyx_core.models.offers import Offer as Offer
    from skyx_core.models.offers import Request as Request
    from skyx_core.models.offers import WhyNot as WhyNot

_HOME = {
    "blocks": ("Block", "BlockKey", "Category", "ErrorRule", "Retry", "RuleTable", "Scope", "Verdict"),
    "cluster": (
        "Autostop",
        "CheckLine",
        "Cluster",
        "ClusterHandle",
        "Inventory",
        "Node",
        "NodeState",
        "Observation",
        "Place",
        "SelfEnd",
        "TeardownResult",
        "ZoneOption",
    ),
    "events": ("Event", "EventKind", "Skipped"),
    "jobs": ("JobReceipt", "JobSpec", "Payload", "RuntimeRequirements"),
    "offers": (
        "Amount",
        "Candidate",
        "Capability",
        "Idempotency",
        "Link",
        "Offer",
        "Request",
        "WhyNot",
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
