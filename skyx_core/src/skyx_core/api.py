# ruff: noqa: PLC0414 - the redundant alias is what marks a re-export for type checkers
"""All that a plugin may import. Everything else in skyx_core is private and may change in any release.

Names load when they are used, so that importing this module costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.calls import Caller as Caller
    from skyx_core.clock import Clock as Clock
    from skyx_core.clock import SharedClock as SharedClock
    from skyx_core.clock import SystemClock as SystemClock
    from skyx_core.clock import clock_from as clock_from
    from skyx_core.dirs import Dirs as Dirs
    from skyx_core.discovery import Plugins as Plugins
    from skyx_core.drivers import API_VERSION as API_VERSION
    from skyx_core.drivers import Attempt as Attempt
    from skyx_core.drivers import Catalog as Catalog
    from skyx_core.drivers import CloudDriver as CloudDriver
    from skyx_core.drivers import DriverContext as DriverContext
    from skyx_core.drivers import Executor as Executor
    from skyx_core.drivers import Intent as Intent
    from skyx_core.drivers import NodeAccess as NodeAccess
    from skyx_core.drivers import SupportsCatalogUpdate as SupportsCatalogUpdate
    from skyx_core.drivers import SupportsPorts as SupportsPorts
    from skyx_core.drivers import SupportsSelfEnd as SupportsSelfEnd
    from skyx_core.drivers import SupportsStop as SupportsStop
    from skyx_core.errors import AgentError as AgentError
    from skyx_core.errors import AgentRefusedError as AgentRefusedError
    from skyx_core.errors import AttemptCancelled as AttemptCancelled
    from skyx_core.errors import BusyError as BusyError
    from skyx_core.errors import CatalogError as CatalogError
    from skyx_core.errors import CloudCallError as CloudCallError
    from skyx_core.errors import CloudError as CloudError
    from skyx_core.errors import CloudErrorDetail as CloudErrorDetail
    from skyx_core.errors import ClusterStateError as ClusterStateError
    from skyx_core.errors import CredentialsError as CredentialsError
    from skyx_core.errors import InterruptedBySignal as InterruptedBySignal
    from skyx_core.errors import LeftoverError as LeftoverError
    from skyx_core.errors import MismatchError as MismatchError
    from skyx_core.errors import NoCapacityError as NoCapacityError
    from skyx_core.errors import NodeError as NodeError
    from skyx_core.errors import NoSuchJobError as NoSuchJobError
    from skyx_core.errors import NotConfirmedError as NotConfirmedError
    from skyx_core.errors import NotFoundError as NotFoundError
    from skyx_core.errors import PluginBrokenError as PluginBrokenError
    from skyx_core.errors import PluginConflictError as PluginConflictError
    from skyx_core.errors import PluginError as PluginError
    from skyx_core.errors import PluginIncompatibleError as PluginIncompatibleError
    from skyx_core.errors import PluginNotInstalledError as PluginNotInstalledError
    from skyx_core.errors import PluginTimeoutError as PluginTimeoutError
    from skyx_core.errors import PolicyVetoError as PolicyVetoError
    from skyx_core.errors import Problem as Problem
    from skyx_core.errors import ScenarioError as ScenarioError
    from skyx_core.errors import SettingsError as SettingsError
    from skyx_core.errors import SkyxError as SkyxError
    from skyx_core.errors import StateStoreError as StateStoreError
    from skyx_core.errors import StateTooNewError as StateTooNewError
    from skyx_core.errors import TaskFileError as TaskFileError
    from skyx_core.errors import UsageError as UsageError
    from skyx_core.failover.actions import Action as Action
    from skyx_core.failover.blocklist import Blocklist as Blocklist
    from skyx_core.failover.engine import Cancel as Cancel
    from skyx_core.failover.engine import CleanUp as CleanUp
    from skyx_core.failover.engine import Done as Done
    from skyx_core.failover.engine import Engine as Engine
    from skyx_core.failover.engine import GiveUp as GiveUp
    from skyx_core.failover.engine import Locate as Locate
    from skyx_core.failover.engine import Skip as Skip
    from skyx_core.failover.engine import Start as Start
    from skyx_core.failover.engine import WaitUntil as WaitUntil
    from skyx_core.failover.recorded import BadRecord as BadRecord
    from skyx_core.failover.recorded import pattern as pattern
    from skyx_core.failover.recorded import recorded_error as recorded_error
    from skyx_core.failover.rules import Rulebook as Rulebook
    from skyx_core.failover.stamp import stamped as stamped
    from skyx_core.failpoints import failpoint as failpoint
    from skyx_core.hookspecs import hookimpl as hookimpl
    from skyx_core.models import Amount as Amount
    from skyx_core.models import Autostop as Autostop
    from skyx_core.models import Block as Block
    from skyx_core.models import BlockKey as BlockKey
    from skyx_core.models import Candidate as Candidate
    from skyx_core.models import Capability as Capability
    from skyx_core.models import Category as Category
    from skyx_core.models import CheckLine as CheckLine
    from skyx_core.models import Cluster as Cluster
    from skyx_core.models import ClusterHandle as ClusterHandle
    from skyx_core.models import ErrorRule as ErrorRule
    from skyx_core.models import Event as Event
    from skyx_core.models import EventKind as EventKind
    from skyx_core.models import Idempotency as Idempotency
    from skyx_core.models import Inventory as Inventory
    from skyx_core.models import JobReceipt as JobReceipt
    from skyx_core.models import JobSpec as JobSpec
    from skyx_core.models import Link as Link
    from skyx_core.models import Node as Node
    from skyx_core.models import NodeState as NodeState
    from skyx_core.models import Observation as Observation
    from skyx_core.models import Offer as Offer
    from skyx_core.models import Payload as Payload
    from skyx_core.models import Place as Place
    from skyx_core.models import Request as Request
    from skyx_core.models import Retry as Retry
    from skyx_core.models import RuleTable as RuleTable
    from skyx_core.models import RuntimeRequirements as RuntimeRequirements
    from skyx_core.models import Scope as Scope
    from skyx_core.models import SelfEnd as SelfEnd
    from skyx_core.models import Skipped as Skipped
    from skyx_core.models import TeardownResult as TeardownResult
    from skyx_core.models import Verdict as Verdict
    from skyx_core.models import WhyNot as WhyNot
    from skyx_core.models import ZoneOption as ZoneOption
    from skyx_core.models.base import Model as Model
    from skyx_core.node.runner import Channel as Channel
    from skyx_core.node.runner import NodeFacts as NodeFacts
    from skyx_core.node.runner import NodeLostError as NodeLostError
    from skyx_core.node.runner import Runner as Runner
    from skyx_core.node.runner import RunResult as RunResult
    from skyx_core.node.sandbox import Sandbox as Sandbox
    from skyx_core.node.sandbox import Sandboxes as Sandboxes
    from skyx_core.node.sandbox import SandboxSpec as SandboxSpec
    from skyx_core.node.sandbox_runner import SandboxRunner as SandboxRunner
    from skyx_core.plan.gate import Gate as Gate
    from skyx_core.plan.planner import Choice as Choice
    from skyx_core.plan.planner import Plan as Plan
    from skyx_core.plan.planner import Source as Source
    from skyx_core.plan.planner import make_plan as make_plan
    from skyx_core.results import BlockRow as BlockRow
    from skyx_core.results import to_iso as to_iso
    from skyx_core.settings.rules_file import read_rules as read_rules
    from skyx_core.task import Task as Task
    from skyx_core.task import loads as loads

_HOME = {
    "calls": ("Caller",),
    "clock": (
        "Clock",
        "SharedClock",
        "SystemClock",
        "clock_from",
    ),
    "dirs": ("Dirs",),
    "discovery": ("Plugins",),
    "drivers": (
        "API_VERSION",
        "Attempt",
        "Catalog",
        "CloudDriver",
        "DriverContext",
        "Executor",
        "Intent",
        "NodeAccess",
        "SupportsCatalogUpdate",
        "SupportsPorts",
        "SupportsSelfEnd",
        "SupportsStop",
    ),
    "errors": (
        "AgentError",
        "AgentRefusedError",
        "AttemptCancelled",
        "BusyError",
        "CatalogError",
        "CloudError",
        "CloudErrorDetail",
        "CloudCallError",
        "ClusterStateError",
        "CredentialsError",
        "InterruptedBySignal",
        "LeftoverError",
        "MismatchError",
        "NoCapacityError",
        "NodeError",
        "NoSuchJobError",
        "NotConfirmedError",
        "NotFoundError",
        "PluginBrokenError",
        "PluginConflictError",
        "PluginError",
        "PluginIncompatibleError",
        "PluginNotInstalledError",
        "PluginTimeoutError",
        "PolicyVetoError",
        "Problem",
        "ScenarioError",
        "SettingsError",
        "SkyxError",
        "StateStoreError",
        "StateTooNewError",
        "TaskFileError",
        "UsageError",
    ),
    "failover.actions": ("Action",),
    "failover.blocklist": ("Blocklist",),
    "failover.engine": (
        "Cancel",
        "CleanUp",
        "Done",
        "Engine",
        "GiveUp",
        "Locate",
        "Skip",
        "Start",
        "WaitUntil",
    ),
    "failover.recorded": (
        "BadRecord",
        "pattern",
        "recorded_error",
    ),
    "failover.rules": ("Rulebook",),
    "failover.stamp": ("stamped",),
    "failpoints": ("failpoint",),
    "hookspecs": ("hookimpl",),
    "models": (
        "Amount",
        "Autostop",
        "Block",
        "BlockKey",
        "Candidate",
        "Capability",
        "Category",
        "CheckLine",
        "Cluster",
        "ClusterHandle",
        "ErrorRule",
        "Event",
        "EventKind",
        "Idempotency",
        "Inventory",
        "JobReceipt",
        "JobSpec",
        "Link",
        "Node",
        "NodeState",
        "Observation",
        "Offer",
        "Payload",
        "Place",
        "Request",
        "Retry",
        "RuleTable",
        "RuntimeRequirements",
        "Scope",
        "SelfEnd",
        "Skipped",
        "TeardownResult",
        "Verdict",
        "WhyNot",
        "ZoneOption",
    ),
    "models.base": ("Model",),
    "node.runner": (
        "Channel",
        "NodeFacts",
        "NodeLostError",
        "RunResult",
        "Runner",
    ),
    "node.sandbox": (
        "Sandbox",
        "SandboxSpec",
        "Sandboxes",
    ),
    "node.sandbox_runner": ("SandboxRunner",),
    "plan.gate": ("Gate",),
    "plan.planner": (
        "Choice",
        "Plan",
        "Source",
        "make_plan",
    ),
    "results": (
        "BlockRow",
        "to_iso",
    ),
    "settings.rules_file": ("read_rules",),
    "task": (
        "Task",
        "loads",
    ),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}
__all__ = sorted(_MODULE_OF)  # noqa: PLE0605 - read from the table above, which a test compares with the imports


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"skyx_core.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
