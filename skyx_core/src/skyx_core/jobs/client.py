"""Talking to the agent on a cluster's head."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from skyx_core.errors import (
    AgentError,
    AgentRefusedError,
    ClusterStateError,
    NodeError,
    NotFoundError,
    SkyxError,
    StateTooNewError,
    UsageError,
)
from skyx_core.jobs.frames import FrameStream
from skyx_core.models import Autostop, JobReceipt, JobSpec
from skyx_core.node.runner import Channel
from skyx_core.results import CancelResult, JobInfo, Json, LogChunk

PROTOCOL = 1
ANSWER_LIMIT_S = 20.0
OPEN_TRIES = 4
OPEN_PAUSE_S = 0.25
LATEST: int | None = None

_ERRORS: Mapping[str, type[SkyxError]] = {
    "not_found": NotFoundError,
    "unknown_job": NotFoundError,
    "too_large": UsageError,
    "refused": UsageError,
    "invalid": UsageError,
    "autostopping": ClusterStateError,
    "not_configured": ClusterStateError,
    "store_too_new": StateTooNewError,
}


class LogState:
    """How a stream of log chunks ended, and where to resume it: ``offsets`` by stream."""

    def __init__(self, status: str = "", job_id: int | None = None) -> None:
        self.status = status
        self.job_id = job_id
        self.offsets: dict[str, int] = {}


class AgentClient:
    """One connection, kept open and shared by the threads of a session; log streams take connections of their own."""

    def __init__(
        self,
        connect: Callable[[], Channel],
        *,
        cluster_uid: str = "",
        tries: int = OPEN_TRIES,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._connect = connect
        self._sleep = sleep
        self._tries = tries
        self._uid = cluster_uid
        self._stream: FrameStream | None = None
        self._lock = threading.Lock()
        self._next_id = 0
        self.version = ""

    def request(self, op: str, *, limit: float = ANSWER_LIMIT_S, **fields: Json) -> dict[str, Json]:
        """One question, one answer. Reconnects once if the kept connection has gone stale."""
        with self._lock:
            kept = self._stream is not None
            try:
                return self._ask(op, fields, limit)
            except AgentRefusedError:
                raise
            except (AgentError, NodeError) as error:
                self._drop()
                if not kept:
                    raise _unanswered(error) from error
            except (TimeoutError, OSError) as error:
                self._drop()
                raise _unanswered(error) from error
            return self._ask(op, fields, limit)

    def _ask(self, op: str, fields: Mapping[str, Json], limit: float) -> dict[str, Json]:
        stream = self._stream or self._open()
        self._stream = stream
        self._next_id += 1
        stream.send({"op": op, "id": self._next_id, **fields})
        while True:
            answer = stream.receive_json(limit)
            if answer.get("id") == self._next_id:
                return _checked(answer)

    def _open(self) -> FrameStream:
        """An agent that ends or starts in this moment gets a few tries."""
        for _ in range(self._tries - 1):
            try:
                return self._open_once()
            except AgentRefusedError:
                raise
            except (AgentError, NodeError):
                self._sleep(OPEN_PAUSE_S)
        return self._open_once()

    def _open_once(self) -> FrameStream:
        stream = FrameStream(self._connect())
        try:
            stream.greeting(ANSWER_LIMIT_S)
            stream.send({"op": "hello", "id": 0, "protocols": [PROTOCOL], "client": "skyx"})
            hello = _checked(stream.receive_json(ANSWER_LIMIT_S))
        except BaseException:
            stream.close()
            raise
        self.version = str(hello.get("version", ""))
        found = hello.get("cluster")
        if self._uid and found not in (None, "", self._uid):
            stream.close()
            raise AgentRefusedError(
                "the agent at the head belongs to another cluster", why=f"it serves {found}, not {self._uid}"
            )
        return stream

    def _drop(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def close(self) -> None:
        """Safe to repeat."""
        with self._lock:
            self._drop()

    def submit(self, job: JobSpec) -> JobReceipt:
        """Queue the job; the same ``submit_id`` is queued once, so this is safe to repeat."""
        answer = self.request("submit", job=job.model_dump(mode="json"))
        return JobReceipt(job_id=_int(answer["job_id"]))

    def queue(self) -> list[JobInfo]:
        """All jobs, the newest first."""
        rows = self.request("queue").get("jobs")
        return [job_info(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []

    def job(self, job_id: int | None) -> JobInfo:
        """One job, None = the latest; raises ``NotFoundError``."""
        row = self.request("job", job_id=job_id).get("job")
        if not isinstance(row, dict):
            raise AgentError("the agent's answer holds no job")
        return job_info(row)

    def wait(self, job_id: int, timeout: float) -> JobInfo:
        """The job once it is final, or as it is after ``timeout`` seconds (3600 at most). Uses its own connection,
        so that other threads can ask meanwhile.
        """
        stream = self._open()
        try:
            stream.send({"op": "wait", "id": 1, "job_id": job_id, "timeout": timeout})
            row = _checked(stream.receive_json(timeout + ANSWER_LIMIT_S)).get("job")
        except (TimeoutError, OSError) as error:
            raise AgentError("the agent does not answer", why=str(error) or "time-out") from error
        finally:
            stream.close()
        return job_info(row) if isinstance(row, dict) else self.job(job_id)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """While this lasts the cluster isn't idle; it ends with the connection, so a killed client holds nothing."""
        stream = self._open()
        try:
            stream.send({"op": "hold", "id": 1})
            _checked(stream.receive_json(ANSWER_LIMIT_S))
            yield
        finally:
            stream.close()

    def cancel(self, jobs: Sequence[int], *, everything: bool) -> CancelResult:
        """End jobs; none named and not everything = the latest that runs."""
        fields: dict[str, Json] = {"all": True} if everything else {"jobs": list(jobs)} if jobs else {"latest": True}
        answer = self.request("cancel", limit=60.0, **fields)
        return CancelResult(*(_ints(answer.get(key)) for key in ("cancelled", "already_done", "unknown")))

    def set_autostop(self, setting: Autostop | None, argv: Sequence[str] = ()) -> None:
        """Arm it with what the driver prepared, or cancel it."""
        if setting is None:
            self.request("autostop", cancel=True)
            return
        fields: dict[str, Json] = {**setting.model_dump(mode="json"), "argv": list(argv)}
        self.request("autostop", set=fields)

    def logs(
        self,
        job_id: int | None,
        state: LogState,
        *,
        follow: bool,
        tail: int | None = None,
        ranks: Sequence[int] | None = None,
    ) -> Iterator[LogChunk]:
        """Chunks as they come; ``state`` is kept up to date, so that reading goes on where it broke off."""
        stream = self._open()
        try:
            stream.send(
                {
                    "op": "logs",
                    "id": 1,
                    "job_id": job_id,
                    "offsets": dict(state.offsets),
                    "follow": follow,
                    "tail": tail,
                    "ranks": list(ranks) if ranks is not None else None,
                }
            )
            yield from _chunks(stream, state)
        finally:
            stream.close()


def _chunks(stream: FrameStream, state: LogState) -> Iterator[LogChunk]:
    while True:
        try:
            answer = _checked(stream.receive_json(None))
        except OSError as error:
            raise AgentError("the connection to the agent ended", why=str(error)) from error
        chunk = answer.get("chunk")
        if "job_id" in answer:
            state.job_id = _int(answer["job_id"])
        if not isinstance(chunk, dict):
            state.status = str(answer.get("status", ""))
            return  # the end of what was asked for: of the job, or (without ``follow``) of what there is
        _, data = stream.receive(ANSWER_LIMIT_S)
        name, end = str(chunk["stream"]), _int(chunk["offset"]) + len(data)
        state.offsets[name] = end
        yield LogChunk(
            rank=_int(chunk["rank"]),
            node=str(chunk["node"]),
            data=data,
            stream=name,
            end=end,
            kind=str(chunk.get("kind", "run")),
        )


def _unanswered(error: Exception) -> AgentError:
    if isinstance(error, AgentError):
        return error
    return AgentError("the agent does not answer", why=str(error) or "time-out", hint="try again; see 'skyx status'")


def _checked(answer: dict[str, Json]) -> dict[str, Json]:
    error = answer.get("error")
    if answer.get("ok") is not False and not error:
        return answer
    fields = error if isinstance(error, dict) else {"message": str(error)}
    kind = _ERRORS.get(str(fields.get("code", "")), AgentRefusedError)
    raise kind(str(fields.get("message") or "the agent refused"), hint=str(fields.get("hint") or ""))


def _int(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise AgentError("the agent sent something else where a number was due")
    return value


def _ints(value: Json) -> list[int]:
    return sorted(_int(item) for item in value) if isinstance(value, list) else []


def job_info(row: Mapping[str, Json]) -> JobInfo:
    """A row of the agent's queue."""
    codes, accelerators = row.get("exit_codes"), row.get("accelerators")

    def text(key: str) -> str | None:
        value = row.get(key)
        return None if value is None else str(value)

    return JobInfo(
        id=_int(row.get("id")),
        name=text("name"),
        status=str(row.get("status")),
        submitted_at=text("submitted_at"),
        started_at=text("started_at"),
        ended_at=text("ended_at"),
        exit_codes=[None if c is None else _int(c) for c in codes] if isinstance(codes, list) else [],
        reason=text("reason") or "",
        num_nodes=_int(row.get("num_nodes", 1)),
        accelerators={k: float(v) for k, v in accelerators.items() if isinstance(v, int | float)}
        if isinstance(accelerators, dict)
        else {},
    )
