"""What the command line needs of a session, as types, so that tests can put a simple one in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from skyx_core import results
    from skyx_core.models import Autostop, Event
    from skyx_core.task import Task

Confirm = Callable[[str, "results.TaskPlan"], bool]
OnEvent = Callable[["Event"], None]


class SettingsView(Protocol):
    """What the command line reads of the settings."""

    def rows(self) -> Sequence[tuple[str, results.Json, str]]: ...

    def get(self, key: str) -> results.Json: ...


class StatusView(Protocol):
    """The answer of ``status``."""

    @property
    def clusters(self) -> Sequence[results.ClusterInfo]: ...
    @property
    def unknown(self) -> Sequence[str]: ...
    @property
    def warnings(self) -> Sequence[str]: ...


class LogSource(Protocol):
    """Chunks as they come; ``job_id`` and ``status`` are true once the iteration has ended."""

    @property
    def job_id(self) -> int | None: ...
    @property
    def status(self) -> results.JobStatus | None: ...
    def __iter__(self) -> Iterator[results.LogChunk]: ...


class ReplayedView(Protocol):
    """One recorded decision beside what the engine decides now."""

    @property
    def recorded(self) -> str: ...

    @property
    def decided(self) -> str: ...

    @property
    def same(self) -> bool: ...


class ClassifiedView(Protocol):
    """Rows, and at their end what was left out."""

    skipped: int
    problems: list[str]

    def __iter__(self) -> Iterator[Mapping[str, results.Json]]: ...


class OffersView(Protocol):
    """Rows as they come, and at their end the clouds that could not be read."""

    problems: list[str]

    def __iter__(self) -> Iterator[results.OfferRow]: ...


class SessionPort(Protocol):
    """The part of ``skyx_core.session.Session`` that commands use; its docstrings hold."""

    @property
    def settings(self) -> SettingsView: ...

    def plan_pipeline(
        self,
        tasks: Sequence[Task],
        *,
        limit: int | None = None,
        optimize: str | None = None,
        near: bool = False,
        catalogued: bool = False,
        parallel: bool = False,
    ) -> results.PipelinePlan: ...

    def launch(
        self,
        task: Task | None,
        *,
        cluster: str | None = None,
        dryrun: bool = False,
        detach: bool = False,
        retry_until_up: bool = False,
        hedge: int = 1,
        autostop: Autostop | None = None,
        on_interrupt: str = "cleanup",
        wait: float | None = None,
        confirm: Confirm | None = None,
        optimize: str | None = None,
    ) -> results.LaunchResult: ...

    def exec(self, cluster: str, task: Task, *, wait: float | None = None) -> results.JobResult: ...

    def status(self, names: Sequence[str] = (), *, refresh: bool = False) -> StatusView: ...

    def status_json(self) -> str | None: ...

    def queue(self, cluster: str | None) -> list[results.JobInfo]: ...

    def logs(
        self,
        cluster: str,
        job_id: int | None = None,
        *,
        follow: bool = True,
        tail: int | None = None,
        ranks: Sequence[int] | None = None,
    ) -> LogSource: ...

    def cancel(
        self,
        cluster: str,
        jobs: Sequence[int] = (),
        *,
        all: bool = False,  # noqa: A002
    ) -> results.CancelResult: ...

    def stop(
        self,
        names: Sequence[str],
        *,
        all: bool = False,  # noqa: A002
        purge: bool = False,
        wait: float | None = None,
    ) -> list[results.LifecycleResult]: ...

    def start(
        self,
        names: Sequence[str],
        *,
        all: bool = False,  # noqa: A002
        purge: bool = False,
        wait: float | None = None,
    ) -> list[results.LifecycleResult]: ...

    def down(
        self,
        names: Sequence[str],
        *,
        all: bool = False,  # noqa: A002
        purge: bool = False,
        wait: float | None = None,
    ) -> list[results.LifecycleResult]: ...

    def autostop(
        self, names: Sequence[str], setting: Autostop | None, *, wait: float | None = None
    ) -> list[results.LifecycleResult]: ...

    def check(self, clouds: Sequence[str] = ()) -> list[results.CheckResult]: ...

    def plugins(self, *, check: bool = False) -> list[results.PluginInfo]: ...

    def offers(
        self,
        accelerator: str | None = None,
        cloud: str | None = None,
        *,
        region: str | None = None,
        limit: int | None = None,
    ) -> OffersView: ...

    def gpus(self, accelerator: str | None = None, cloud: str | None = None) -> results.GpuReport: ...

    def catalogues(self) -> list[results.CatalogInfo]: ...

    def import_catalog(
        self, cloud: str, file: str | Path | IO[bytes], *, tell: Callable[[str], None] | None = None
    ) -> results.CatalogChange: ...

    def update_catalog(self, clouds: Sequence[str] = ()) -> list[results.CatalogChange]: ...

    def explain(self, name: str) -> Iterable[Mapping[str, results.Json]]: ...

    def replay(self, name: str) -> Iterable[ReplayedView]: ...

    def classify(self, cloud: str, lines: Iterable[str]) -> ClassifiedView: ...

    def blocks(self, cloud: str | None = None, *, ended: bool = False) -> results.BlocksResult: ...

    def clear_blocks(self, cloud: str | None = None) -> int: ...

    def cost_report(self, *, days: float | None = 30.0) -> results.SpendReport: ...

    def interrupt(self, *, keep: bool | None = False) -> None: ...

    def close(self) -> None: ...


class SessionFactory(Protocol):
    """Makes the session of one command. ``flags``: settings given on the command line."""

    def __call__(
        self,
        *,
        environ: Mapping[str, str],
        cwd: str,
        flags: Mapping[str, object],
        scan_plugins: bool,
        on_event: OnEvent | None,
        command: str,
    ) -> SessionPort: ...
