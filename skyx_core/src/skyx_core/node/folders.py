"""Folders and files that only their owner may enter or read, whatever this process's umask."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def private_folder(folder: Path) -> None:
    """Make it, and what is missing above it, with mode 0700; one that exists is left as it is. Raises ``OSError``."""
    try:
        os.mkdir(folder, 0o700)
    except FileNotFoundError:
        private_folder(folder.parent)
        private_folder(folder)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        os.chmod(folder, 0o700)


def private_file(path: Path) -> int:
    """Open for reading and writing, made with mode 0600 if it is missing. Raises ``OSError``."""
    for _ in range(2):
        with contextlib.suppress(FileNotFoundError):
            return os.open(path, os.O_RDWR | os.O_CLOEXEC)
        part = path.with_name(f".skyx-part-{secrets.token_hex(6)}")  # nobody may see it before its mode is right
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.fchmod(descriptor, 0o600)
            with contextlib.suppress(OSError):  # another was first, or no links here
                os.link(part, path)
        finally:
            os.close(descriptor)
            os.unlink(part)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
