"""From a task to a job that the cluster can run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from skyx_core.errors import UsageError
from skyx_core.models import JobSpec

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services
    from skyx_core.task import Task

RunPerRank = Callable[[int, list[str]], str | None]


def check_task(task: Task) -> None:
    """What must be true before anything is made; raises ``UsageError``."""
    missing = task.missing_envs()
    if missing:
        flags = " ".join(f"--env {name}=..." for name in missing)
        raise UsageError(
            f"{', '.join(missing)} must be given a value", why="the task file leaves it empty", hint=f"pass {flags}"
        )


def make_job(
    services: Services,
    task: Task,
    *,
    cluster: str,
    setup: bool,
    addresses: Sequence[str],
    has: Mapping[str, float],
    run: RunPerRank | None = None,
) -> JobSpec:
    """``addresses``: of the nodes in rank order; ``has``: accelerators of each. ``run``: called here and now."""
    if task.num_nodes > len(addresses):
        raise UsageError(
            f"the task wants {task.num_nodes} nodes, cluster {cluster!r} has {len(addresses)}",
            hint=f"launch another cluster, or ask for at most {len(addresses)}",
        )
    scripts: str | tuple[str | None, ...] | None = task.run
    if run is not None:
        ips = list(addresses[: task.num_nodes])
        scripts = tuple(run(rank, ips) for rank in range(task.num_nodes))
    now = datetime.fromtimestamp(services.clock.time(), UTC)
    submit_id = services.token(32)
    return JobSpec(
        submit_id=submit_id,
        task_id=f"skyx-{now:%Y-%m-%d-%H-%M-%S-%f}_{cluster}_{submit_id[:8]}",
        name=task.name,
        num_nodes=task.num_nodes,
        run=scripts,
        setup=task.setup if setup else None,
        envs={key: value for key, value in task.envs.items() if value is not None},
        secrets={key: value for key, value in task.secrets.items() if value is not None},
        accelerators=_accelerators(task, has),
    )


def _accelerators(task: Task, has: Mapping[str, float]) -> dict[str, float]:
    """Of the first alternative that these nodes satisfy; else of the first, which the agent then refuses by number."""
    if task.reserves_nothing:
        return {}
    wanted = [dict(request.accelerators) for request in task.requests()]
    fitting = (each for each in wanted if all(has.get(name, 0) >= count for name, count in each.items()))
    return next(fitting, wanted[0])
