"""The socket, and what each operation of the protocol does."""

from __future__ import annotations

import os
import socket
import stat

from skyx_agent import VERSION, protocol, values
from skyx_agent.cluster import Cluster
from skyx_agent.connection import Connection
from skyx_agent.errors import AgentError
from skyx_agent.files import make_private_dir
from skyx_agent.loop import READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict

    from skyx_agent.agent import Agent
    from skyx_agent.job import Job
    from skyx_agent.values import Json

MAX_CONNECTIONS = 256
MAX_WAIT_SECONDS = 3600.0
DEFAULT_LISTING = 1000


class Server:
    """Accepts clients. An operation answers at once, or keeps the connection and answers later."""

    def __init__(self, agent: Agent, path: str) -> None:
        self._agent = agent
        self._path = path
        self._connections: set[Connection] = set()
        self._listener = bind(path)
        self._retired = False
        self._operations: Dict[str, Callable[[Connection, Json], Json | None]] = {
            "configure": self._configure, "submit": self._submit, "queue": self._queue, "job": self._job,
            "wait": self._wait, "cancel": self._cancel, "logs": self._logs, "autostop": self._autostop,
            "touch": self._touch, "hold": self._hold, "status": self._status, "shutdown": self._shutdown,
            "upgrade": self._upgrade,
        }  # fmt: skip
        agent.services.loop.watch(self._listener.fileno(), READ, self._accept)

    def rebind(self) -> None:
        """Make the socket anew: its file may have been swept away."""
        if self._retired:
            return
        make_private_dir(os.path.dirname(self._path))
        listener = bind(self._path)
        self._agent.services.loop.forget(self._listener.fileno())
        self._listener.close()
        self._listener = listener
        self._agent.services.loop.watch(self._listener.fileno(), READ, self._accept)

    def retire(self) -> None:
        """Take no new clients: whoever starts the cluster again must not meet an agent that is about to end."""
        if self._retired:
            return
        self._retired = True
        self._agent.services.loop.forget(self._listener.fileno())
        self._listener.close()
        try:
            os.unlink(self._path)
        except OSError:
            return

    def close(self) -> None:
        for connection in list(self._connections):
            connection.close()
        if self._retired:
            return
        self._listener.close()
        try:
            os.unlink(self._path)
        except OSError:
            return

    def _accept(self, _events: int) -> None:
        try:
            sock, _ = self._listener.accept()
        except OSError:
            return
        if len(self._connections) >= MAX_CONNECTIONS:
            sock.close()
            return
        connection = Connection(self._agent.services.loop, sock, self._message)
        self._connections.add(connection)
        connection.on_close.append(lambda: self._connections.discard(connection))

    def _message(self, connection: Connection, message: Json) -> None:
        number = message.get("id")
        try:
            answer = self._dispatch(connection, message)
        except AgentError as error:
            connection.send({"id": number, "ok": False, "error": error.as_json()})
        except Exception as error:
            self._agent.services.journal.crash(f"operation {message.get('op')!r:.40}")
            found = AgentError("internal", f"the agent failed: {type(error).__name__}", "see agent.log on the head")
            connection.send({"id": number, "ok": False, "error": found.as_json()})
        else:
            if answer is not None:
                connection.send({"id": number, "ok": True, **answer})

    def _dispatch(self, connection: Connection, message: Json) -> Json | None:
        name = values.text(message, "op")
        if name == "hello":
            return self._hello(connection, message)
        if not connection.greeted:
            raise AgentError("no_hello", "the first frame must be a hello")
        operation = self._operations.get(name)
        if operation is None:
            raise AgentError("unknown_op", f"this agent ({VERSION}) has no operation {name[:40]!r}", "update the agent")
        return operation(connection, message)

    def _hello(self, connection: Connection, message: Json) -> Json:
        if protocol.PROTOCOL not in values.wholes(message, "protocols"):
            raise AgentError(
                "protocol", f"this agent ({VERSION}) speaks protocol {protocol.PROTOCOL} only", "update the older side"
            )
        connection.accept_greeting()
        cluster = self._agent.queue.cluster
        return {"protocol": protocol.PROTOCOL, "version": VERSION, "cluster": cluster.uid if cluster else None}

    # -- jobs ----------------------------------------------------------------------------------------------------

    def _configure(self, _connection: Connection, message: Json) -> Json:
        self._agent.configure(Cluster(values.mapping(message, "cluster")))
        return {}

    def _submit(self, _connection: Connection, message: Json) -> Json:
        self._agent.autostop.refuse_if_stopping()
        return {"job_id": self._agent.queue.submit(values.mapping(message, "job"))}

    def _queue(self, _connection: Connection, message: Json) -> Json:
        limit = max(0, values.whole(message, "limit", DEFAULT_LISTING))
        jobs = self._agent.queue.listing(limit, values.whole(message, "since", 0))
        return {"jobs": [self._agent.queue.describe(job) for job in jobs]}

    def _find(self, message: Json) -> Job:
        number = None if message.get("job_id") is None else values.job_number(message, "job_id")
        return self._agent.queue.find(number)

    def _job(self, _connection: Connection, message: Json) -> Json:
        return {"job": self._agent.queue.describe(self._find(message))}

    def _wait(self, connection: Connection, message: Json) -> Json | None:
        job = self._find(message)
        timeout = min(max(0.0, values.number(message, "timeout", MAX_WAIT_SECONDS)), MAX_WAIT_SECONDS)
        self._agent.when_ended([job], timeout, lambda: self._answer_wait(connection, message, job.id))
        return None

    def _answer_wait(self, connection: Connection, message: Json, job_id: int) -> None:
        job = self._agent.queue.find(job_id)
        answer = {"done": job.terminal, "job": self._agent.queue.describe(job)}
        connection.send({"id": message.get("id"), "ok": True, **answer})

    def _cancel(self, connection: Connection, message: Json) -> Json | None:
        wanted, unknown = self._chosen(message)
        cancelled = [job for job in wanted if not job.terminal]
        answer: Json = {
            "id": message.get("id"), "ok": True, "cancelled": [job.id for job in cancelled],
            "already_done": [job.id for job in wanted if job.terminal], "unknown": unknown,
        }  # fmt: skip
        for job in cancelled:
            self._agent.queue.cancel(job)
        self._agent.when_ended(cancelled, MAX_WAIT_SECONDS, lambda: connection.send(answer))
        return None

    def _chosen(self, message: Json) -> tuple[list[Job], list[int]]:
        queue = self._agent.queue
        if values.flag(message, "all"):
            return list(queue.active.values()), []
        if values.flag(message, "latest"):
            return [queue.find(max(queue.active, default=None))], []
        found, unknown = [], []
        for number in dict.fromkeys(values.job_numbers(message, "jobs")):
            try:
                found.append(queue.find(number))
            except AgentError:
                unknown.append(number)
        return found, unknown

    def _logs(self, connection: Connection, message: Json) -> Json | None:
        self._agent.desk.open(connection, message, self._find(message))
        return None

    # -- the cluster ---------------------------------------------------------------------------------------------

    def _autostop(self, _connection: Connection, message: Json) -> Json:
        if message.get("set") is not None:
            self._agent.autostop.set(values.mapping(message, "set"))
        elif values.flag(message, "cancel"):
            self._agent.autostop.cancel()
        return {"autostop": self._agent.autostop.describe()}

    def _touch(self, _connection: Connection, _message: Json) -> Json:
        self._agent.autostop.touch()
        return {}

    def _hold(self, connection: Connection, _message: Json) -> Json:
        self._agent.autostop.holds += 1
        connection.on_close.append(self._let_go)
        return {}

    def _let_go(self) -> None:
        self._agent.autostop.holds -= 1
        self._agent.autostop.touch()

    def _status(self, _connection: Connection, _message: Json) -> Json:
        return self._agent.status()

    def _shutdown(self, connection: Connection, message: Json) -> Json | None:
        def answer() -> None:
            self.retire()
            connection.send({"id": message.get("id"), "ok": True})

        self._agent.shut_down(values.flag(message, "kill_jobs"), answer)
        return None

    def _upgrade(self, connection: Connection, message: Json) -> Json | None:
        self._agent.upgrade(values.words(message, "argv"))
        connection.send({"id": message.get("id"), "ok": True})
        return None


def bind(path: str) -> socket.socket:
    """A listening socket that only this user may use; a dead one of the same name is replaced."""
    try:
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            os.unlink(path)
    except FileNotFoundError:
        pass
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    previous = os.umask(0o177)
    try:
        listener.bind(path)
    finally:
        os.umask(previous)
    listener.listen(64)
    listener.setblocking(False)
    return listener
