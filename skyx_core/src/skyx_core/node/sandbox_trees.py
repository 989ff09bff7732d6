"""Deleting folders, whatever jobs have done to them."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def delete_tree(path: Path) -> list[str]:
    """Delete a folder, also below folders that a job made unreadable. Returns what couldn't be deleted and why."""
    for attempt in (1, 2):
        failures: list[str] = []

        _remove_tree(path, failures)
        if not failures:
            return []
        if attempt == 1:
            _open_folders(path)
    return failures[:5]


def _remove_tree(path: Path, failures: list[str]) -> None:
    def note(_: object, name: str, error: BaseException) -> None:
        if not isinstance(error, FileNotFoundError):
            failures.append(f"{name}: {error}")

    if sys.version_info >= (3, 12):
        shutil.rmtree(path, onexc=note)
    else:
        shutil.rmtree(path, onerror=lambda function, name, info: note(function, name, info[1]))


def _open_folders(path: Path) -> None:
    for folder, folders, _ in os.walk(path):
        for name in [".", *folders]:
            target = os.path.join(folder, name)
            if not os.path.islink(target):
                try:
                    os.chmod(target, 0o700)
                except OSError:
                    continue
