"""Engine, blocks and clock as one machine that is pushed in any order."""

from __future__ import annotations

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from builders import candidate, choice
from engine_blocks import block, end, in_the_way, same_answer
from engine_gates import WatchedGate, closed_by
from examples import examples
from skyx_core.failover.blocklist import Blocklist
from skyx_core.failover.engine import CleanUp, Done, Engine, GiveUp, Locate, Skip, Start, WaitUntil
from skyx_core.models import BlockKey, Category, Retry, Scope, Verdict, ZoneOption

PLAN = [("a", "r1"), ("a", "r2"), ("b", "r1"), ("b", "r3"), ("c", "r1")]
SOME_KEYS = [
    BlockKey(cloud="a"),
    BlockKey(cloud="b", use_spot=True),
    BlockKey(region="r1"),
    BlockKey(cloud="c", zone="y"),
]
SOME_KEYS += [BlockKey(cloud="b", region="r3"), BlockKey(instance_type="t1", zone="z")]


class Searching(RuleBasedStateMachine):
    """Engine, blocks and clock together; answers come in any order, and blocks of other launches in between."""

    met: Counter[str]

    def __init__(self):
        super().__init__()
        self.now, self.known, self.locating = 0.0, [], None
        self.running, self.cleaning, self.tried = {}, set(), Counter()
        self.won = self.ended = None

    @initialize(
        live=st.sampled_from([1, 2, 3, 3]),
        until_up=st.booleans(),
        spots=st.lists(st.booleans(), min_size=5, max_size=5),
    )
    def begin(self, live, until_up, spots):
        plan = [choice(c, r, use_spot=spot) for (c, r), spot in zip(PLAN, spots, strict=True)]
        self.most, self.until_up = live, until_up
        gate = WatchedGate(plan, lambda cloud: closed_by(self.known, cloud, self.now))
        choices = gate.choices(plan, by_alternative=False)
        self.engine = Engine(
            choices,
            blocks=Blocklist(),
            max_live=live,
            retry_until_up=until_up,
            slow_after=lambda _: 40.0,
            gate=gate,
        )
        self.ask(["z"])

    @precondition(lambda self: self.ended is None and self.locating is None)
    @rule(zones=st.sampled_from([None, ["z"], ["z", "y"]]))
    def ask_now(self, zones):
        self.ask(zones)

    def ask(self, zones):
        self.act()
        while self.locating is not None and zones is not None:
            self.locate(zones)
            self.act()

    @precondition(lambda self: self.running and self.ended is None and self.locating is None and self.most > 1)
    @rule()
    def be_slow(self):
        self.wait(45.0)
        self.ask(["z"])

    def act(self):
        for action in self.engine.next(self.now):
            match action:
                case Locate(choice=each):
                    assert not in_the_way(self.known, each.candidate, self.now)
                    self.locating = each
                case Start():
                    self.start(action)
                case CleanUp(attempt=number):
                    self.cleaning.add(number)
                case WaitUntil(time=time):
                    assert time > self.now
                    self.met["waits"] += 1
                case Skip(skipped=skipped, clouds=clouds):
                    self.met["skips"] += len(skipped)
                    self.met["held"] += len(clouds)
                    assert all(closed_by(self.known, cloud, self.now) for cloud, _ in clouds)
                case Done() | GiveUp():
                    self.end(action)

    def start(self, action):
        c = action.choice.candidate
        assert not in_the_way(self.known, c, self.now), "tried while blocked"
        assert len(self.running) + len(self.cleaning) < self.most
        self.met["overlaps"] += bool(self.running)
        self.tried[c.cloud, c.region, c.zone] += 1
        self.running[action.attempt] = action

    def end(self, action):
        self.ended = action
        self.met[type(action).__name__] += 1
        assert not self.cleaning
        if isinstance(action, Done):
            assert set(self.running) == {action.attempt} == {self.won}
        else:
            assert not self.running

    @precondition(lambda self: self.locating is not None)
    @rule(zones=st.sampled_from([[None], ["z"], ["z", "y"], []]))
    def locate_later(self, zones):
        self.locate(zones)

    def locate(self, zones):
        self.locating = None
        self.engine.located([ZoneOption(zone=zone) for zone in zones])

    @precondition(lambda self: self.locating is not None)
    @rule(lasts=st.sampled_from([5.0, 500.0]))
    def fail_to_locate(self, lasts):
        c, self.locating = self.locating.candidate, None
        given = block(BlockKey(cloud=c.cloud, region=c.region), self.now + lasts)
        self.known.append(given)
        self.engine.locate_failed(
            Verdict(category=Category.TRANSIENT, block=Scope.REGION, rule="r", blocks=(given,)), self.now
        )

    @precondition(lambda self: any(number != self.won for number in self.running))
    @rule(
        which=st.integers(0, 5),
        key=st.sampled_from(["spot", "spot", *SOME_KEYS]),
        lasts=st.sampled_from([5.0, 60.0, None]),
        retry=st.booleans(),
    )
    def fail(self, which, key, lasts, retry):
        number = self.pick(which)
        start = self.running.pop(number)
        c = start.choice.candidate
        own = BlockKey(cloud=c.cloud, region=c.region, zone=c.zone, use_spot=c.use_spot)
        given = block(own if key == "spot" else key, None if lasts is None else self.now + lasts)
        made = Verdict(category=Category.CAPACITY, block=Scope.ZONE, rule="r", blocks=(given,))
        if retry:
            made = made.model_copy(update={"blocks": (), "blocks_after": (given,), "retry": Retry(max=1, wait=20)})
        self.met["retries"] += start.retry
        if self.won is None and (not retry or start.retry == 1):
            self.known.append(given)
        self.engine.outcome(number, made, self.now)

    def pick(self, which):
        numbers = [number for number in self.running if number != self.won]
        return numbers[which % len(numbers)]

    @precondition(lambda self: any(number != self.won for number in self.running))
    @rule(which=st.integers(0, 5), often=st.integers(0, 3))
    def come_up(self, which, often):
        if often <= 1:
            self.comes_up(self.pick(which))

    def comes_up(self, number):
        if self.won is None:
            self.won = number
        else:
            del self.running[number]
            self.met["second winners"] += 1
        self.engine.outcome(number, None, self.now)

    @precondition(lambda self: self.won is None and len(self.running) > 1)
    @rule()
    def two_come_up(self):
        for number in list(self.running)[:2]:
            self.comes_up(number)

    @precondition(lambda self: self.cleaning)
    @rule()
    def clean(self):
        self.engine.cleaned(self.cleaning.pop())

    @rule(seconds=st.sampled_from([1.0, 30.0, 45.0, 600.0]))
    def wait_long(self, seconds):
        self.wait(seconds)

    def wait(self, seconds):
        self.met["expiries"] += any(self.now < end(b) <= self.now + seconds for b in self.known)
        self.now += seconds

    @rule(key=st.sampled_from(SOME_KEYS), lasts=st.sampled_from([5.0, 60.0, 5000.0]))
    def learn_from_another_launch(self, key, lasts):
        given = block(key, self.now + lasts)
        self.known.append(given)
        self.engine.blocks.add(given)

    @invariant()
    def the_index_answers_like_a_list(self):
        if hasattr(self, "engine"):
            for cloud, region in PLAN[:3]:
                for spot in (True, False):
                    asked = candidate(cloud, region, "z", use_spot=spot)
                    same_answer(self.engine.blocks, self.known, asked, self.now)

    @invariant()
    def nothing_is_tried_too_often(self):
        if hasattr(self, "engine") and not self.until_up and self.most == 1:
            assert all(times <= 2 for times in self.tried.values())


def test_engine_blocks_and_clock_together():
    met: Counter[str] = Counter()
    machine = type("Searching", (Searching,), {"met": met})
    run_state_machine_as_test(machine, settings=settings(examples(60, 10_000), stateful_step_count=40))
    print(dict(met))
    for case in ("overlaps", "expiries", "waits", "Done", "held"):
        assert met[case], f"no example met: {case}"
