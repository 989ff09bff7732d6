"""The installed ``skyx`` as a process, with folders of its own, and what it left on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from skyx_core import Session

SKYX = str(Path(sys.executable).parent / "skyx")
LIMIT_S = 90


@dataclass(frozen=True)
class Result:
    """How one command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self):  # type: ignore[no-untyped-def]
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    def records(self) -> list[dict[str, object]]:
        """NDJSON."""
        return [json.loads(line) for line in self.lines]


@dataclass
class Cli:
    """One user: state folder, ledger and current directory. ``environ``: all that the program sees."""

    root: Path
    extra: dict[str, str] = field(default_factory=dict)
    home: Path = field(init=False)
    ledger: Path = field(init=False)
    cwd: Path = field(init=False)

    def __post_init__(self) -> None:
        self.home, self.ledger, self.cwd = self.root / "skyx", self.root / "ledger", self.root / "work"
        self.cwd.mkdir(parents=True, exist_ok=True)

    @property
    def environ(self) -> dict[str, str]:
        return {
            "PATH": f"{Path(SKYX).parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.root),
            "LANG": "C.UTF-8",
            "SKYX_HOME": str(self.home),
            "SKYX_LOCAL_LEDGER": str(self.ledger),
            **self.extra,
        }

    def start(
        self, *args: object, env: Mapping[str, str] | None = None, stdin: bytes | None = None
    ) -> subprocess.Popen:
        """Begin a command in a session of its own, so that a signal sent to it reaches nobody else."""
        process = subprocess.Popen(
            [SKYX, *map(str, args)],
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**self.environ, **(env or {})},
            cwd=self.cwd,
            start_new_session=True,
        )
        if stdin is not None and process.stdin is not None:
            process.stdin.write(stdin)
            process.stdin.close()
            process.stdin = None
        return process

    def run(
        self,
        *args: object,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        code: int | None = None,
        limit: float = LIMIT_S,
    ) -> Result:
        """To the end; ``code``: what it must end with. Never may a traceback be shown."""
        result = finish(self.start(*args, env=env, stdin=stdin), limit)
        assert "Traceback (most recent call last)" not in result.err, result.err
        if code is not None:
            assert result.code == code, f"skyx {' '.join(map(str, args))} ended with {result.code}: {result.err}"
        return result

    def ok(self, *args: object, **options) -> Result:  # type: ignore[no-untyped-def]
        return self.run(*args, code=0, **options)

    def write(self, name: str, text: str | bytes) -> Path:
        """A file in the current directory."""
        path = self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def settings(self, text: str) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "config.yaml").write_text(text)

    def session(self, **options: object) -> Session:
        """The same user from Python."""
        return Session(environ=self.environ, cwd=self.cwd, **options)  # type: ignore[arg-type]

    def nodes(self) -> list[str]:
        """Ids of the sandboxes that are there, half-made ones too."""
        folder = self.home / "data" / "local" / "nodes"
        return sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []

    def claims(self) -> list[str]:
        return sorted(path.name for path in self.ledger.glob("*.json")) if self.ledger.is_dir() else []

    def left(self) -> list[str]:
        """Everything of this user's nodes that exists: folders, claims, processes."""
        return [*self.nodes(), *self.claims(), *(f"pid {pid}" for pid in node_processes(self.root))]

    def nothing_made(self) -> bool:
        return not self.nodes() and not self.claims() and not self.clusters()

    def clusters(self) -> list[str]:
        with self.session() as session:
            return [info.name for info in session.status().clusters]

    def clear(self) -> None:
        """Take everything down, in this process; raises if that can't be done."""
        with self.session() as session:
            for result in session.down(all=True, wait=20):
                assert not result.error, result.error


def finish(process: subprocess.Popen, limit: float = LIMIT_S) -> Result:
    """Wait for it; killed when it takes longer."""
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"{process.args} took more than {limit} s:\n{out!r}\n{err.decode()}") from None
    return Result(process.returncode, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "replace"))


def wait_for(condition: Callable[[], object], limit: float = 20, what: str = "it") -> None:
    """Poll until it holds, or fail."""
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, f"{what} did not come about within {limit} s"
        time.sleep(0.02)


def node_processes(below: Path) -> Iterator[int]:
    """Processes of sandboxes whose folder is below this one, by the marker in their environment."""
    marker = f"SKYX_SANDBOX={below}/".encode()
    for name in os.listdir("/proc"):
        if name.isdecimal() and int(name) != os.getpid():
            with suppress(OSError):
                environ = Path(f"/proc/{name}/environ").read_bytes()
                if any(entry.startswith(marker) for entry in environ.split(b"\0")):
                    yield int(name)


def reader(process: subprocess.Popen, stream: str = "stdout") -> Callable[[], bytes]:
    """What a running command has written so far, without waiting."""
    pipe = getattr(process, stream)
    os.set_blocking(pipe.fileno(), False)
    seen = bytearray()

    def read() -> bytes:
        with suppress(BlockingIOError):
            while chunk := os.read(pipe.fileno(), 65536):
                seen.extend(chunk)
        return bytes(seen)

    return read
