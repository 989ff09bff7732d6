"""One driver in use, with core's limits around every call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from skyx_core.calls import Fence
from skyx_core.drivers import (
    Attempt,
    CloudDriver,
    SupportsPorts,
    SupportsSelfEnd,
    SupportsStop,
)
from skyx_core.errors import (
    CloudError,
    ClusterStateError,
    PluginBrokenError,
    PluginError,
    PluginTimeoutError,
    storable,
)
from skyx_core.models import (
    Autostop,
    Candidate,
    CheckLine,
    Cluster,
    ClusterHandle,
    ErrorRule,
    EventKind,
    Link,
    Node,
    Observation,
    Offer,
    Place,
    Request,
    RuleTable,
    SelfEnd,
    TeardownResult,
    WhyNot,
    ZoneOption,
)
from skyx_core.node.runner import Runner
from skyx_core.plan import needs

if TYPE_CHECKING:
    from pydantic import BaseModel

    from skyx_core.cluster.journal import AttemptRun
    from skyx_core.cluster.services import Services
    from skyx_core.plan.planner import Source

T = TypeVar("T")
LOOK_LIMIT_S = 5.0
_OFFERS_LIMIT_S = 30.0
_ABILITIES = ((SupportsStop, needs.STOP), (SupportsSelfEnd, needs.SELF_END), (SupportsPorts, needs.PORTS))
_SEVERAL = (tuple, list)
_INF = float("inf")


class Cloud:
    """One driver. Every method has a limit and raises ``CloudError``, or a ``PluginError`` that names the plugin."""

    def __init__(self, services: Services, name: str, driver: CloudDriver[BaseModel], distribution: str) -> None:
        self._services = services
        self.name = name
        self.driver = driver
        self.distribution = distribution
        self.capabilities = driver.capabilities
        self.link: Link = driver.link
        self.abilities = frozenset(label for kind, label in _ABILITIES if isinstance(driver, kind))
        self._fingerprint: str | None = None
        self._identity: str | None = None
        self._lacks_broken: tuple[WhyNot, ...] = ()
        self._limit = min(driver.call_limit_s, services.settings.call_timeout_s)

    def call(
        self,
        what: str,
        fn: Callable[..., T],
        *args: object,
        expected: type | tuple[type, ...],
        limit: float | None = None,
        fence: Fence | None = None,
    ) -> T:
        """One call into the driver, bounded by ``limit`` seconds (None = its own); see ``Caller.call``."""
        return self._services.caller.call(
            fn,
            *args,
            limit=self._limit if limit is None else limit,
            what=f"{what}()",
            plugin=self.name,
            distribution=self.distribution,
            fence=fence,
            grace=1.0 if fence else 0.0,
            expected=expected,
        )

    def disabled(self) -> WhyNot | None:
        return self.call("disabled", self.driver.disabled, expected=(WhyNot, type(None)), limit=LOOK_LIMIT_S)

    def source(self) -> Source:
        """This cloud for the planner. Once it has hung, it isn't asked again through this source."""
        from skyx_core.plan.planner import Source

        hung: list[PluginTimeoutError] = []

        def offers(request: Request) -> Iterator[Offer]:
            if hung:
                raise hung[0]
            try:
                yield from self.stream(request)
            except PluginTimeoutError as error:
                hung.append(error)
                raise

        return Source(
            cloud=self.name,
            capabilities=self.capabilities,
            abilities=self.abilities,
            offers=offers,
            lacks=self._lacks,
            why_nothing=self.why_nothing,
            usual_start_s=_seconds(self.driver.usual_start_s),
        )

    def egress_usd_per_gb(self, region: str, to_cloud: str, to_region: str) -> float | None:
        """None: not known, also where the plugin fails."""
        try:
            price = self.driver.egress_usd_per_gb(region, to_cloud, to_region)
        except Exception:
            return None
        return price if isinstance(price, int | float) and 0 <= price < _INF else None

    def _lacks(self, candidate: Candidate, request: Request) -> Sequence[WhyNot]:
        """Asked of every candidate; a fault in it leaves the candidate out, and one that hangs is asked once."""
        if not self._overrides("lacks") or self._lacks_broken:
            return self._lacks_broken
        try:
            found = tuple(
                self.call("lacks", self.driver.lacks, candidate, request, expected=_SEVERAL, limit=LOOK_LIMIT_S)
            )
            if all(isinstance(why, WhyNot) for why in found):
                return found
            return (WhyNot(subject=self.name, reason="lacks() of the plugin returned something else than WhyNots"),)
        except PluginTimeoutError as error:
            self._lacks_broken = (WhyNot(subject=self.name, reason=str(error), fix=error.hint),)
            return self._lacks_broken
        except (PluginError, CloudError) as error:
            return (WhyNot(subject=self.name, reason=str(error)),)

    def offers(self, request: Request) -> Sequence[Offer]:
        return self._services.caller.call_iter(
            self.driver.offers,
            request,
            limit=_OFFERS_LIMIT_S,
            what="offers()",
            plugin=self.name,
            distribution=self.distribution,
            expected=Offer,
        )

    def stream(self, request: Request) -> Iterator[Offer]:
        """As ``offers``, lazily; each look further has the limit. What came before an error is given first."""
        stream = self._services.caller.stream(
            self.driver.offers,
            request,
            limit=min(_OFFERS_LIMIT_S, self._services.settings.call_timeout_s),
            what="offers()",
            plugin=self.name,
            distribution=self.distribution,
            expected=Offer,
        )
        for offer in stream:
            if not _sound(offer):
                raise PluginBrokenError(
                    f"offers() of plugin {self.name!r} gave an offer with fields of the wrong kind",
                    plugin=self.name,
                    distribution=self.distribution,
                    why=ascii(offer)[:300],
                )
            yield offer

    def why_nothing(self, request: Request) -> Sequence[WhyNot]:
        return self.call("why_nothing", self.driver.why_nothing, request, expected=_SEVERAL, limit=LOOK_LIMIT_S)

    def locate(self, request: Request, region: str, fence: Fence) -> Sequence[ZoneOption]:
        return self._services.caller.call_iter(
            self.driver.locate,
            request,
            region,
            limit=self._limit,
            what="locate()",
            plugin=self.name,
            distribution=self.distribution,
            fence=fence,
            expected=ZoneOption,
        )

    def name_problem(self, handle: ClusterHandle) -> str | None:
        """Why the cluster's name can't be used there."""
        if not self._overrides("name_problem"):
            return None
        ask = self.driver.name_problem
        return self.call("name_problem", ask, handle.cloud_name, expected=(str, type(None)), limit=LOOK_LIMIT_S)

    def quota(self, candidate: Candidate, fence: Fence) -> WhyNot | None:
        if not self._overrides("quota"):
            return None
        return self.call("quota", self.driver.quota, candidate, expected=(WhyNot, type(None)), fence=fence)

    def provision(self, place: Place, request: Request, attempt: Attempt, *, limit: float, fence: Fence) -> Cluster:
        hooks = self._services.hooks
        return hooks.provision(self.driver, place, request, attempt, limit=limit, fence=fence, grace=1.0)

    def describe(self, handle: ClusterHandle, place: Place) -> Observation:
        return self.call("describe", self.driver.describe, handle, place, expected=Observation)

    def teardown(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        return self._services.hooks.teardown(self.driver, handle, place, limit=self._limit)

    @property
    def can_stop(self) -> bool:
        return needs.STOP in self.abilities

    def must_stop(self, handle: ClusterHandle) -> SupportsStop:
        """``ClusterStateError`` where the cloud can't; said before anything is changed."""
        if isinstance(self.driver, SupportsStop):
            return self.driver
        raise self._unable(handle, "stop clusters", f"end it: skyx down {handle.name}")

    def stop(self, handle: ClusterHandle, place: Place) -> TeardownResult:
        return self.call("stop", self.must_stop(handle).stop, handle, place, expected=TeardownResult)

    def start(self, handle: ClusterHandle, place: Place, attempt: AttemptRun, *, limit: float, fence: Fence) -> Cluster:
        driver = self.driver
        if not isinstance(driver, SupportsStop):
            raise self._unable(handle, "start clusters again", f"end it: skyx down {handle.name}")

        def start() -> Cluster:
            with attempt.calling():
                return driver.start(handle, place, attempt)

        return self.call("start", start, expected=Cluster, limit=limit, fence=fence)

    def self_end(self, cluster: Cluster, setting: Autostop) -> SelfEnd:
        """What the agent runs to end the cluster; raises ``ClusterStateError`` where the cloud can't."""
        driver = self.driver
        if not isinstance(driver, SupportsSelfEnd):
            raise self._unable(cluster.handle, "end clusters from within, so there is no autostop", "skyx down")
        if not setting.down and not isinstance(driver, SupportsStop):
            raise self._unable(cluster.handle, "stop clusters", "add --down")
        return self.call("self_end", lambda: driver.self_end(cluster, down=setting.down), expected=SelfEnd)

    def open_ports(self, handle: ClusterHandle, place: Place, ports: Sequence[str]) -> None:
        """Where the cloud opens ports of running clusters; elsewhere they were part of the request."""
        driver = self.driver
        if ports and isinstance(driver, SupportsPorts):
            self.call("open_ports", driver.open_ports, handle, place, ports, expected=type(None))

    def runner(self, handle: ClusterHandle, node: Node) -> Runner:
        return self.call("runner", self.driver.runner, handle, node, expected=Runner, limit=LOOK_LIMIT_S)

    def _overrides(self, method: str) -> bool:
        """Whether the driver has its own; what the base class answers needs no call."""
        return getattr(type(self.driver), method) is not getattr(CloudDriver, method)

    def warn(self, message: str) -> None:
        """Tell the user of something that was left out."""
        self._services.event(EventKind.WARNING, message=message)

    def look_again(self) -> None:
        """Time has passed: credentials may be others now."""
        self._fingerprint = self._identity = None

    def rules(self) -> tuple[ErrorRule, ...] | RuleTable:
        """The driver's own rules; checked as those of any plugin are."""
        from skyx_core.index import Entry
        from skyx_core.loading import check_rules

        table = self.call("rules", self.driver.rules, expected=(tuple, list, RuleTable), limit=LOOK_LIMIT_S)
        check_rules(table, Entry("cloud", self.name, "rules()", self.distribution, ""))
        return table

    def fingerprint(self) -> str:
        """Of the credentials and settings in use; asked once, until ``look_again``."""
        from skyx_core.cluster.fingerprints import account_fingerprint

        if self._fingerprint is None:
            self._fingerprint = account_fingerprint(self, self._services.settings)
        return self._fingerprint

    def identity(self) -> str:
        """The account in use; asked once, until ``look_again``."""
        if self._identity is None:
            known = self._overrides("identity")
            self._identity = self.call("identity", self.driver.identity, expected=str) if known else ""
        return self._identity

    def check(self) -> Sequence[CheckLine]:
        return self.call("check_credentials", self.driver.check_credentials, expected=_SEVERAL)

    def _unable(self, handle: ClusterHandle, what: str, hint: str) -> ClusterStateError:
        return ClusterStateError(f"cloud {self.name!r} can't {what}", where=handle.name, hint=hint)


def _sound(offer: Offer) -> bool:
    """Whether its fields are what the model says, also where a plugin went around its checks."""
    numbers = (offer.hourly_usd, offer.cpus, offer.memory_gb, *_values(offer.accelerators))
    texts = (offer.region, offer.instance_type, offer.zone or "")
    return all(type(number) in (int, float) for number in numbers) and all(map(_storable, texts))


def _values(counts: object) -> tuple[object, ...]:
    return tuple(counts.values()) if isinstance(counts, dict) else (None,)


def _storable(text: object) -> bool:
    return isinstance(text, str) and (text.isascii() or storable(text) == text)


def _seconds(value: object) -> float:
    """What a plugin says of times, if that can be one."""
    return float(value) if isinstance(value, int | float) and 0 <= value < _INF else CloudDriver.usual_start_s
