"""Run by itself: python -m benchmarks.planning CLOUD[,CLOUD...] LIMIT REPEATS, in a home with imported catalogues.

Plans eight A100 on spot over clouds that the catalogues describe. Prints as JSON how many candidates there are
and the times in ms: cold (a new session, its files not open yet), warm, and of the processor.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.failing_cloud import failing_cloud
from benchmarks.market import Market

if TYPE_CHECKING:
    from skyx_core import Session, Task
    from skyx_core.results import TaskPlan

TASK = "resources: {{accelerators: 'A100:8', use_spot: true{infra}}}\nrun: echo hi\n"


class Planner:
    """Clouds without anything behind them but a catalogue, in one session at a time. One cloud is named by the task, as
    the peer's task does.
    """

    def __init__(self, environ: Mapping[str, str], clouds: Sequence[str]) -> None:
        from skyx_core.task import loads

        self._environ = environ
        infra = f", infra: {clouds[0]}" if len(clouds) == 1 else ""
        nothing = Market(0, 0, 0)
        self._plugins = [
            ("cloud", name, type(name, (failing_cloud(nothing, catalogued=True),), {"name": name})) for name in clouds
        ]
        self._task: Task = loads(TASK.format(infra=infra), file="benchmark").tasks[0]
        self._session = self._new()

    def _new(self) -> Session:
        from skyx_core import Session

        return Session(environ=self._environ, cwd=Path("/"), scan_plugins=False, plugins=self._plugins)

    def plan(self, limit: int | None = None) -> TaskPlan:
        """All candidates, or the first ``limit``."""
        return self._session.plan(self._task, limit=limit)

    def warm_ms(self, limit: int | None = None, repeats: int = 5) -> float:
        """Median."""
        times = []
        for _ in range(repeats):
            began = time.perf_counter()
            self.plan(limit)
            times.append((time.perf_counter() - began) * 1e3)
        return median(times)

    def cpu_ms(self, limit: int | None = None, repeats: int = 5) -> float:
        """Processor time of a warm plan, which other work on the machine disturbs less."""
        began = time.process_time()
        for _ in range(repeats):
            self.plan(limit)
        return (time.process_time() - began) / repeats * 1e3

    def cold_ms(self, limit: int | None = None) -> float:
        """Of a session that has just been made; what Python imports is imported by then."""
        self._session.close()
        began = time.perf_counter()
        self._session = self._new()
        self.plan(limit)
        return (time.perf_counter() - began) * 1e3

    def close(self) -> None:
        self._session.close()


def main() -> None:
    import os

    clouds, limit, repeats = sys.argv[1].split(","), int(sys.argv[2]) or None, int(sys.argv[3])
    planner = Planner(dict(os.environ), clouds)
    planner.plan(limit)
    cold, warm, cpu = planner.cold_ms(limit), planner.warm_ms(limit, repeats), planner.cpu_ms(limit, repeats)
    found = planner.plan(limit).candidates
    print(json.dumps({"cold": cold, "warm": warm, "cpu": cpu, "count": len(found)}))


if __name__ == "__main__":
    main()
