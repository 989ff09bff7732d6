"""The search as one would do it by hand: all offers in a list, all blocks as predicates, one place after the other.

Knows neither the engine nor its blocklist; slow, and easy to check by reading.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from skyx_core.api import Block, BlockKey, Candidate, Place, Request, Verdict, stamped
from skyx_core.plan.digest import digest
from skyx_sim.rules import Tables, book_for
from skyx_sim.scenario import Scenario
from skyx_sim.world import Ask, CloudWorld, make_worlds

ROUND_S, REMEMBERED_S = 30.0, 3 * 3600.0  # between rounds and looks; how long ended blocks count


@dataclass(frozen=True)
class Item:
    alternative: int
    request: Request
    candidate: Candidate


def items(scenario: Scenario, worlds: dict[str, CloudWorld]) -> list[Item]:
    """Every place that fits, once, cheapest first; each zone of a region by itself."""
    found = []
    for number, request in enumerate(scenario.task.requests()):
        rows = [offer for world in worlds.values() for offer in world.shop.offers(request) if fits(request, offer)]
        rows.sort(key=lambda o: (o.hourly_usd, o.cloud, o.region, o.zone or "", o.instance_type))
        for offer in rows:
            zones = (
                [offer.zone or request.zone]
                if offer.zone or request.zone
                else worlds[offer.cloud].shop.zones[offer.region]
            )
            for zone in zones or [None]:
                facts = offer.model_dump() | {"zone": zone, "hourly_usd": offer.hourly_usd * request.num_nodes}
                facts["accelerators"] = request.accelerators or offer.accelerators
                found.append(Item(number, request, Candidate(**facts)))
    order = (lambda i: i.alternative) if scenario.task.ordered else (lambda i: i.candidate.hourly_usd)
    once: dict[str, Item] = {}
    for item in sorted(found, key=order):
        once.setdefault(item.candidate.model_dump_json(), item)
    return list(once.values())


def fits(request: Request, offer) -> bool:
    wanted = {"cpus": request.cpus, "memory_gb": request.memory_gb}
    sized = all(amount is None or amount.admits(getattr(offer, name)) for name, amount in wanted.items())
    limit = request.max_hourly_cost
    cheap = limit is None or offer.hourly_usd * request.num_nodes <= limit
    return sized and cheap and all(offer.accelerators.get(k) == n for k, n in request.accelerators.items())


def matches(key: BlockKey, item: Item) -> bool:
    c = item.candidate
    plain = {
        "cloud": c.cloud, "region": c.region, "zone": c.zone, "instance_type": c.instance_type,
        "use_spot": c.use_spot, "reservation": c.reservation or "", "request": digest(item.request),
        "accelerators": tuple(sorted(c.accelerators.items())),
    }  # fmt: skip
    several = {"accelerator": [*c.accelerators, *(["*"] if c.accelerators else [])], "quota_bucket": c.quota_buckets}
    same = all(getattr(key, name) in (None, value) for name, value in plain.items())
    return same and all(getattr(key, name) is None or getattr(key, name) in values for name, values in several.items())


@dataclass
class Walk:
    """One scenario, walked once."""

    scenario: Scenario
    tables: Tables
    places: list[str] = field(default_factory=list)
    now: float = 0.0
    blocks: dict[BlockKey, Block] = field(default_factory=dict)

    def __post_init__(self):
        self.worlds = make_worlds(self.scenario)
        self.books = {cloud.name: book_for(cloud, self.tables) for cloud in self.scenario.clouds}
        self.limit = float("inf") if self.scenario.limit is None else self.scenario.limit

    def run(self) -> str:
        """The status; searches again after each preemption."""
        left = self.scenario.run_for
        while (status := self.search()) == "UP":
            world, answer = self.won
            lasts = world.lasts(answer.slot, self.now)
            ran = min(left, self.limit - self.now) if lasts is None else min(left, lasts, self.limit - self.now)
            self.now, left = self.now + ran, left - ran
            if left <= 0 or self.now >= self.limit:
                return "UP"
            world.release(answer)
            self.drop_mended()
        return status

    def free_at(self, item: Item) -> float:
        live = [b.until for b in self.blocks.values() if b.until > self.now and matches(b.key, item)]
        return max(live, default=self.now)

    def search(self) -> str:
        plan = items(self.scenario, self.worlds)
        todo, parked, tried = list(plan), [], []
        while True:
            while todo:
                item = todo.pop(0)
                if self.free_at(item) > self.now:
                    parked.append(item)
                    continue
                verdict = self.try_here(item)
                if isinstance(verdict, str):
                    return verdict
                tried.append(item)
                self.favour(todo, item, set(verdict.prefer))
            todo = sorted((item for item in parked if self.free_at(item) <= self.now), key=plan.index)
            parked = [item for item in parked if item not in todo]
            if todo:
                continue
            if not self.scenario.retry_until_up or not parked + tried:
                return "GAVE_UP"
            if not self.wait(max(self.now + ROUND_S, min(self.free_at(item) for item in parked + tried))):
                return "LIMIT"
            todo, parked, tried = list(plan), [], []

    def try_here(self, item: Item) -> str | Verdict:
        """Until it is up, or this place is given up."""
        c, retries = item.candidate, 0
        zones = (c.zone,) if c.zone else ()
        place, world = Place(cloud=c.cloud, region=c.region, zones=zones), self.worlds[c.cloud]
        while True:
            self.places.append(c.infra())
            fingerprint = self.fingerprint(c.cloud)
            answer = world.ask(Ask(c.region, zones, c.instance_type, c.use_spot, item.request.num_nodes), self.now)
            if not self.pass_to(self.now + answer.after):
                return "LIMIT"
            if answer.error is None:
                self.won = world, answer
                return "UP"
            verdict = self.books[c.cloud].classify(answer.error, place=place, candidate=c, now=self.now)
            verdict = stamped(verdict, fingerprint=fingerprint, request=digest(item.request))
            again = (
                self.now + verdict.retry.pause(retries + 1) if verdict.retry and retries < verdict.retry.max else None
            )
            if again is None and not verdict.abort:
                for block in verdict.blocks_after if verdict.retry else verdict.blocks:
                    learn(self.blocks, block, self.now)
            if answer.made and not self.pass_to(self.now + world.cloud.cleanup):
                return "LIMIT"
            world.release(answer)
            if verdict.abort:
                return "ABORTED"
            if again is None:
                return verdict
            retries += 1
            while again > self.now:
                if not self.wait(again):
                    return "LIMIT"

    def wait(self, time: float) -> bool:
        """False if the limit comes first. Looks now and then whether credentials were renewed, which may end it."""
        look = began = self.now
        while (look := look + ROUND_S) < min(time, self.limit):
            self.now = look
            if self.drop_mended():
                return True
        self.now = began
        return self.pass_to(time)

    def fingerprint(self, cloud: str) -> str:
        credentials = self.worlds[cloud].cloud.credentials
        return "new" if credentials and credentials.renew and credentials.renew <= self.now else "old"

    def drop_mended(self) -> bool:
        mended = [k for k, b in self.blocks.items() if b.fingerprint and b.fingerprint != self.fingerprint(k.cloud)]
        for key in mended:
            del self.blocks[key]
        return bool(mended)

    def pass_to(self, time: float) -> bool:
        self.now = min(time, self.limit)
        return time <= self.limit

    def favour(self, todo: list[Item], failed: Item, named: set[str]) -> None:
        cloud, ordered = failed.candidate.cloud, self.scenario.task.ordered

        def key(item: Item) -> tuple[int, bool]:
            c = item.candidate
            return item.alternative if ordered else 0, c.cloud != cloud or not named & {c.zone, c.region}

        if named:
            todo.sort(key=key)


def learn(blocks: dict[BlockKey, Block], block: Block, now: float) -> None:
    """What is met again after it ended lasts twice as long as the last time, to a limit."""
    old = blocks.get(block.key)
    lasts = block.until - now
    if old and old.until <= now and old.until > now - REMEMBERED_S and block.grows_to:
        repeats = old.repeats + 1
        until = now + min(lasts * 2**repeats, max(block.grows_to, lasts))
        block = block.model_copy(update={"until": until, "repeats": repeats})
    if old is None or block.until > old.until:
        blocks[block.key] = block
