"""The folder of one job: its spec, scripts, logs, and the marks that its rank processes leave."""

from __future__ import annotations

import json
import os
import time

from skyx_agent.files import make_private_dir, read_bytes, sync_dir, write_durably, write_plainly
from skyx_agent.jobspec import JobSpec, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skyx_agent.job import Job
    from skyx_agent.scheduler import Placement
    from skyx_agent.values import Json

FENCED = b"agent\n"  # in a start mark: the agent took it, the process that comes late must not run
ATTEMPTS = 1000
SMALL_SPEC_BYTES = 32 << 10


class JobDir:
    """Paths and small files below ``jobs/<id>``. ``kind`` is ``setup`` or ``rank``; ``rank`` counts from 0."""

    def __init__(self, root: str, job_id: int) -> None:
        self.path = os.path.join(root, str(job_id))
        self.job_id = job_id

    def create(self, spec: JobSpec) -> bytes | None:
        """Write the spec. Returned bytes are not on the disk for sure: the caller commits them with the record.

        Large specs, and those with secrets, are written durably here, and None is returned. What a submit that was
        cut off left under this number is removed first.
        """
        make_private_dir(self.path)
        for name in os.listdir(self.path):
            os.unlink(os.path.join(self.path, name))
        body = spec.dump()
        if len(body) <= SMALL_SPEC_BYTES and not spec.secrets:
            write_plainly(self._file("spec.json"), body)
            return body
        write_durably(self._file("spec.json"), [body])
        sync_dir(self.path)
        sync_dir(os.path.dirname(self.path))
        return None

    def spec(self, body: bytes | None = None) -> JobSpec:
        """From ``body`` if given, else from the file."""
        return JobSpec(json.loads(read_bytes(self._file("spec.json")) if body is None else body))

    def forget_secrets(self, spec: JobSpec) -> None:
        """The job has ended: its secrets need not stay on the disk."""
        if spec.secrets:
            part = self._file("spec.part")
            write_durably(part, [spec.dump_without_secrets()])
            os.replace(part, self._file("spec.json"))

    def script(self, kind: str, rank: int, spec: JobSpec) -> tuple[str, bytes]:
        """Write a rank's script, byte for byte what was submitted. Returns its path and text."""
        shared = kind == "setup" or not isinstance(spec.run, list)
        text = encode((spec.setup if kind == "setup" else spec.script(rank)) or "", "script")
        path = self._file("setup.sh" if kind == "setup" else "run.sh" if shared else f"run-{rank}.sh")
        write_plainly(path, text, 0o700)
        return path, text

    def log(self, kind: str, rank: int) -> str:
        return self._file(f"{kind}-{rank}.log")

    def exit_mark(self, kind: str, rank: int) -> str:
        return self._file(f"{kind}-{rank}.exit")

    def start_mark(self, kind: str, rank: int, attempt: int) -> str:
        return self._file(f"{kind}-{rank}.started" if attempt == 1 else f"{kind}-{rank}.started-{attempt}")

    @property
    def order(self) -> str:
        return self._file("order")

    def exit_code(self, kind: str, rank: int) -> int | None:
        """What the rank's wrapper recorded; None while there is no whole line."""
        try:
            line = read_bytes(self.exit_mark(kind, rank), 64)
        except OSError:
            return None
        return int(line) if line.endswith(b"\n") and line.strip().isdigit() else None

    def last_start(self, kind: str, rank: int) -> tuple[int, bytes]:
        """(number of the next attempt to make or to adopt, content of its mark; empty = there is no mark)."""
        for attempt in range(1, ATTEMPTS):
            try:
                content = _read_patiently(self.start_mark(kind, rank, attempt))
            except FileNotFoundError:
                return attempt, b""
            if content != FENCED:
                return attempt, content or b"?"
        raise OSError(f"more than {ATTEMPTS} starts of {kind} {rank} of job {self.job_id}")

    def fence(self, kind: str, rank: int, attempt: int) -> bool:
        """Take the start mark, so that a process that was launched but has not begun can't run any more."""
        path = self.start_mark(kind, rank, attempt)
        write_plainly(f"{path}.part", FENCED)
        try:
            os.link(f"{path}.part", path)
        except FileExistsError:
            return False
        finally:
            os.unlink(f"{path}.part")
        return True

    def write_placement(self, placement: Placement) -> None:
        """Which nodes and accelerators the job was given, for the same purpose as ``write_end``."""
        write_plainly(self._file("placement.json"), json.dumps(placement).encode("ascii"))

    def placement(self) -> Placement:
        """Empty if the job never began."""
        try:
            return [(int(rank), list(ids)) for rank, ids in json.loads(read_bytes(self._file("placement.json")))]
        except (OSError, ValueError, TypeError):
            return []

    def write_end(self, job: Job) -> None:
        """The final record beside the logs: lets a lost database be made again."""
        record: Json = {"row": list(job.as_row())}
        write_plainly(self._file("end.json"), json.dumps(record).encode("ascii"))

    def read_end(self) -> tuple[object, ...] | None:
        try:
            row = json.loads(read_bytes(self._file("end.json")))["row"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return (self.job_id, *row)

    def size(self, stream: str) -> int:
        """Bytes in a log; 0 while it doesn't exist."""
        try:
            return os.stat(self._file(f"{stream}.log")).st_size
        except OSError:
            return 0

    def stream_path(self, stream: str) -> str:
        return self._file(f"{stream}.log")

    def _file(self, name: str) -> str:
        return os.path.join(self.path, name)


def _read_patiently(path: str) -> bytes:
    """A wrapper makes its mark and then writes it: wait a moment (0.5 s at most) for the content of an empty one."""
    for _ in range(100):
        content = read_bytes(path, 4096)
        if content.endswith(b"\n"):
            return content
        time.sleep(0.005)
    return content
