"""Opens the job record; a broken one is moved aside and made again from the job folders."""

from __future__ import annotations

import os

from skyx_agent import states
from skyx_agent.errors import AgentError
from skyx_agent.job import Job, from_row
from skyx_agent.jobdir import JobDir
from skyx_agent.store import BrokenStoreError, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skyx_agent.journal import Journal


def open_store(folder: str, journal: Journal) -> tuple[Store, str]:
    """(store, a note for ``status``: empty unless something had to be repaired)."""
    path = os.path.join(folder, "agent.db")
    jobs = os.path.join(folder, "jobs")
    try:
        missing = not os.path.exists(path)
        store = Store(path)
        if not (missing and _numbers(jobs)):
            return store, ""
        why = "it was missing"
    except BrokenStoreError as error:
        why = str(error)
        aside = _move_aside(path)
        journal.say(f"the job record is damaged ({why}); moved to {aside}")
        store = Store(path)
    restored = _restore(store, jobs, journal)
    note = f"the job record was damaged ({why}) and made again from {restored} job folders"
    journal.say(note)
    return store, note


def _move_aside(path: str) -> str:
    number = 1
    while os.path.exists(f"{path}.broken-{number}"):
        number += 1
    for ending in ("", "-wal", "-shm"):
        if os.path.exists(path + ending):
            os.replace(path + ending, f"{path}.broken-{number}{ending}")
    return f"{path}.broken-{number}"


def _numbers(jobs: str) -> list[int]:
    try:
        return sorted(int(name) for name in os.listdir(jobs) if name.isdigit())
    except FileNotFoundError:
        return []


def _restore(store: Store, jobs: str, journal: Journal) -> int:
    count = 0
    for number in _numbers(jobs):
        try:
            store.restore(_job_of(JobDir(jobs, number)))
            count += 1
        except (AgentError, OSError, ValueError) as error:
            journal.say(f"job {number} can't be restored: {error}")
    return count


def _job_of(folder: JobDir) -> Job:
    """What the folder tells: the final record; else, if it ever began, a running job that is then taken over."""
    row = folder.read_end()
    if row is not None:
        return from_row(row)
    spec = folder.spec()
    job = Job.from_spec(folder.job_id, spec, os.stat(folder.path).st_mtime)
    if not folder.placement():
        return job
    job.placement = folder.placement()
    job.started_at = job.submitted_at
    ran = any(name.startswith("rank-") for name in os.listdir(folder.path))
    job.status = states.RUNNING if ran or spec.setup is None else states.SETTING_UP
    return job
