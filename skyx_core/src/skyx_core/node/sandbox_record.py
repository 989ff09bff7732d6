"""What is known of one sandbox, and the files that hold it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from skyx_core.clock import Clock
from skyx_core.errors import NodeError
from skyx_core.node.folders import private_file, private_folder
from skyx_core.node.runner import NodeLostError

MARKER = "SKYX_SANDBOX"  # in the environment of every process of a sandbox; its value is the sandbox's folder
RECORD = "node.json"
RUNNING = "running"
STOPPED = "stopped"
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LIMIT = 64 * 1024


@dataclass(frozen=True)
class SandboxSpec:
    """What a new sandbox is made from. ``id`` names its folder; ``gpus`` are ids of devices on this machine."""

    id: str
    cluster_uid: str
    name: str = ""  # of the cluster
    rank: int = 0
    address: str = ""
    intent: str = ""
    owner: str = ""
    cpus: float = 0
    memory_gb: float = 0
    gpus: dict[str, float] = field(default_factory=dict)  # device id -> share of it
    tags: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sandbox(SandboxSpec):
    """A sandbox that exists. ``state`` is that of now: after a reboot of the machine all read as stopped."""

    folder: Path = Path()
    state: str = RUNNING
    boot_id: str = ""

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def running(self) -> bool:
        return self.state == RUNNING

    def env(self) -> dict[str, str]:
        """The whole environment of a process in this sandbox; nothing of the caller's."""
        return sandbox_env(self.folder)


def sandbox_env(folder: Path) -> dict[str, str]:
    """See ``Sandbox.env``."""
    import pwd

    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a user id without an entry, as in some containers
        user = str(os.getuid())
    return {
        "HOME": str(folder / "home"),
        "PATH": f"{folder}/home/.local/bin:{folder}/python/bin:{_SYSTEM_PATH}",
        "USER": user,
        "LOGNAME": user,
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        MARKER: str(folder),
    }


def boot_id() -> str:
    """Changes when the machine is booted."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def read_record(folder: Path, boot: str) -> Sandbox | None:
    """The sandbox in this folder; None where there is none; ``NodeError`` when its record can't be understood."""
    try:
        with (folder / RECORD).open("rb") as file:
            raw = file.read(_LIMIT + 1)
        return _parse(folder, raw, boot)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise NodeError("the record of a sandbox can't be read", where=str(folder / RECORD), why=str(error)) from error
    except (ValueError, TypeError, KeyError) as error:
        raise NodeLostError(
            "the record of a sandbox is damaged",
            where=str(folder / RECORD),
            why=str(error) or type(error).__name__,
            hint="take the cluster down; its files are in the folder 'home' beside the record",
        ) from error


_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "dict[str, float]": dict,
    "dict[str, str]": dict,
}
_STORED = tuple(f for f in fields(Sandbox) if f.name != "folder")


def _parse(folder: Path, raw: bytes, boot: str) -> Sandbox:
    if len(raw) > _LIMIT:
        raise ValueError("it is too long")
    data = json.loads(raw)
    values = {f.name: data[f.name] for f in _STORED}
    for f in _STORED:
        if not isinstance(values[f.name], _KINDS[str(f.type)]):
            raise TypeError(f"{f.name} is {values[f.name]!r}")
    if values["boot_id"] != boot:
        values["state"] = STOPPED
    return Sandbox(folder=folder, **values)


def write_record(sandbox: Sandbox) -> None:
    """Whole or not at all. Raises ``OSError``."""
    data = asdict(sandbox)
    del data["folder"]
    write_whole(sandbox.folder / RECORD, json.dumps(data).encode(), mode=0o600)


def write_whole(path: Path, data: bytes, *, mode: int) -> None:
    """Replace one file whole or not at all; a full disk leaves what was there. Raises ``OSError``."""
    part = path.with_name(f".skyx-part-{secrets.token_hex(6)}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb", closefd=True) as file:
            os.fchmod(file.fileno(), mode)
            file.write(data)
        os.rename(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def locked(path: Path, clock: Clock, limit: float) -> Iterator[None]:
    """Hold the lock file ``path`` (made if missing, its folder too); ``NodeError`` after ``limit`` seconds. The
    operating system drops it when its process ends.
    """
    try:
        private_folder(path.parent)
        descriptor = private_file(path)
    except OSError as error:
        raise NodeError("the sandboxes can't be locked", where=str(path), why=error.strerror or str(error)) from error
    try:
        end = clock.monotonic() + limit
        while not try_lock(descriptor):
            if clock.monotonic() > end:
                raise NodeError(
                    "another process is changing the sandboxes", where=str(path), hint="wait for it and try again"
                )
            clock.sleep(0.02)
        yield
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Take an exclusive lock on an open file, or return False at once."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EINTR):
            return False
        raise
    return True
