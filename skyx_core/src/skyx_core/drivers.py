"""The nouns: what a cloud or an executor must be able to do. Read in the order of a cluster's life.

All methods are synchronous. Core runs each in a thread of its own with a deadline and records, but does not use,
the answer of a call that it gave up. Drivers raise ``CloudError`` for what a cloud answered; anything else that
they raise is reported as a fault of the plugin, with its version.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

from skyx_core.clock import Clock, SystemClock

if TYPE_CHECKING:
    from pydantic import BaseModel

    from skyx_core.models import (
        Candidate,
        Capability,
        CheckLine,
        Cluster,
        ClusterHandle,
        ErrorRule,
        Idempotency,
        Inventory,
        JobReceipt,
        JobSpec,
        Link,
        Node,
        Observation,
        Offer,
        Payload,
        Place,
        Request,
        RuleTable,
        RuntimeRequirements,
        SelfEnd,
        TeardownResult,
        WhyNot,
        ZoneOption,
    )
    from skyx_core.node.runner import Runner

API_VERSION = 1

SettingsT_co = TypeVar("SettingsT_co", bound="BaseModel", covariant=True)


class Catalog(Protocol):
    """The offers of one cloud on this machine: what was imported or updated, else those that its package brings."""

    def offers(self, query: Request) -> Iterator[Offer]:
        """Those that satisfy the query, cheapest first, then by region, zone and type; lazily. No network. Raises
        ``CatalogError`` for a file that can't be used.
        """

    def why_nothing(self, query: Request) -> Sequence[WhyNot]:
        """Why there are none, with the nearest names, sizes and prices."""


@dataclass(frozen=True)
class DriverContext:
    """What core gives a driver or an executor when it makes one. ``home``: a folder of its own, made on first use.
    ``catalog``: a driver's offers; an executor has none.
    """

    owner: str  # of the state store; goes into tags
    home: Path
    clock: Clock = field(default_factory=SystemClock)
    profile: str = ""
    environ: Mapping[str, str] = field(default_factory=dict)
    catalog: Catalog | None = None


class Intent(Protocol):
    """A creating call that is recorded before it is made."""

    @property
    def id(self) -> str:
        """Random; goes into the tags or the name of what is made, so that ``find`` can find it."""

    @property
    def token(self) -> str:
        """Idempotency token: 32 hex digits from the id and the body's digest. Format it as the cloud wants."""

    @property
    def tags(self) -> Mapping[str, str]:
        """``skyx-owner, skyx-cluster, skyx-uid, skyx-intent`` and more: put them on everything that is made."""

    @property
    def place(self) -> Place: ...

    @property
    def ranks(self) -> tuple[int, ...]: ...

    def made(self, ids: Sequence[str]) -> None:
        """Record what the call returned, one id per rank; to be called at once, inside the ``with``."""


class Attempt(Protocol):
    """One try to make a cluster at one place."""

    @property
    def handle(self) -> ClusterHandle: ...

    @property
    def candidate(self) -> Candidate: ...

    @property
    def deadline(self) -> float:
        """In the clock's ``monotonic`` seconds."""

    def creating(
        self, kind: str, place: Place, ranks: Sequence[int], body: Mapping[str, object]
    ) -> AbstractContextManager[Intent]:
        """The only way to call something that creates. Entering commits the intent to disk; it raises
        ``AttemptCancelled`` once the attempt is fenced or past its deadline. ``body``: JSON data, the parameters
        of the call; the same unfinished call with the same body gets the same token again.
        """

    def check(self) -> None:
        """Raise ``AttemptCancelled`` if nothing more may be done; call it in waiting loops."""

    def progress(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Show the user what is being waited for."""


class CloudDriver(ABC, Generic[SettingsT_co]):
    """One cloud. One instance per (cloud, profile); thread-safe; making one does no I/O."""

    name: ClassVar[str]
    api_version: ClassVar[int] = API_VERSION
    settings_model: ClassVar[type[BaseModel] | None] = None
    capabilities: ClassVar[frozenset[Capability]] = frozenset()
    idempotency: ClassVar[Idempotency]
    link: ClassVar[Link]
    error_rules: ClassVar[tuple[ErrorRule, ...] | RuleTable] = ()
    call_limit_s: ClassVar[float] = (
        60  # for describe, find, locate, stop, ...; teardown and provision have the attempt's
    )
    builtin_catalog: ClassVar[str] = ""  # "package:path/in/it.csv", see ``docs/plugins``; "" = the package brings none
    usual_start_s: float = 120  # how long nodes usually take to run; twice that is slow, and may be hedged
    settle_s: float = 60  # a creating call that got no answer may still take effect for so long after it was made
    list_lag_s: float = 0  # how long a new node may be missing from lists

    def __init__(self, settings: SettingsT_co, context: DriverContext) -> None:
        self.settings = settings
        self.context = context

    def rules(self) -> tuple[ErrorRule, ...] | RuleTable:
        """What this cloud's errors mean, as this instance is set up; ``error_rules`` where that makes no difference. No
        network.
        """
        return self.error_rules

    def disabled(self) -> WhyNot | None:
        """Why this cloud can't be used, or None: a cheap local look for credentials or configuration, no network."""
        return None

    @abstractmethod
    def offers(self, query: Request) -> Iterable[Offer]:
        """Offers that may satisfy the query, cheapest first, lazily; from the catalogue, never from the network.

        Machines with accelerators only to a query that asks for accelerators or for the type, or that has
        ``any_accelerators`` set: a listing, which wants all of them.
        """

    def why_nothing(self, query: Request) -> Sequence[WhyNot]:
        """Why ``offers`` is empty for this query, with the numbers. No network."""
        del query
        return ()

    def lacks(self, candidate: Candidate, needs: Request) -> Sequence[WhyNot]:
        """What this candidate can't do of what is needed ("spot can't stop"). No I/O."""
        del candidate, needs
        return ()

    def fingerprint(self) -> str:
        """What stands for the credentials in use (a file's digest, a key's id; never a secret itself): what was refused
        until something is mended is tried again once this changes. The settings are part of it anyway. No network.
        """
        return ""

    def egress_usd_per_gb(self, region: str, to_cloud: str, to_region: str) -> float | None:
        """List price of moving data out of ``region``; None = not known. No I/O."""
        del region, to_cloud, to_region
        return None

    @abstractmethod
    def locate(self, request: Request, region: str) -> Sequence[ZoneOption]:
        """Zones of the region to try, in order, skipped ones with the reason; one option with zone None where there
        are no zones; empty: the region lacks the instance type. May ask the cloud. Idempotent.
        """

    @abstractmethod
    def provision(self, place: Place, request: Request, attempt: Attempt) -> Cluster:
        """Converge to ``request.num_nodes`` running nodes at ``place``; safe to repeat: what exists of this cluster
        (found by uid) is kept, only missing ranks are made, each creating call inside ``attempt.creating``.
        ``request`` is concrete: instance type, region and spot are those of ``attempt.candidate``. Returns when the
        nodes run (not: answer). Never cleans up after itself; core does.
        """

    @abstractmethod
    def find(self, intent: Intent) -> Observation:
        """What came of one creating call, by its tags, name or token. Reads only."""

    @abstractmethod
    def describe(self, handle: ClusterHandle, place: Place) -> Observation:
        """Nodes of this cluster now. ``complete=False`` when a list was partial or failed; reads only."""

    @abstractmethod
    def teardown(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        """Terminate everything of this cluster. Returns soon; core calls it again until ``done``. What is already
        gone is success. ``done`` only when the cloud reports every node gone.
        """

    @abstractmethod
    def inventory(self, owner: str | None, places: Sequence[Place]) -> Iterable[Inventory]:
        """All nodes that carry skyx's tags, of one owner or of any (None); per place. Reads only."""

    @abstractmethod
    def runner(self, cluster: ClusterHandle, node: Node) -> Runner:
        """How to reach this node. No I/O; reuse of connections is the runner's affair."""

    def identity(self) -> str:
        """The account that calls are made as; "" where a cloud has none. May ask the cloud once."""
        return ""

    def check_credentials(self) -> Sequence[CheckLine]:
        """For ``skyx check``: credentials, permissions, tools, each with its fix. May ask, changes nothing."""
        return ()

    def quota(self, candidate: Candidate) -> WhyNot | None:
        """A clear "no quota" for this candidate, or None. An error here is logged and ignored."""
        del candidate
        return None

    def name_problem(self, cloud_name: str) -> str | None:
        """Why this name can't be used on this cloud, or None. No I/O."""
        del cloud_name
        return None


class SupportsStop(ABC):
    """A cloud whose nodes can be stopped with their disks kept."""

    @abstractmethod
    def stop(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        """Stop all nodes; called again until ``done``. Idempotent."""

    @abstractmethod
    def start(self, handle: ClusterHandle, place: Place, attempt: Attempt) -> Cluster:
        """Start all stopped nodes where they were; ranks, ids and disks stay. Safe to repeat."""


class SupportsSelfEnd(ABC):
    """A cloud whose clusters can end themselves without the user's machine."""

    @abstractmethod
    def self_end(self, cluster: Cluster, *, down: bool) -> SelfEnd:
        """Prepare it; ``down`` False = stop. May call the cloud. Idempotent."""


class SupportsPorts(ABC):
    """A cloud that can open ports of a running cluster."""

    @abstractmethod
    def open_ports(self, handle: ClusterHandle, place: Place, ports: Sequence[str]) -> None:
        """Open "8080" or "8000-8010" to the outside; already open is success. Never closes any."""


class SupportsCatalogUpdate(ABC):
    """A cloud that can say itself what it offers."""

    @abstractmethod
    def fetch_offers(self) -> Iterable[Offer]:
        """Everything on offer now, in any order, lazily. Asks the cloud; changes nothing."""


class NodeAccess(Protocol):
    """What an executor sees of a live cluster."""

    @property
    def cluster(self) -> Cluster: ...

    def runner(self, rank: int) -> Runner: ...

    def queue(self, job: JobSpec) -> JobReceipt:
        """Put a job into the cluster's queue; the same ``submit_id`` is queued once."""


class Executor(ABC, Generic[SettingsT_co]):
    """How jobs run on the nodes of a cluster."""

    name: ClassVar[str]
    api_version: ClassVar[int] = API_VERSION
    settings_model: ClassVar[type[BaseModel] | None] = None
    links: ClassVar[frozenset[Link]]

    def __init__(self, settings: SettingsT_co, context: DriverContext) -> None:
        self.settings = settings
        self.context = context

    @abstractmethod
    def requirements(self) -> RuntimeRequirements:
        """What nodes need besides the agent. No I/O."""

    @abstractmethod
    def payload(self) -> Payload:
        """Node-side files; they import nothing of core."""

    @abstractmethod
    def prepare(self, nodes: NodeAccess) -> None:
        """Start on the nodes what jobs need. Safe to repeat."""

    @abstractmethod
    def stop(self, nodes: NodeAccess) -> None:
        """End what ``prepare`` started. Safe to repeat."""

    def submit_job(self, cluster: NodeAccess, job: JobSpec) -> JobReceipt:
        """Queue the job; an executor with a program of its own sets ``job.runner`` first."""
        return cluster.queue(job)
