"""Which files of a folder are to be copied to nodes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from skyx_core.errors import NodeError
from skyx_core.node.gitignore import IgnoreFile

LARGE = 256 * 10**6  # bytes, from which a warning is due
_OWN = (".skyxignore", ".skyignore")


@dataclass(frozen=True)
class Selection:
    """``files``: relative paths, sorted; folders (also empty ones) end in ``/``. ``size`` in bytes. ``warnings``: for
    the user. ``rules``: the file that decided, or "".
    """

    files: list[str]
    size: int
    warnings: tuple[str, ...]
    rules: str = ""


def select_files(source: Path) -> Selection:
    """What ``.skyxignore``, else ``.skyignore``, else the ``.gitignore`` files leave of this folder. With
    ``.gitignore``, ``.git`` is left out too. Raises ``NodeError`` naming what can't be read.
    """
    root = os.path.realpath(source)
    walk = _Walk(root)
    try:
        rules = walk.begin()
        walk.enter("", [] if walk.nested or not rules else [("", walk.read(rules))])
    except OSError as error:
        raise NodeError(
            f"{str(source)!r} can't be read", why=f"{error.strerror or error}: {error.filename or source}"
        ) from error
    warnings = []
    if source.is_symlink():
        warnings.append(f"{source} is a link; the folder that it points to, {root}, is copied")
    if walk.size >= LARGE:
        ignore = rules or ".skyxignore"
        warnings.append(
            f"{source} holds {walk.size / 10**6:.0f} MB to be copied to each node; "
            f"leave out with {ignore} what jobs don't need"
        )
    return Selection(sorted(walk.files), walk.size, tuple(warnings), rules)


class _Walk:
    def __init__(self, root: str) -> None:
        self.root = root
        self.files: list[str] = []
        self.size = 0
        self.nested = True  # every folder may have a .gitignore
        self._skip_git = False

    def begin(self) -> str:
        """Find out which rules hold."""
        for name in _OWN:
            if os.path.isfile(os.path.join(self.root, name)):
                self.nested = False
                return name
        self._skip_git = os.path.isfile(os.path.join(self.root, ".gitignore"))
        return ".gitignore" if self._skip_git else ""

    def read(self, path: str) -> IgnoreFile:
        with open(os.path.join(self.root, path), "rb") as file:
            return IgnoreFile(file.read())

    def enter(self, path: str, rules: list[tuple[str, IgnoreFile]]) -> None:
        """Go through one folder; ``path`` is "" or ends in ``/``; the nearest rules come last."""
        with os.scandir(os.path.join(self.root, path)) as listing:
            items = sorted(listing, key=lambda item: item.name)
        if self.nested and any(item.name == ".gitignore" and item.is_file(follow_symlinks=False) for item in items):
            rules = [*rules, (path, self.read(f"{path}.gitignore"))]
        for item in items:
            if item.name == ".git" and self._skip_git:
                continue
            self._take(f"{path}{item.name}", item, rules)

    def _take(self, path: str, item: os.DirEntry[str], rules: list[tuple[str, IgnoreFile]]) -> None:
        folder = item.is_dir(follow_symlinks=False)
        if _ignored(path, folder, rules):
            return
        if folder:
            self.files.append(f"{path}/")
            self.enter(f"{path}/", rules)
            return
        self.files.append(path)
        if item.is_file(follow_symlinks=False):
            try:
                self.size += item.stat(follow_symlinks=False).st_size
            except FileNotFoundError:
                self.files.pop()


def _ignored(path: str, folder: bool, rules: list[tuple[str, IgnoreFile]]) -> bool:
    for base, rule in reversed(rules):
        verdict = rule.verdict(path[len(base) :], folder)
        if verdict is not None:
            return verdict
    return False
