"""Sends logs to clients, follows those that grow, and notes in which order they grew."""

from __future__ import annotations

import os

from skyx_agent import states, values
from skyx_agent.errors import AgentError
from skyx_agent.merged import Merged, streams_of, tail_positions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Mapping

    from skyx_agent.connection import Connection
    from skyx_agent.job import Job
    from skyx_agent.jobqueue import JobQueue
    from skyx_agent.loop import Timer
    from skyx_agent.services import Services
    from skyx_agent.values import Json

FAST_SECONDS = 0.05
SLOW_SECONDS = 1.0


class LogRequest:
    """One ``logs`` request: everything so far, then (``follow``) what comes, until the job has ended."""

    def __init__(self, desk: LogDesk, connection: Connection, data: Mapping[str, object], job: Job) -> None:
        self.job = job
        self._desk = desk
        self._connection = connection
        self._id = data.get("id")
        self._follow = values.flag(data, "follow")
        ranks = frozenset(values.wholes(data, "ranks")) if data.get("ranks") is not None else None
        folder = desk.services.job_dir(job.id)
        offsets = {
            stream: values.whole(values.mapping(data, "offsets"), stream) for stream in values.mapping(data, "offsets")
        }
        if any(offset < 0 for offset in offsets.values()):
            raise AgentError("invalid", "an offset must not be negative")
        if data.get("tail") is not None and not offsets:
            offsets = tail_positions(folder, ranks, max(0, values.whole(data, "tail")))
        self._text = Merged(folder, ranks, offsets)
        self.done = False

    def pump(self) -> None:
        """Send what is there, as long as the client takes it; finish when there is no more to come."""
        if self.done or self._connection.closed:
            self.done = True
            return
        over = self.job.terminal or not self._follow  # seen before the last read, so that nothing is missed
        self._text.look()
        while self._connection.has_room():
            piece = self._text.next()
            if piece is None:
                if over:
                    self._finish()
                return
            self._send(*piece)

    def _send(self, stream: str, offset: int, data: bytes) -> None:
        kind, _, number = stream.rpartition("-")
        node = self._desk.node_name(self.job, kind, int(number))
        chunk: Json = {
            "stream": stream, "rank": int(number), "node": node, "kind": "setup" if kind == "setup" else "run",
            "offset": offset, "length": len(data),
        }  # fmt: skip
        self._connection.send_with_bytes({"id": self._id, "chunk": chunk}, data)

    def more(self) -> None:
        """The client has taken enough to be sent more."""
        self._desk.pump(self)

    def leave(self) -> None:
        if self.more in self._connection.on_room:
            self._connection.on_room.remove(self.more)

    def fail(self, error: Exception) -> None:
        """The log can't be read: say so instead of sending less than there is."""
        found = error if isinstance(error, AgentError) else AgentError("disk", f"the log can't be read: {error}")
        self._connection.send({"id": self._id, "ok": False, "error": found.as_json()})

    def _finish(self) -> None:
        self.done = True
        job = self.job
        self._connection.send(
            {"id": self._id, "ok": True, "done": job.terminal, "status": job.status, "job_id": job.id,
             "exit_codes": job.exit_codes, "reason": job.reason, "offsets": self._text.positions}
        )  # fmt: skip


class LogDesk:
    """All log requests of the agent, and the clock that looks after growing logs."""

    def __init__(self, services: Services, queue: JobQueue) -> None:
        self.services = services
        self._queue = queue
        self._requests: list[LogRequest] = []
        self._sizes: Dict[int, Dict[str, int]] = {}
        self._pause = FAST_SECONDS
        self._timer: Timer | None = None
        queue.listeners.append(self._job_changes)

    def open(self, connection: Connection, data: Mapping[str, object], job: Job) -> None:
        request = LogRequest(self, connection, data, job)
        self._requests.append(request)
        connection.on_room.append(request.more)
        self._sample(job)
        self.pump(request)
        self._wake()

    def node_name(self, job: Job, kind: str, number: int) -> str:
        cluster = self._queue.cluster
        nodes = [] if cluster is None else [node.rank for node in cluster.nodes]
        ranks = nodes if kind == "setup" else [place[0] for place in job.placement]
        rank = ranks[number] if number < len(ranks) else number
        return cluster.node(rank).name if cluster is not None and rank in nodes else f"node{rank}"

    def pump(self, request: LogRequest) -> None:
        try:
            request.pump()
        except (OSError, AgentError) as error:
            request.done = True
            request.fail(error)
        if request.done and request in self._requests:
            self._requests.remove(request)
            request.leave()

    def _job_changes(self, job: Job) -> None:
        """Look later: those who wait for its end shall hear of it first, and a gang can have hundreds of logs."""
        self.services.loop.call_soon(lambda: self._job_changed(job))

    def _job_changed(self, job: Job) -> None:
        self._sample(job)
        if job.terminal:
            self._sizes.pop(job.id, None)
        for request in [one for one in self._requests if one.job.id == job.id]:
            request.job = job
            self.pump(request)
        self._pause = FAST_SECONDS
        self._wake()

    def _wake(self) -> None:
        """Tick fast while somebody reads a running job; slower and slower while logs of many ranks stand still."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if any(not one.job.terminal for one in self._requests):
            self._timer = self.services.loop.call_later(FAST_SECONDS, self._tick)
        elif self._sizes or any(self._worth_noting(job) for job in self._queue.active.values()):
            self._timer = self.services.loop.call_later(self._pause, self._tick)

    def _tick(self) -> None:
        grown = False
        for job in list(self._queue.active.values()):
            grown = self._sample(job) or grown
        for request in list(self._requests):
            self.pump(request)
        self._pause = FAST_SECONDS if grown else min(self._pause * 1.3, SLOW_SECONDS)
        self._wake()

    def _worth_noting(self, job: Job) -> bool:
        return job.num_nodes > 1 and job.status in (states.SETTING_UP, states.RUNNING)

    def _sample(self, job: Job) -> bool:
        """Note in the order file which logs of a many-rank job have grown. A full disk loses order, not text."""
        if job.num_nodes < 2 or not job.placement or (job.terminal and job.id not in self._sizes):
            return False
        folder = self.services.job_dir(job.id)
        known = self._sizes.setdefault(job.id, {})
        lines = []
        for stream in streams_of(folder, None):
            size = folder.size(stream)
            if size > known.get(stream, 0):
                lines.append(f"{stream} {size}\n")
                known[stream] = size
        try:
            _append(folder.order, "".join(lines).encode("ascii"))
        except OSError as error:
            self.services.journal.say(f"job {job.id}: order of its logs not noted: {error.strerror}")
        return bool(lines)


def _append(path: str, data: bytes) -> None:
    if data:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.write(handle, data)
        finally:
            os.close(handle)
