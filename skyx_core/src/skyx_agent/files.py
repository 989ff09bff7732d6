"""Owner-only files, written so that a crash leaves the old or the new content."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable


def make_private_dir(path: str) -> None:
    """Make ``path`` (0700) if missing. Raises ``PermissionError`` if it belongs to somebody else."""
    os.makedirs(path, mode=0o700, exist_ok=True)
    found = os.stat(path, follow_symlinks=False)
    if (found.st_mode & 0o170000) != 0o040000 or found.st_uid != os.getuid():
        raise PermissionError(13, "not a folder of this user", path)
    if found.st_mode & 0o077:
        os.chmod(path, 0o700)


def write_durably(path: str, parts: Iterable[bytes]) -> None:
    """Write and fsync one new file, 0600."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        for part in parts:
            write_all(handle, part)
        os.fsync(handle)
    finally:
        os.close(handle)


def write_plainly(path: str, data: bytes, mode: int = 0o600) -> None:
    """Write one file without waiting for the disk: for what can be made again."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        write_all(handle, data)
    finally:
        os.close(handle)


def write_atomically(path: str, data: bytes) -> None:
    """Replace ``path`` by ``data``; readers see the old or the new, also after a power cut."""
    part = f"{path}.{os.getpid()}.part"
    write_durably(part, [data])
    os.replace(part, path)
    sync_dir(os.path.dirname(path))


def sync_dir(path: str) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def read_bytes(path: str, limit: int = 1 << 30) -> bytes:
    with open(path, "rb") as stream:
        return stream.read(limit)
