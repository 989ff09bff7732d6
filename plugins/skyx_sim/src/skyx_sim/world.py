"""What simulated clouds answer. Time is a parameter; equal scenarios, requests and times give equal answers."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from skyx_core.api import CloudError
from skyx_sim.cloud import CapacityRule, InjectedError, QuotaRule, Region, SimCloud
from skyx_sim.places import Shop
from skyx_sim.scenario import Scenario
from skyx_sim.styles import CAPACITY, EXPIRED, QUOTA, THROTTLED, Refused, refusal

Slot = tuple[str, str, str, bool]  # region, zone ("" = none), type, spot


@dataclass(frozen=True)
class Ask:
    """A creating call. ``zones`` empty: the cloud has none, or any will do."""

    region: str
    zones: tuple[str, ...]
    instance_type: str
    spot: bool
    nodes: int


@dataclass(frozen=True)
class Answer:
    """What comes of it ``after`` seconds: ``error`` None = all nodes run. ``made``: nodes that exist from now on, in
    ``slot``, until they are released.
    """

    error: CloudError | None
    after: float
    made: int = 0
    slot: Slot | None = None


@dataclass
class Held:
    """What a cloud remembers: when it was called, how often each injected error was used, which nodes exist."""

    calls: deque[float] = field(default_factory=deque)
    used: Counter[int] = field(default_factory=Counter)
    nodes: Counter[Slot] = field(default_factory=Counter)


class CloudWorld:
    """One simulated cloud."""

    def __init__(self, cloud: SimCloud, seed: int, held: Held | None = None) -> None:
        self.cloud = cloud
        self.shop = Shop(cloud, seed)
        self.held = held or Held()
        self._seed = seed
        self._regions: dict[str, Region] = {region.name: region for region in cloud.regions}
        self._capacity = _index(cloud.capacity)

    def ask(self, ask: Ask, now: float) -> Answer:
        """Answer a creating call that is made now. The nodes that it makes are held until ``release``."""
        refused = self._refused(ask, now)
        if refused is not None:
            return refused
        zones = ask.zones or ("",)
        free = {zone: self.free((ask.region, zone, ask.instance_type, ask.spot), now) for zone in zones}
        zone = next((zone for zone, room in free.items() if room >= ask.nodes), None)
        if zone is not None:
            return self._make(ask, zone, ask.nodes, None, self._boot(ask, zone, now))
        error = refusal(self.cloud.rules, CAPACITY, self._request(ask))
        if self.cloud.atomic or not free[zones[0]]:
            return Answer(error, self.cloud.refusal)
        return self._make(ask, zones[0], free[zones[0]], error, self._boot(ask, zones[0], now))

    def release(self, answer: Answer) -> None:
        """The nodes of this answer are gone."""
        if answer.slot is not None:
            self.held.nodes[answer.slot] -= answer.made

    def free(self, slot: Slot, now: float) -> int:
        """How many more nodes there is room for; a huge number where nothing limits it."""
        rule = self._rule(slot)
        room = _ALL if rule is None else self._room(rule, slot, now)
        return max(0, room - self.held.nodes[slot])

    def _rule(self, slot: Slot) -> CapacityRule | None:
        region, zone, kind, spot = slot
        facts = kind, region, zone, spot
        first = None
        for shape, numbers in self._capacity.items():
            number = numbers.get(tuple([facts[at] for at in shape]))
            if number is not None and (first is None or number < first):
                first = number
        return None if first is None else self.cloud.capacity[first]

    def _room(self, rule: CapacityRule, slot: Slot, now: float) -> int:
        if rule.steps:
            passed = bisect_right([step.at for step in rule.steps], now)
            return rule.steps[passed - 1].nodes if passed else 0
        if rule.scarcity is not None:
            window = int(now // rule.every)
            if self._random(*map(str, slot), str(window)).random() < rule.scarcity:
                return 0
        return rule.nodes or 0

    def _refused(self, ask: Ask, now: float) -> Answer | None:
        cloud, held = self.cloud, self.held
        if not self.shop.sells(ask.instance_type, ask.region):
            raise KeyError(f"{ask.instance_type} is not sold in {ask.region}")
        if cloud.credentials and cloud.credentials.expire <= now < (cloud.credentials.renew or float("inf")):
            return Answer(refusal(cloud.rules, EXPIRED, self._request(ask)), cloud.refusal)
        if cloud.rate_limit is not None:
            while held.calls and held.calls[0] <= now - cloud.rate_limit.per:
                held.calls.popleft()
            if len(held.calls) >= cloud.rate_limit.calls:
                return Answer(refusal(cloud.rules, THROTTLED, self._request(ask)), cloud.refusal)
            held.calls.append(now)
        for number, row in enumerate(cloud.errors):
            if self._met(row, number, ask, now):
                held.used[number] += 1
                after = cloud.refusal if row.after is None else row.after
                made = min(row.made, ask.nodes)
                return self._make(ask, (ask.zones or ("",))[0], made, row.read(cloud.name), after)
        quota = next((row for row in cloud.quota if self._exceeds(row, ask)), None)
        if quota is None:
            return None
        request = self._request(ask, quota.bucket, quota.nodes)
        return Answer(refusal(cloud.rules, QUOTA, request), cloud.refusal)

    def _met(self, row: InjectedError, number: int, ask: Ask, now: float) -> bool:
        at = now >= row.since and (row.until is None or now < row.until)
        left = row.times is None or self.held.used[number] < row.times
        place = row.zone is None or row.zone in ask.zones
        told = row.type in (None, ask.instance_type) and row.region in (None, ask.region)
        return at and left and place and told and row.spot in (None, ask.spot)

    def _exceeds(self, row: QuotaRule, ask: Ask) -> bool:
        bucket = self.shop.types[ask.instance_type].bucket
        if row.bucket != bucket or row.region not in (None, ask.region) or row.spot not in (None, ask.spot):
            return False
        used = sum(
            count
            for (region, _, kind, spot), count in self.held.nodes.items()
            if region == ask.region and self.shop.types[kind].bucket == bucket and row.spot in (None, spot)
        )
        return used + ask.nodes > row.nodes

    def _make(self, ask: Ask, zone: str, count: int, error: CloudError | None, after: float) -> Answer:
        slot = (ask.region, zone, ask.instance_type, ask.spot)
        if count:
            self.held.nodes[slot] += count
            if error is not None:
                error.nodes_may_exist = True
        return Answer(error, after, count, slot if count else None)

    def _boot(self, ask: Ask, zone: str, now: float) -> float:
        latency = self._regions[ask.region].latency or self.cloud.latency
        if not latency.spread:
            return latency.mean
        drawn = self._random(ask.region, zone, ask.instance_type, f"{now:.3f}", "boot").uniform(-1.0, 1.0)
        return latency.mean + latency.spread * drawn

    def lasts(self, slot: Slot, now: float) -> float | None:
        """How long a cluster that came up now stays, if it isn't for ever: spot is preempted."""
        if self.cloud.preemption is None or not slot[3]:
            return None
        drawn = self._random(*map(str, slot), f"{now:.3f}", "preempted")
        return drawn.expovariate(1.0 / self.cloud.preemption.mean)

    def _request(self, ask: Ask, bucket: str = "", limit: int = 0) -> Refused:
        zone = ", ".join(ask.zones)
        return Refused(self.cloud.name, ask.region, zone, ask.instance_type, ask.spot, ask.nodes, bucket, limit)

    def _random(self, *key: str) -> random.Random:
        return random.Random(":".join((str(self._seed), self.cloud.name, *key)))  # noqa: S311 - a simulation


_ALL = 10**9
_Shape = tuple[int, ...]  # which of type, region, zone and spot are named


def _index(rules: Sequence[CapacityRule]) -> dict[_Shape, dict[tuple[str | bool | None, ...], int]]:
    """The first rule for what is named, by which are named: few shapes, whatever the number of rules."""
    found: dict[_Shape, dict[tuple[str | bool | None, ...], int]] = {}
    for number, rule in enumerate(rules):
        facts = rule.type, rule.region, rule.zone, rule.spot
        shape = tuple(at for at, value in enumerate(facts) if value is not None)
        found.setdefault(shape, {}).setdefault(tuple(facts[at] for at in shape), number)
    return found


def make_worlds(scenario: Scenario) -> dict[str, CloudWorld]:
    """Every cloud of a scenario, as nobody has used it yet."""
    return {cloud.name: CloudWorld(cloud, scenario.seed) for cloud in scenario.clouds}
