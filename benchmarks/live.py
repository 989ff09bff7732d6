"""A live cluster on this machine, driven from Python, as an embedder drives it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.places import Scratch

if TYPE_CHECKING:
    from skyx_core import Session, Task

LIMIT_S = 120.0
FULL = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"


@dataclass(frozen=True)
class Live:
    """``name``: of a cluster that is up; ``env``: what a ``skyx`` process needs to see it."""

    session: Session
    name: str
    env: Mapping[str, str]
    task: Task

    def job(self, script: str, *, nodes: int = 1, **fields: object) -> Task:
        """A task to run on it."""
        changes = {"run": script, "num_nodes": nodes, **fields}
        return self.task.model_copy(update=changes)

    def run(self, task: Task) -> str:
        """Submit, and wait until its end is recorded; returns its state. 120 s at most."""
        job = self.session.exec(self.name, task)
        assert job.job_id is not None
        return self.session.wait(self.name, job.job_id, LIMIT_S).status

    @property
    def head(self) -> Path:
        """The agent's folder on the head."""
        [found] = (Path(self.env["SKYX_HOME"]) / "data" / "local" / "nodes").glob("*/home/.skyx/agent")
        return found

    def agent(self) -> Mapping[str, int]:
        """``pid`` and ``supervisor_pid``."""
        found: Mapping[str, int] = json.loads((self.head / "agent.json").read_text())
        return found


@contextmanager
def live(scratch: Scratch, user: str, *, nodes: int = 1, settings: str = "", resources: str = "") -> Iterator[Live]:
    """Up for the block; taken down at its end. ``resources``: YAML of the task's resources."""
    from skyx_core import Session
    from skyx_core.task import loads

    env = scratch.environ(user)
    if settings:
        scratch.settings(user, settings)
    text = f"num_nodes: {nodes}\nresources: {{infra: local{', ' + resources if resources else ''}}}\n"
    task = loads(text, file="benchmark").tasks[0]
    with Session(environ=env, cwd=scratch.folder("work")) as session:
        try:
            session.launch(task, cluster="bench")
            yield Live(session, "bench", env, task)
        finally:
            session.down(["bench"])


@contextmanager
def durable(path: Path) -> Iterator[sqlite3.Connection]:
    """A database whose every commit is on the disk when it returns: what our own record does, at its least."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript(f"{FULL}; CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY, state TEXT)")
        yield db


def bare_job(db: sqlite3.Connection, argv: list[str], log: Path) -> None:
    """The floor of a job: record it durably, run it with its output in a file, record its end durably."""
    row = db.execute("INSERT INTO jobs (state) VALUES ('RUNNING')").lastrowid
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    actions = [(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)]
    pid = os.posix_spawn(argv[0], argv, {"PATH": "/usr/bin:/bin"}, file_actions=actions)
    os.waitpid(pid, 0)
    os.close(out)
    db.execute("UPDATE jobs SET state = 'SUCCEEDED' WHERE id = ?", (row,))


def stop_agent(live: Live) -> None:
    """End the agent and its supervisor, as a power cut would; the next contact starts them again."""
    pids = live.agent()
    live.session.close()
    for key in ("supervisor_pid", "pid"):
        with suppress(ProcessLookupError):
            os.kill(pids[key], signal.SIGKILL)
    end = time.monotonic() + 10
    while any(Path(f"/proc/{pids[key]}/exe").exists() for key in ("supervisor_pid", "pid")):
        assert time.monotonic() < end, "the agent did not end"
        time.sleep(0.01)


def add_history(live: Live, count: int) -> None:
    """``count`` jobs that have ended, put into the record of an agent that does not run."""
    last = "SELECT COALESCE(MAX(id), 0) FROM jobs"
    with closing(sqlite3.connect(live.head / "agent.db")) as db:
        begin = int(db.execute(last).fetchone()[0])
        columns = [str(row[1]) for row in db.execute("PRAGMA table_info(jobs)")]
        model = dict(zip(columns, db.execute("SELECT * FROM jobs WHERE status = 'SUCCEEDED'").fetchone(), strict=True))
        marks = ", ".join("?" * len(columns))
        rows = ({**model, "id": begin + n, "submit_id": f"made-{n}"} for n in range(1, count + 1))
        db.executemany(f"INSERT INTO jobs VALUES ({marks})", (tuple(row.values()) for row in rows))
        db.commit()


def descendants_of(pid: int) -> list[int]:
    """It and everything below it."""
    out = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True, timeout=10).stdout
    parents = [tuple(map(int, line.split())) for line in out.splitlines()]
    found = [pid]
    for one in found:
        found += [child for child, parent in parents if parent == one]
    return found
