"""A simulated cloud on the clock of this machine: its state is in a file that all processes share."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from skyx_core.api import Clock, CloudError, ScenarioError
from skyx_sim.cloud import SimCloud
from skyx_sim.running import load_scenario
from skyx_sim.scenario import Scenario
from skyx_sim.world import Answer, Ask, CloudWorld, Held, Slot

_LOCK_S = 10.0


@dataclass
class _State:
    """``since``: when this cloud was first used with this scenario, in seconds since the epoch."""

    scenario: str
    since: float
    calls: list[float] = field(default_factory=list)
    used: dict[str, int] = field(default_factory=dict)


class Clockwork:
    """One cloud of a scenario. Its time starts at the first use and goes ``speed`` times as fast as the clock's. A
    scenario that was changed starts anew. Making one does no I/O.
    """

    def __init__(self, name: str, path: Path, folder: Path, clock: Clock, speed: float | None) -> None:
        self._name = name
        self._path = path
        self._folder = folder
        self._clock = clock
        self._given_speed = speed

    @cached_property
    def _scenario(self) -> Scenario:
        return load_scenario(self._path)

    def names(self) -> tuple[str, ...]:
        """Of the scenario's clouds; raises ``ScenarioError`` if the file has mistakes."""
        return tuple(cloud.name for cloud in self._scenario.clouds)

    @cached_property
    def cloud(self) -> SimCloud:
        """Raises ``ScenarioError`` if the file has mistakes, or no cloud of this name."""
        for cloud in self._scenario.clouds:
            if cloud.name == self._name:
                return cloud
        names = ", ".join(cloud.name for cloud in self._scenario.clouds)
        raise ScenarioError(
            f"the scenario has no cloud named {self._name!r}", where=str(self._path), why=f"it has {names}"
        )

    @cached_property
    def world(self) -> CloudWorld:
        """As nobody has used it; for what doesn't depend on time."""
        return CloudWorld(self.cloud, self._scenario.seed)

    @property
    def speed(self) -> float:
        return self._given_speed or self._scenario.speed

    def real(self, virtual: float) -> float:
        """Seconds of the machine's clock."""
        return virtual / self.speed

    def now(self) -> float:
        """Virtual seconds since the first use."""
        with self._locked() as state:
            return self._virtual(state)

    def ask(self, ask: Ask, nodes: Counter[Slot]) -> Answer:
        """A creating call that is made now; ``nodes``: those that run. Raises ``CloudError`` if the state can't be
        written.
        """
        with self._locked() as state:
            held = Held(deque(state.calls), Counter({int(k): v for k, v in state.used.items()}), nodes)
            answer = CloudWorld(self.cloud, self._scenario.seed, held).ask(ask, self._virtual(state))
            state.calls, state.used = list(held.calls), {str(k): v for k, v in held.used.items()}
        return answer

    def preempted_at(self, answer: Answer) -> float | None:
        """When nodes that come up now are taken away, in seconds since the epoch."""
        lasts = self.world.lasts(answer.slot, self.now()) if answer.slot else None
        return None if lasts is None else self._clock.time() + self.real(lasts)

    @property
    def _file(self) -> Path:
        return self._folder / "state.json"

    @cached_property
    def digest(self) -> str:
        """Of the scenario's file."""
        return hashlib.sha256(self._path.read_bytes()).hexdigest()[:16]

    def _virtual(self, state: _State) -> float:
        return max(0.0, self._clock.time() - state.since) * self.speed

    @contextmanager
    def _locked(self) -> Iterator[_State]:
        """The state, alone among all processes; written back at the end."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(self._folder / "lock", "w", encoding="ascii") as lock:
                self._take(lock.fileno())
                state = self._read()
                yield state
                part = self._file.with_suffix(f".{os.getpid()}")
                part.write_text(json.dumps(state.__dict__), encoding="ascii")
                part.replace(self._file)
        except OSError as error:
            raise CloudError(self._name, "state", "StateUnusable", f"{self._file}: {error}") from error

    def _take(self, descriptor: int) -> None:
        end = self._clock.monotonic() + _LOCK_S
        while True:
            try:
                return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if self._clock.monotonic() > end:
                    raise
                self._clock.sleep(0.01)

    def _read(self) -> _State:
        try:
            state = _State(**json.loads(self._file.read_text(encoding="ascii")))
        except (OSError, ValueError, TypeError):  # none yet, or damaged: this is where the cloud's time starts
            state = _State("", 0.0)
        if state.scenario != self.digest:
            state = _State(self.digest, self._clock.time())
        return state
