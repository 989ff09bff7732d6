"""One simulated cloud, as a scenario describes it. Times are seconds of virtual time since the start of the search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import (  # noqa: TID253 - reached only with a scenario at hand
    BeforeValidator,
    Field,
    JsonValue,
    model_validator,
)

from skyx_core.api import CloudError, ErrorRule, Model, loads, recorded_error
from skyx_sim.durations import Duration
from skyx_sim.forms import mean_of, share
from skyx_sim.zones import MOST_ZONES, named_zones

MOST_NODES = 1_000_000
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
Name = Annotated[str, Field(pattern=NAME, max_length=100)]
Money = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
Nodes = Annotated[int, Field(ge=0, le=MOST_NODES)]


def _accelerators(value: object) -> object:
    """``H100:8``, ``H100`` or ``{H100: 8}`` under the names that task files use."""
    if isinstance(value, dict):
        value = ",".join(f"{name}:{count}" for name, count in value.items())
    if not isinstance(value, str) or "," in value or not value or not value.replace(":", "").isprintable():
        raise ValueError("expected one accelerator such as H100:8")
    try:
        request = loads("resources: {accelerators: '" + value.replace("'", "''") + "'}\n").tasks[0].requests()[0]
    except Exception as error:
        raise ValueError(f"expected an accelerator such as H100:8, got {value!r}") from error
    return dict(request.accelerators)


def _regions(value: object) -> object:
    """A number of regions, or their names, or mappings."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= MOST_ZONES:
            raise ValueError(f"expected 1 to {MOST_ZONES:,} regions, got {value:,}")
        digits = len(str(value))
        return tuple(Region(name=f"r{number:0{digits}}") for number in range(1, value + 1))
    if isinstance(value, list | tuple):
        rows = [{"name": item} if isinstance(item, str) else item for item in value]
        return named_zones(rows)
    raise ValueError("expected a number of regions, or a list of their names")


class Latency(Model):
    """Seconds until nodes run: ``mean``, more or less by up to ``spread``, which is drawn by the scenario's seed."""

    mean: Duration
    spread: Duration = 0.0

    @model_validator(mode="after")
    def _positive(self) -> Self:
        if self.spread > self.mean:
            raise ValueError("the spread can't be more than the mean")
        return self


AnyLatency = Annotated[Latency, BeforeValidator(mean_of)]


class Region(Model):
    """``zones`` empty: those that the cloud's ``zones`` makes, or none. ``price_factor``: times the type's price."""

    name: Name
    zones: tuple[Name, ...] = ()
    price_factor: float = Field(default=1.0, gt=0, le=1000, allow_inf_nan=False)
    latency: AnyLatency | None = None


class MachineType(Model):
    """Prices are dollars per node and hour; a type without one of the two isn't sold that way. ``bucket``: the quota
    that it draws on. ``regions``: those that sell it; () = all.
    """

    name: Name
    cpus: float = Field(gt=0, le=10_000)
    memory: float = Field(gt=0, le=1_000_000, description="GB")
    accelerators: Annotated[dict[str, float], BeforeValidator(_accelerators)] = Field(default_factory=dict)
    price: Money | None = None
    spot_price: Money | None = None
    bucket: Name | None = None
    regions: tuple[Name, ...] = ()

    @model_validator(mode="after")
    def _sold(self) -> Self:
        if self.price is None and self.spot_price is None:
            raise ValueError("the price is missing: give price, spot_price or both")
        return self


class Where(Model):
    """Which requests it is about; an unset field means any."""

    type: Name | None = None
    region: Name | None = None
    zone: Name | None = None
    spot: bool | None = None


class Step(Model):
    """From ``at`` on there is room for ``nodes`` nodes."""

    at: Duration
    nodes: Nodes


class CapacityRule(Where):
    """How many nodes there is room for in each place that it is about: ``nodes`` always, or ``steps`` over time, or by
    chance: in each span of ``every`` seconds a place has nothing with probability ``scarcity``, else ``nodes``.
    The first rule that fits decides; where none does, there is room for all.
    """

    nodes: Nodes | None = None
    steps: tuple[Step, ...] = ()
    scarcity: Annotated[float, BeforeValidator(share), Field(ge=0, le=1)] | None = None
    every: Duration = 600.0

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.steps and (self.nodes is not None or self.scarcity is not None):
            raise ValueError("give steps, or nodes, or scarcity with nodes")
        if not self.steps and self.nodes is None:
            raise ValueError("nodes is missing (or steps)")
        if self.every <= 0:
            raise ValueError("every must be more than 0")
        if any(after.at <= before.at for before, after in zip(self.steps, self.steps[1:], strict=False)):
            raise ValueError("the steps must be in the order of time")
        return self


class QuotaRule(Model):
    """At most ``nodes`` nodes that draw on ``bucket`` in a region, or in each. ``spot`` unset: both together."""

    bucket: Name
    region: Name | None = None
    spot: bool | None = None
    nodes: Nodes


class RateLimit(Model):
    """At most ``calls`` creating calls within any ``per`` seconds; more are refused."""

    calls: int = Field(ge=0, le=1_000_000)
    per: Duration


class Credentials(Model):
    """Refused from ``expire`` on, until ``renew`` (unset: for good)."""

    expire: Duration
    renew: Duration | None = None

    @model_validator(mode="after")
    def _later(self) -> Self:
        if self.renew is not None and self.renew <= self.expire:
            raise ValueError("renew must be later than expire")
        return self


class Preemption(Model):
    """Spot clusters that are up are taken away, after ``mean`` seconds on average."""

    mean: Duration = Field(gt=0)


class InjectedError(Where):
    """A recorded error that is answered where it fits, from ``since`` to ``until``, at most ``times`` times. ``error``
    is what stands under that name in a line for ``skyx classify``, ``api`` the call. ``after``: seconds until it comes;
    ``made``: nodes that were made by then, and are to be removed.
    """

    since: Duration = 0.0
    until: Duration | None = None
    times: int | None = Field(default=None, ge=1)
    after: Duration | None = None
    made: Nodes = 0
    api: str = Field(default="create", max_length=200)
    error: Annotated[dict[str, JsonValue] | str, Field(min_length=1)]

    @model_validator(mode="after")
    def _readable(self) -> Self:
        self.read("any")
        return self

    def read(self, cloud: str) -> CloudError:
        """As core reads recorded errors."""
        error = recorded_error(cloud, self.api, self.error)
        error.nodes_may_exist = self.made > 0
        return error


class SimCloud(Model):
    """One cloud. ``rules``: whose error texts it uses and whose table reads them; ``own_rules`` go before that table.
    ``zones``: how many each region has that names none. ``zones_together``: an attempt may name several.
    ``price_spread``: prices are up to so much higher (0.2 = a fifth), by region or, for spot, zone. ``refusal``:
    seconds until it says no. ``cleanup``: seconds until nodes are gone. ``atomic``: all nodes of a call or none.
    """

    name: Name
    rules: str = "sim"
    own_rules: tuple[ErrorRule, ...] = ()
    regions: Annotated[tuple[Region, ...], BeforeValidator(_regions)] = Field(min_length=1)
    zones: int = Field(default=0, ge=0, le=MOST_ZONES)
    zones_together: bool = False
    types: tuple[MachineType, ...] = Field(min_length=1)
    price_spread: Annotated[float, BeforeValidator(share), Field(ge=0, le=10)] = 0.0
    latency: AnyLatency = Latency(mean=90.0)
    refusal: Duration = 2.0
    cleanup: Duration = 30.0
    atomic: bool = True
    capacity: tuple[CapacityRule, ...] = ()
    quota: tuple[QuotaRule, ...] = ()
    rate_limit: RateLimit | None = None
    credentials: Credentials | None = None
    preemption: Annotated[Preemption, BeforeValidator(mean_of)] | None = None
    errors: tuple[InjectedError, ...] = ()

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        zones = sum(len(region.zones) or self.zones or 1 for region in self.regions)
        wrong = twice("region", [region.name for region in self.regions])
        wrong += twice("type", [kind.name for kind in self.types])
        if zones * len(self.types) > MOST_ZONES:
            wrong += [f"{zones:,} zones times {len(self.types)} types are more than {MOST_ZONES:,}"]
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


def twice(what: str, names: Sequence[str]) -> list[str]:
    """Says which names are there more than once; ten at most."""
    return [f"the {what} {name!r} is given twice" for name, count in Counter(names).items() if count > 1][:10]
