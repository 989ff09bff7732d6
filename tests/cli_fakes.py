"""A command line in this process: captured streams and a session that only remembers what it was asked."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skyx_core.cli.app import App
from skyx_core.cli.main import run
from skyx_core.cli.output import dumps
from skyx_core.cli.streams import Streams
from skyx_core.errors import NotFoundError
from skyx_core.results import (
    BlockRow,
    BlocksResult,
    CancelResult,
    CatalogChange,
    CatalogInfo,
    CheckResult,
    ClusterInfo,
    Excluded,
    GpuReport,
    GpuRow,
    JobInfo,
    JobResult,
    JobStatus,
    LaunchResult,
    LifecycleResult,
    LogChunk,
    OfferRow,
    PipelinePlan,
    PlanRow,
    PlanTotal,
    PluginInfo,
    SpendReport,
    SpendRow,
    TaskPlan,
)

ROW = PlanRow("local", "here", None, "local-2", {}, 2.0, 4.0, False, 0.0)
PAID = PlanRow("mars", "north", "north-a", "m1.big", {"H100": 8.0}, 96.0, 1024.0, True, 12.5)


def cluster(name: str = "a", **changes: Any) -> ClusterInfo:
    values: dict[str, Any] = {
        "name": name,
        "status": "UP",
        "cloud": "mars",
        "region": "north",
        "zone": "north-a",
        "instance_type": "m1.big",
        "accelerators": {"H100": 8.0},
        "use_spot": True,
        "num_nodes": 2,
        "hourly_usd": 12.5,
        "autostop": {"idle_minutes": 10, "down": True, "wait_for": "jobs"},
        "created_at": "2026-01-02T03:04:05Z",
        "head": "127.1.2.3",
    }
    return ClusterInfo(**{**values, **changes})


def job(number: int = 1, **changes: Any) -> JobInfo:
    values: dict[str, Any] = {
        "id": number,
        "name": "j",
        "status": "SUCCEEDED",
        "submitted_at": "2026-01-02T03:04:05Z",
        "started_at": "2026-01-02T03:04:06Z",
        "ended_at": "2026-01-02T03:04:08Z",
        "exit_codes": [0],
        "cluster": "a",
    }
    return JobInfo(**{**values, **changes})


def block_row(**changes: Any) -> BlockRow:
    values: dict[str, Any] = {
        "cloud": "mars",
        "pattern": {
            "cloud": "mars",
            "region": "north",
            "zone": "north-a",
            "instance_type": "m1.big",
            "accelerators": {"H100": 8.0},
            "use_spot": False,
        },
        "rule": "mars.sold-out",
        "reason": "no more of these",
        "category": "capacity",
        "since": "2026-01-02T03:04:05Z",
        "until": "2026-01-02T03:09:05Z",
        "repeats": 2,
        "fingerprint_ok": True,
    }
    return BlockRow(**{**values, **changes})


def spend_row(name: str = "a", **changes: Any) -> SpendRow:
    values: dict[str, Any] = {
        "name": name,
        "uid": "f" * 16,
        "status": "UP",
        "cloud": "mars",
        "region": "north",
        "instance_type": "m1.big",
        "accelerators": {"H100": 8.0},
        "use_spot": True,
        "num_nodes": 2,
        "hourly_usd": 12.5,
        "seconds": 7200.0,
        "cost_usd": 25.0,
        "created_at": "2026-01-02T03:04:05Z",
        "ended_at": None,
    }
    return SpendRow(**{**values, **changes})


@dataclass
class Logs:
    chunks: Sequence[LogChunk]
    job_id: int | None
    status: JobStatus | None
    interrupt: bool = False

    def __iter__(self) -> Iterator[LogChunk]:
        yield from self.chunks
        if self.interrupt:
            raise KeyboardInterrupt


@dataclass
class Offers:
    rows: Sequence[OfferRow]
    problems: list[str]

    def __iter__(self) -> Iterator[OfferRow]:
        return iter(self.rows)


@dataclass
class Answer:
    clusters: Sequence[ClusterInfo]
    unknown: Sequence[str] = ()
    warnings: Sequence[str] = ()


class FakeSettings:
    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def rows(self) -> list[tuple[str, Any, str]]:
        return [("wait_seconds", 600.0, "default"), ("color", "never", "env SKYX_COLOR")]

    def get(self, key: str) -> Any:
        return self._values.get(key)


@dataclass
class FakeSession:
    """Answers are attributes; ``calls`` holds (name, arguments)."""

    clusters: list[ClusterInfo] = field(default_factory=lambda: [cluster()])
    jobs: list[JobInfo] = field(default_factory=lambda: [job()])
    the_plan: TaskPlan = field(
        default_factory=lambda: TaskPlan("t", 1, [ROW, PAID], [Excluded("moon", "not enabled", "log in")])
    )
    the_blocks: BlocksResult = field(default_factory=lambda: BlocksResult([block_row()]))
    the_spend: SpendReport = field(
        default_factory=lambda: SpendReport([spend_row()], 25.0, 12.5, "2026-01-01T00:00:00Z")
    )
    job_status: JobStatus = JobStatus.SUCCEEDED
    chunks: list[LogChunk] = field(default_factory=lambda: [LogChunk(0, "head", b"hi\n", "rank-0", 3)])
    interrupt_logs: bool = False
    events: Sequence[Any] = ()
    on_launch: Callable[[FakeSession], None] | None = None
    job_id: int | None = 1
    lifecycle: dict[str, LifecycleResult] = field(default_factory=dict)
    raises: BaseException | None = None
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    made_with: dict[str, Any] = field(default_factory=dict)
    setting_values: dict[str, Any] = field(default_factory=dict)
    closed: int = 0

    def __call__(self, **made_with: Any) -> FakeSession:
        self.made_with = made_with
        return self

    @property
    def settings(self) -> FakeSettings:
        return FakeSettings(self.setting_values)

    def called(self, name: str) -> dict[str, Any]:
        return next(arguments for method, arguments in self.calls if method == name)

    def _note(self, method: str, /, **arguments: Any) -> None:
        self.calls.append((method, arguments))
        if self.raises is not None:
            raise self.raises

    def plan_pipeline(self, tasks: Sequence[Any], **arguments: Any) -> PipelinePlan:
        self._note("plan_pipeline", tasks=tasks, **arguments)
        firsts = [row for _ in tasks for row in self.the_plan.candidates[:1]]
        total = PlanTotal(sum(row.hourly_usd for row in firsts), sum(row.egress_usd for row in firsts))
        return PipelinePlan([self.the_plan for _ in tasks], total)

    def launch(self, task: Any, **arguments: Any) -> LaunchResult:
        self._note("launch", task=task, **arguments)
        for event in self.events:
            self.made_with["on_event"](event)
        if arguments["confirm"] is not None:
            assert arguments["confirm"](arguments["cluster"] or "made-up", self.the_plan)
        if self.on_launch is not None:
            self.on_launch(self)
        ran = task is not None and task.run is not None and not arguments["dryrun"]
        number = self.job_id if ran else None
        return LaunchResult(arguments["cluster"] or "made-up", number, "UP", 1, {"cloud": "mars", "hourly_usd": 12.5})

    def exec(self, cluster: str, task: Any, *, wait: float | None = None) -> JobResult:
        self._note("exec", cluster=cluster, task=task, wait=wait)
        return JobResult(cluster, self.job_id or 1, "PENDING")

    def status(self, names: Sequence[str] = (), *, refresh: bool = False) -> Answer:
        self._note("status", names=list(names), refresh=refresh)
        known = {c.name: c for c in self.clusters}
        wanted = names or list(known)
        return Answer([known[n] for n in wanted if n in known], [n for n in wanted if n not in known])

    def status_json(self) -> str | None:
        self._note("status_json")
        return dumps(self.clusters)

    def queue(self, cluster: str | None) -> list[JobInfo]:
        self._note("queue", cluster=cluster)
        if cluster not in (None, *(c.name for c in self.clusters)):
            raise NotFoundError(f"There is no cluster {cluster!r}", hint="skyx status")
        return self.jobs

    def logs(self, cluster: str, job_id: int | None = None, **arguments: Any) -> Logs:
        self._note("logs", cluster=cluster, job_id=job_id, **arguments)
        known = [j.id for j in self.jobs]
        if job_id not in (None, *known):
            return Logs([], None, None)
        return Logs(self.chunks, job_id or max(known, default=None), self.job_status, self.interrupt_logs)

    def cancel(self, cluster: str, jobs: Sequence[int] = (), *, all: bool = False) -> CancelResult:  # noqa: A002
        self._note("cancel", cluster=cluster, jobs=list(jobs), all=all)
        known = {j.id for j in self.jobs}
        return CancelResult(
            sorted(set(jobs) & known) if jobs else [1], [], [number for number in jobs if number not in known]
        )

    def _change(self, verb: str, names: Sequence[str], status: str | None, **arguments: Any) -> list[LifecycleResult]:
        self._note(verb, names=list(names), **arguments)
        known = [c.name for c in self.clusters]
        missing = {n: LifecycleResult(n, None, [], f"there is no cluster {n!r}", "SKYX-E300", 3) for n in names}
        done = {n: LifecycleResult(n, status, []) for n in known}
        chosen = known if arguments.get("all") else list(names)
        return [{**missing, **done, **self.lifecycle}[name] for name in chosen]

    def stop(self, names: Sequence[str], **arguments: Any) -> list[LifecycleResult]:
        return self._change("stop", names, "STOPPED", **arguments)

    def start(self, names: Sequence[str], **arguments: Any) -> list[LifecycleResult]:
        return self._change("start", names, "UP", **arguments)

    def down(self, names: Sequence[str], **arguments: Any) -> list[LifecycleResult]:
        return self._change("down", names, None, **arguments)

    def autostop(self, names: Sequence[str], setting: Any, *, wait: float | None = None) -> list[LifecycleResult]:
        return self._change("autostop", names, "UP", setting=setting)

    def check(self, clouds: Sequence[str] = ()) -> list[CheckResult]:
        self._note("check", clouds=list(clouds))
        line: dict[str, Any] = {"name": "key", "ok": False, "detail": "none found", "fix": "mars login"}
        return [CheckResult("local", True, [{"name": "disk", "ok": True}]), CheckResult("mars", False, [line])]

    def plugins(self, *, check: bool = False) -> list[PluginInfo]:
        self._note("plugins", check=check)
        return [PluginInfo("local", "cloud", "skyx-local", "0.1.0", "ok" if check else "installed")]

    def offers(self, accelerator: str | None = None, cloud: str | None = None, **limits: Any) -> Offers:
        self._note("offers", accelerator=accelerator, cloud=cloud, **limits)
        big = OfferRow("mars", "north", "north-a", "m1.big", {"H100": 8.0}, 96.0, 1024.0, False, 30.0)
        small = OfferRow("local", "here", None, "local-2", {}, 2.0, 4.0, False, 0.0)
        return Offers([big, small][: limits.get("limit")], ["moon: its catalogue can't be read"])

    def gpus(self, accelerator: str | None = None, cloud: str | None = None) -> GpuReport:
        self._note("gpus", accelerator=accelerator, cloud=cloud)
        row = GpuRow("mars", {"H100": 8.0}, 30.0, "m1.big", "north", None, None, None)
        return GpuReport([row] if accelerator != "H10" else [], ["mars: unknown accelerator 'H10'"])

    def catalogues(self) -> list[CatalogInfo]:
        self._note("catalogues")
        return [CatalogInfo("mars", 2, "mars.csv", "2026-01-02T03:04:05Z", 90000.0, "/c/mars.db", False)]

    def import_catalog(self, cloud: str, file: Any, *, tell: Callable[[str], None] | None = None) -> CatalogChange:
        if tell is not None:
            tell("nothing that takes long")
        content = file if isinstance(file, str) else file.read()
        self._note("import_catalog", cloud=cloud, file=content)
        return CatalogChange(cloud, 2, 1, 1, "mars.csv", ["1 row left out for want of a price"])

    def update_catalog(self, clouds: Sequence[str] = ()) -> list[CatalogChange]:
        self._note("update_catalog", clouds=list(clouds))
        bad = CatalogChange("moon", error="cloud 'moon' can't tell its offers", error_code="SKYX-E200", exit_code=2)
        return [CatalogChange("mars", 2, 1, 1, "update"), *([bad] if "moon" in clouds else [])]

    def explain(self, name: str) -> Iterator[dict[str, Any]]:
        self._note("explain", name=name)
        yield {"seq": 1, "time": "2026-01-02T03:04:05Z", "kind": "attempt_failed", "error": "no capacity", "next": "x"}

    def blocks(self, cloud: str | None = None, *, ended: bool = False) -> BlocksResult:
        self._note("blocks", cloud=cloud, ended=ended)
        return self.the_blocks

    def clear_blocks(self, cloud: str | None = None) -> int:
        self._note("clear_blocks", cloud=cloud)
        return len(self.the_blocks.blocks)

    def cost_report(self, *, days: float | None = 30.0) -> SpendReport:
        self._note("cost_report", days=days)
        return self.the_spend

    def interrupt(self, *, keep: bool | None = False) -> None:
        self.calls.append(("interrupt", {"keep": keep}))

    def close(self) -> None:
        self.closed += 1


@dataclass
class Result:
    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.raw)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.raw.splitlines()]

    @property
    def error(self) -> dict[str, Any]:
        """The error object of ``-o json``."""
        found: dict[str, Any] = json.loads(self.err.strip().splitlines()[-1])["error"]
        return found


def skyx(
    *args: str,
    session: FakeSession | None = None,
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    tty: bool = False,
    answer: str | BaseException = "",
    stdin: bytes = b"",
) -> Result:
    """Run one command line. ``tty``: all three streams are a terminal; ``answer``: what is typed at a question."""
    out, err = io.BytesIO(), io.BytesIO()
    streams = Streams(
        lambda data: void(out.write(data)),
        lambda data: void(err.write(data)),
        out_tty=tty,
        err_tty=tty,
        in_tty=tty,
        read_line=lambda: typed(answer),
        read_all=lambda: stdin,
    )
    app = App(
        streams,
        environ={"NO_COLOR": "1", **(environ or {})},
        cwd=str(cwd or Path.cwd()),
        command="skyx " + " ".join(args),
        make_session=session or FakeSession(),
    )
    code = run(app, ["--no-plugins", *args])
    return Result(code, out.getvalue(), err.getvalue().decode())


def typed(answer: str | BaseException) -> str:
    if isinstance(answer, BaseException):
        raise answer
    return answer


def void(_: object) -> None: ...
