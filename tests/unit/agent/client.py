"""A small client of the agent's protocol and a way to run real agents, for tests."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import skyx_agent

PACKAGE = Path(skyx_agent.__file__).parent
T = TypeVar("T")
PYTHON = [sys.executable, "-S", "-E"]


class AgentRefusal(Exception):
    def __init__(self, error: dict[str, str]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]
        self.hint = error["hint"]


class Client:
    """Blocking. ``ask`` returns the answer or raises ``AgentRefusal``."""

    def __init__(self, path: str, timeout: float = 30.0, hello: bool = True) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(timeout)
        self.sock.connect(path)
        self._buffer = b""
        self._number = 0
        line = self._until(b"\n", self._until(b"\nSKYX-AGENT 1 ", b"")[:0])
        self.version = line.strip().decode()
        if hello:
            self.hello = self.ask("hello", protocols=[1], client="test")

    def _until(self, mark: bytes, seen: bytes) -> bytes:
        while not seen.endswith(mark):
            seen += self._exactly(1)
        return seen

    def _exactly(self, count: int) -> bytes:
        while len(self._buffer) < count:
            data = self.sock.recv(1 << 16)
            if not data:
                raise EOFError
            self._buffer += data
        found, self._buffer = self._buffer[:count], self._buffer[count:]
        return found

    def read(self) -> tuple[bytes, bytes]:
        kind, size = struct.unpack(">cI", self._exactly(5))
        return kind, self._exactly(size)

    def post(self, op: str, **fields: Any) -> int:
        self._number += 1
        body = json.dumps({"op": op, "id": self._number, **fields}).encode()
        self.sock.sendall(struct.pack(">cI", b"J", len(body)) + body)
        return self._number

    def answer(self) -> dict[str, Any]:
        kind, body = self.read()
        assert kind == b"J"
        found: dict[str, Any] = json.loads(body)
        if "error" in found:
            raise AgentRefusal(found["error"])
        return found

    def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        self.post(op, **fields)
        return self.answer()

    def submit(self, run: Any = None, **fields: Any) -> int:
        fields.setdefault("submit_id", os.urandom(8).hex())
        fields.setdefault("task_id", "task-1")
        number: int = self.ask("submit", job={"run": run, **fields})["job_id"]
        return number

    def wait(self, job_id: int, timeout: float = 20.0) -> dict[str, Any]:
        found = self.ask("wait", job_id=job_id, timeout=timeout)
        assert found["done"], found
        job: dict[str, Any] = found["job"]
        return job

    def chunks(self, job_id: int | None = None, **fields: Any) -> Iterator[tuple[dict[str, Any], bytes]]:
        """(chunk, bytes) pairs, then (the answer, b"")."""
        self.post("logs", job_id=job_id, **fields)
        while True:
            found = self.answer()
            if "chunk" not in found:
                yield found, b""
                return
            kind, data = self.read()
            assert kind == b"B"
            assert len(data) == found["chunk"]["length"] < 65536
            yield found["chunk"], data

    def text(self, job_id: int | None = None, **fields: Any) -> str:
        return b"".join(data for _, data in self.chunks(job_id, **fields)).decode("utf-8", "replace")

    def close(self) -> None:
        self.sock.close()


class Head:
    """A folder with an agent, and nodes whose homes lie beside it."""

    def __init__(self, root: Path, env: dict[str, str] | None = None) -> None:
        self.root = root
        self.dir = root / "agent"
        self.clock = root / "clock"
        self.clock.write_text("0")
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "XDG_RUNTIME_DIR": str(root),
            **(env or {}),
        }
        self.info: dict[str, Any] = {}
        self.clients: list[Client] = []

    def serve(self, program: list[str] | None = None, /, **env: str) -> dict[str, Any]:
        argv = program or [*PYTHON, str(PACKAGE)]
        done = subprocess.run(
            [*argv, "serve", "--dir", str(self.dir)],
            env={**self.env, **env},
            capture_output=True,
            timeout=30,
            check=False,
        )
        self.info = json.loads(done.stdout)
        return self.info

    def client(self, **options: Any) -> Client:
        path = json.loads((self.dir / "agent.json").read_text())["socket"]
        self.clients.append(Client(path, **options))
        return self.clients[-1]

    def cluster(self, nodes: int = 1, gpus: Any = None, **fields: Any) -> dict[str, Any]:
        homes = [self.root / f"home{rank}" for rank in range(nodes)]
        for home in homes:
            home.mkdir(exist_ok=True)
        listed = [
            {
                "rank": rank, "node": "head" if rank == 0 else f"worker{rank}", "address": f"127.9.0.{rank + 1}",
                "home": str(home), "env": {}, "gpus": gpus, "cpus": 1,
            }
            for rank, home in enumerate(homes)
        ]  # fmt: skip
        place = {"name": "c", "uid": f"uid-{self.root.name}", "cloud": "local", "region": "here", "zone": None}
        return {**place, "nodes": listed, "watch_ssh": False, **fields}

    def up(self, nodes: int = 1, gpus: Any = None, serve_env: dict[str, str] | None = None, **fields: Any) -> Client:
        """Agent started, cluster configured; the client of it."""
        self.serve(None, **(serve_env or {}))
        client = self.client()
        client.ask("configure", cluster=self.cluster(nodes, gpus, **fields))
        return client

    def again(self, nodes: int = 1, gpus: Any = None, **fields: Any) -> Client:
        """Like ``up``, on an agent that may serve already: its jobs are ended and the nodes' homes are emptied."""
        if not self.info:
            return self.up(nodes, gpus, **fields)
        client = self.client()
        client.ask("cancel", all=True)
        for home in self.root.glob("home*"):
            shutil.rmtree(home)
        client.ask("configure", cluster=self.cluster(nodes, gpus, **fields))
        return client

    def advance(self, seconds: float) -> None:
        """Move the agent's clock (it must have been started with SKYX_TEST_CLOCK=head.clock)."""
        part = self.clock.with_suffix(".part")
        part.write_text(str(float(self.clock.read_text()) + seconds))
        part.replace(self.clock)

    def agent_pid(self) -> int:
        return int(json.loads((self.dir / "agent.json").read_text())["pid"])

    def reconnect(self, old_pid: int = 0, timeout: float = 15.0) -> Client:
        """A client of the agent that was started after ``old_pid``."""

        def fresh() -> Client | None:
            try:
                return self.client() if self.agent_pid() != old_pid else None
            except (OSError, EOFError):
                return None

        found = eventually(fresh, timeout)
        assert found is not None
        return found

    def kill_agent(self, with_supervisor: bool = False) -> int:
        info = json.loads((self.dir / "agent.json").read_text())
        if with_supervisor:
            os.kill(info["supervisor_pid"], signal.SIGKILL)
        kill(info["pid"])
        return int(info["pid"])

    def _last_client(self) -> Client | None:
        """None while a supervisor is just starting the agent again; raises when there never was one."""
        try:
            return self.client(timeout=15.0)
        except (ConnectionError, EOFError):
            return None

    def end(self) -> None:
        """End every process of this head."""
        for client in self.clients:
            client.close()
        with contextlib.suppress(OSError, EOFError, AgentRefusal):
            found = eventually(self._last_client, 6.0)
            if found:
                found.ask("shutdown", kill_jobs=True)
        info = self.info if "pid" in self.info else {}
        info = json.loads((self.dir / "agent.json").read_text()) if (self.dir / "agent.json").exists() else info
        pids = [int(info[key]) for key in ("supervisor_pid", "pid") if key in info]
        eventually(lambda: not any(lives(pid) for pid in pids), 5.0)
        for pid in marked(f"uid-{self.root.name}:"):
            kill(pid)


def eventually(look: Callable[[], T], timeout: float = 10.0) -> T:
    """The first true answer, or the last one after ``timeout`` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        found = look()
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.01)


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return False


def marked(prefix: str) -> list[int]:
    """Living processes whose job marker begins with ``prefix``."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                variables = (entry / "environ").read_bytes()
            except OSError:
                continue
            if f"SKYX_JOB_MARKER={prefix}".encode() in variables and lives(int(entry.name)):
                found.append(int(entry.name))
    return found
