"""The embedding API: everything that the command line does, from Python, without globals.

from skyx_core import Session, load

with Session() as session:
    launched = session.launch(load("task.yaml").tasks[0], cluster="train")
    for chunk in session.logs("train", launched.job_id):
        print(chunk.data.decode(), end="")
    session.down(["train"])
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from skyx_core.clock import Clock, clock_from
from skyx_core.dirs import Dirs
from skyx_core.errors import UsageError
from skyx_core.settings import Settings

if TYPE_CHECKING:
    from skyx_core import results
    from skyx_core.cluster.catalogues import Found
    from skyx_core.cluster.classifying import Classified
    from skyx_core.cluster.job_operations import LogStream
    from skyx_core.cluster.jobspec import RunPerRank
    from skyx_core.cluster.launch import Confirm
    from skyx_core.cluster.operations import Operations
    from skyx_core.failover.replay import Replayed
    from skyx_core.models import Autostop, Event
    from skyx_core.results import StatusResult
    from skyx_core.state.store import Store
    from skyx_core.task import Task


class Session:
    """One user of skyx in one process; several may live side by side. Thread-safe but for ``close``.

    Making one reads settings and nothing else; plugins are loaded when a call needs them. Every method raises
    ``SkyxError`` (with ``code``, ``exit_code`` and ``hint``) and nothing else on purpose.

    ``on_event`` is called with each step, one at a time, in the thread that made it; it must not raise. ``plugins``:
    listeners, or (kind, name, class) triples, used beside what is installed. ``scan_plugins`` False leaves installed
    listeners out.
    """

    def __init__(
        self,
        *,
        environ: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        flags: Mapping[str, object] | None = None,
        plugins: Sequence[object] = (),
        scan_plugins: bool = True,
        on_event: Callable[[Event], None] | None = None,
        clock: Clock | None = None,
        command: str = "",
    ) -> None:
        self.environ: Mapping[str, str] = dict(os.environ if environ is None else environ)
        self.cwd = cwd or Path.cwd()
        self.dirs = Dirs.from_environ(self.environ)
        self.settings = Settings.load(self.dirs, self.environ, self.cwd, flags)
        self.clock = clock or clock_from(self.environ)
        self.command = command
        self.on_event = on_event
        self.scan_plugins = scan_plugins
        self.extra_plugins: Sequence[object] = tuple(plugins)

    @cached_property
    def store(self) -> Store:
        """The record of clusters; no file is made before something is stored."""
        from skyx_core.state.store import Store

        return Store(self.dirs.state_db, self.clock)

    @cached_property
    def _do(self) -> Operations:
        from skyx_core.cluster.operations import Operations
        from skyx_core.cluster.wiring import make_services

        return Operations(make_services(self))

    def plan(
        self,
        task: Task,
        *,
        limit: int | None = None,
        optimize: str | None = None,
        near: bool = False,
        catalogued: bool = False,
    ) -> results.TaskPlan:
        """Candidates in order with prices, and why others were left out. Changes nothing, needs no credentials.

        ``limit``: None = all, but no more than 10,000. ``optimize``: "cost" or "time"; None = the setting. ``near``:
        say what fits nearly even if something fits. ``catalogued``: also clouds of which only a catalogue is here;
        else only those that the task names, and all of them where nothing fits that can be launched on.
        """
        whole = self.plan_pipeline([task], limit=limit, optimize=optimize, near=near, catalogued=catalogued)
        return whole.tasks[0]

    def plan_pipeline(
        self,
        tasks: Sequence[Task],
        *,
        limit: int | None = None,
        optimize: str | None = None,
        near: bool = False,
        catalogued: bool = False,
        parallel: bool = False,
    ) -> results.PipelinePlan:
        """Several tasks, one by one: what moving a task's ``outputs`` to the next one costs is in the next one's price.
        ``parallel``: they run side by side and hand nothing on.
        """
        from skyx_core.cluster.planning import PlanOptions

        for task in tasks:
            _check_task(task, needed=True)
        if limit is not None and not (isinstance(limit, int) and limit > 0):
            raise UsageError(f"limit is a whole number from 1, not {limit!r}"[:200], hint="leave it out for all")
        options = PlanOptions(limit, _target(optimize), near=near, catalogued=catalogued, parallel=parallel)
        return self._do.views.plan(tasks, options)

    def launch(
        self,
        task: Task | None = None,
        *,
        cluster: str | None = None,
        dryrun: bool = False,
        detach: bool = True,
        retry_until_up: bool = False,
        hedge: int = 1,
        autostop: Autostop | None = None,
        on_interrupt: str = "cleanup",
        wait: float | None = None,
        confirm: Confirm | None = None,
        run: RunPerRank | None = None,
        optimize: str | None = None,
    ) -> results.LaunchResult:
        """Bring a cluster up (or use the one of this name) and queue the task's job on it.

        ``wait``: seconds to wait for another command on this cluster (None = the setting, 10 minutes). ``run``:
        called as ``run(rank, ips)`` for each rank, returns its script or None. ``detach`` False waits for the job's
        end. ``optimize``: "cost" or "time"; None = the setting.

        Ctrl-C or ``interrupt()`` ends it with ``InterruptedBySignal`` after clean-up.
        """
        _check_task(task)
        return self._do.launch(
            task,
            cluster=cluster,
            dryrun=dryrun,
            detach=detach,
            retry_until_up=retry_until_up,
            hedge=hedge,
            autostop=autostop,
            keep=on_interrupt == "keep",
            wait=wait,
            confirm=confirm,
            run=run,
            optimize=_target(optimize),
        )

    def exec(
        self, cluster: str, task: Task, *, wait: float | None = None, run: RunPerRank | None = None
    ) -> results.JobResult:
        """Copy the workdir and mounts again and queue one more job; ``setup`` is not run."""
        _check_task(task)
        return self._do.jobs.exec(cluster, task, wait=wait, run=run)

    def status(self, names: Sequence[str] = (), *, refresh: bool = False) -> StatusResult:
        """Clusters by name; ``names`` may hold patterns. Only ``refresh`` asks the clouds; clusters that may have
        ended themselves are looked at where that costs nothing.
        """
        armed = self.store.armed()
        names = _names(names)
        if refresh or armed:
            return self._do.views.status(names, refresh=refresh, armed=armed)
        from skyx_core.results import StatusResult

        infos = self.store.infos(list(names) or None)
        found = {info.name for info in infos}
        unknown = [name for name in names if name not in found and not _is_pattern(name)]
        return StatusResult(infos, unknown, list(self.store.warnings))

    def status_json(self) -> str | None:
        """All clusters as JSON text, straight from the record; None when a look is needed first."""
        return None if self.store.armed() else self.store.infos_json()

    def queue(self, cluster: str | None = None) -> list[results.JobInfo]:
        """Jobs of one cluster, or of all that are up; the newest first."""
        return self._do.jobs.queue(cluster)

    def logs(
        self,
        cluster: str,
        job_id: int | None = None,
        *,
        follow: bool = True,
        tail: int | None = None,
        ranks: Sequence[int] | None = None,
    ) -> LogStream:
        """An iterator of chunks, of the latest job by default; goes on where it was after a lost connection."""
        return self._do.jobs.logs(cluster, job_id, follow=follow, tail=tail, ranks=ranks)

    def wait(self, cluster: str, job_id: int, timeout: float | None = None) -> results.JobInfo:
        """The job once it is final, or as it is after ``timeout`` seconds."""
        return self._do.jobs.wait(cluster, job_id, timeout)

    def cancel(self, cluster: str, jobs: Sequence[int] = (), *, all: bool = False) -> results.CancelResult:  # noqa: A002
        """End these jobs, all, or the latest that runs."""
        return self._do.jobs.cancel(cluster, jobs, everything=all)

    def stop(
        self,
        names: Sequence[str] = (),
        *,
        all: bool = False,  # noqa: A002
        purge: bool = False,
        wait: float | None = None,
    ) -> list[results.LifecycleResult]:
        """Stop clusters and keep their disks. One result per name, errors inside; never raises for one of several."""
        del purge
        return self._do.lifecycle.each("stop", _names(names), everything=all, wait=wait)

    def start(
        self,
        names: Sequence[str] = (),
        *,
        all: bool = False,  # noqa: A002
        purge: bool = False,
        wait: float | None = None,
    ) -> list[results.LifecycleResult]:
        """Start stopped clusters where they were."""
        del purge
        return self._do.lifecycle.each("start", _names(names), everything=all, wait=wait)

    def down(
        self,
        names: Sequence[str] = (),
        *,
        all: bool = False,  # noqa: A002
        purge: bool = False,
        wait: float | None = None,
    ) -> list[results.LifecycleResult]:
        """Terminate clusters. ``purge``: forget the record even if something may be left, and list that."""
        return self._do.lifecycle.each("down", _names(names), everything=all, wait=wait, purge=purge)

    def autostop(
        self, names: Sequence[str], setting: Autostop | None, *, wait: float | None = None
    ) -> list[results.LifecycleResult]:
        """Arm it on clusters, or cancel it (None)."""
        return self._do.lifecycle.each("autostop", _names(names), everything=False, wait=wait, setting=setting)

    def check(self, clouds: Sequence[str] = ()) -> list[results.CheckResult]:
        """Whether clouds can be used: credentials, permissions, tools; each failure with its fix."""
        return self._do.views.check(clouds)

    def plugins(self, *, check: bool = False) -> list[results.PluginInfo]:
        """What is installed, without importing any of it; ``check`` loads each in a process of its own."""
        return self._do.views.plugins(check=check)

    def offers(
        self,
        accelerator: str | None = None,
        cloud: str | None = None,
        *,
        region: str | None = None,
        limit: int | None = None,
    ) -> Found:
        """Offers of the catalogues on this machine, and of enabled clouds without one; cheapest first within a cloud,
        lazily. ``accelerator``: ``H100`` or ``H100:8``. Clouds that can't be read are in ``problems`` afterwards.
        """
        return self._do.catalogues.offers(accelerator, cloud, region, limit)

    def gpus(self, accelerator: str | None = None, cloud: str | None = None) -> results.GpuReport:
        """The lowest prices by accelerator, number and cloud; quick however long the catalogues are."""
        return self._do.catalogues.gpus(accelerator, cloud)

    def catalogues(self) -> list[results.CatalogInfo]:
        """What catalogues there are, how old, and which of them can't be read."""
        return self._do.catalogues.infos()

    def catalogued(self) -> list[str]:
        """Clouds with an imported or updated catalogue here, also those that no installed plugin offers."""
        from skyx_core.catalog.catalogue import imported_names

        return imported_names(self.dirs)

    def import_catalog(
        self, cloud: str, file: str | Path | IO[bytes], *, tell: Callable[[str], None] | None = None
    ) -> results.CatalogChange:
        """Replace the catalogue of a cloud by a CSV file (or a binary stream); ``notes`` say what was left out. Raises
        ``CatalogError``, and changes nothing, for a file that can't be used, or has more than 20 million rows or
        8 GiB unpacked. ``tell`` hears every 20,000 rows how far it is. Safe to repeat, and to race.
        """
        return self._do.catalogue_changes.import_csv(cloud, file, tell)

    def update_catalog(self, clouds: Sequence[str] = ()) -> list[results.CatalogChange]:
        """Ask these clouds, or all that can tell, for what they offer now. One result per cloud, errors inside; at most
        10 minutes per cloud.
        """
        return self._do.catalogue_changes.update(_names(clouds))

    def explain(self, name: str) -> Iterator[Mapping[str, results.Json]]:
        """Every stored event of the clusters that had this name, in order."""
        return self._do.views.explain(name)

    def replay(self, name: str) -> Iterator[Replayed]:
        """The recorded searches of this name through the engine again: each decision beside what was recorded."""
        return self._do.views.replay(name)

    def classify(self, cloud: str, lines: Iterable[str]) -> Classified:
        """What recorded errors would do: an iterator of rows, one for each JSON line of this cloud."""
        return self._do.views.classify(cloud, lines)

    def blocks(self, cloud: str | None = None, *, ended: bool = False) -> results.BlocksResult:
        """What launches learned not to try, and until when. ``ended``: also what ended within the last three hours.
        What was met with credentials or settings that are no longer in use ends here.
        """
        return self._do.blocks.list(cloud, ended=ended)

    def clear_blocks(self, cloud: str | None = None) -> int:
        """Forget what is blocked on one cloud, or everywhere; how many blocks that were. Safe to repeat."""
        return self._do.blocks.clear(cloud)

    def cost_report(self, *, days: float | None = 30.0) -> results.SpendReport:
        """What clusters that are and were cost within the last ``days`` (None = ever), by list prices; not the bill."""
        from skyx_core.cluster.costs import cost_report

        return cost_report(self.store, now=self.clock.time(), days=days)

    def interrupt(self, *, keep: bool | None = False) -> None:
        """End every command of this session that runs in another thread, as Ctrl-C does; if none does, the next one.
        ``keep``: leave what was made; None = a second call says that. Returns at once.
        """
        self._do.guard.interrupt(keep=keep)

    def close(self) -> None:
        """Give back connections and files. Safe to repeat."""
        if "_do" in self.__dict__:
            self._do.guard.close()
        if "store" in self.__dict__:
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _check_task(task: object, *, needed: bool = False) -> None:
    from skyx_core.task import Task

    if (needed or task is not None) and not isinstance(task, Task):
        kind = type(task).__name__
        raise UsageError(f"a Task is needed, not {kind}", hint="skyx_core.load(path) and loads(text) make tasks")


def _target(optimize: str | None) -> str:
    """ "" = as the settings say."""
    if optimize not in (None, "cost", "time"):
        raise UsageError(f"optimize is 'cost' or 'time', not {optimize!r}"[:200], hint="leave it out for the setting")
    return optimize or ""


def _names(names: Sequence[str]) -> Sequence[str]:
    if isinstance(names, str):
        raise UsageError(f"a list of names is needed, not the text {names!r}", hint=f"pass [{names!r}]")
    return names


def _is_pattern(name: str) -> bool:
    return any(mark in name for mark in "*?[")
