"""What a file of simulated clouds says."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator  # noqa: TID253 - reached only with a scenario at hand

from skyx_core.api import Model, Task
from skyx_sim.cloud import SimCloud, twice
from skyx_sim.durations import Duration


class Expect(Model):
    """What must come out, for tests: ``attempts`` are places like ``cloud/region/zone``, in order."""

    status: Literal["UP", "GAVE_UP", "ABORTED", "LIMIT"]
    attempts: tuple[str, ...] | None = None
    count: int | None = None
    last: str | None = None


class Scenario(Model):
    """A task, and the clouds that it searches. ``limit``: the search ends then at the latest. ``slow_after``: when an
    attempt is hedged, if ``hedge`` allows more than one at a time. ``run_for``: how long the cluster is needed.
    ``speed``: how much faster than the clock of this machine time goes in real launches.
    """

    task: Task
    clouds: tuple[SimCloud, ...] = Field(min_length=1)
    seed: int = 0
    limit: Duration | None = None
    retry_until_up: bool = False
    hedge: int = Field(default=1, ge=1, le=100)
    slow_after: Duration = 240.0
    run_for: Duration = 0.0
    speed: float = Field(default=1.0, gt=0, le=1e6)
    expect: Expect | None = None

    @model_validator(mode="after")
    def _ends(self) -> Self:
        wrong = twice("cloud", [cloud.name for cloud in self.clouds])
        if self.limit is None and self.retry_until_up:
            wrong += ["it may never end: retry_until_up needs a limit, such as limit: 24h"]
        elif self.limit is None and self.run_for and any(cloud.preemption for cloud in self.clouds):
            wrong += ["it may never end: preemption with run_for needs a limit, such as limit: 24h"]
        if wrong:
            raise ValueError("; ".join(wrong))
        return self
