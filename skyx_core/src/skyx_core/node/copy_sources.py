"""What there is to copy, looked at without following any link."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to copy. ``path``: relative, "" = the source itself. ``link``: what a link will point to."""

    path: str
    info: os.stat_result
    link: str | None = None


def walk(root: str, path: str) -> Iterator[Entry]:
    """All entries below ``root``/``path`` (which is "" or ends in a slash), each folder before what it holds."""
    with os.scandir(os.path.join(root, path)) as listing:
        found = sorted(listing, key=lambda item: item.name)
    for item in found:
        try:
            entry = _entry(root, f"{path}{item.name}", item.stat(follow_symlinks=False))
        except FileNotFoundError:
            continue
        yield entry
        if item.is_dir(follow_symlinks=False):
            yield from walk(root, f"{path}{item.name}/")


def listed(root: str, files: Sequence[str]) -> Iterator[Entry]:
    """The listed files, each after the folders above it."""
    seen: set[str] = set()
    for name in files:
        parts = name.rstrip("/").split("/")
        if name.startswith("/") or ".." in parts or not parts[0]:
            raise OSError(errno.EINVAL, "it leads out of the source", name)
        for count in range(1, len(parts) + 1):
            path = "/".join(parts[:count])
            if path in seen:
                continue
            seen.add(path)
            try:
                yield _entry(root, path, os.lstat(os.path.join(root, path)))
            except FileNotFoundError:
                break


def _entry(root: str, path: str, info: os.stat_result) -> Entry:
    return Entry(path, info, os.readlink(os.path.join(root, path)) if stat.S_ISLNK(info.st_mode) else None)


def refusal(root: str, entry: Entry) -> str:
    """Why this can't be copied, or ""."""
    mode = entry.info.st_mode
    full = os.path.join(root, entry.path) if entry.path else root
    if entry.link is not None:
        real = os.path.realpath(full)
        if real != root and not real.startswith(root + "/"):
            return f"the link {entry.path!r} leads out of the folder, to {real}"
        return ""
    if stat.S_ISDIR(mode):
        return "" if os.access(full, os.R_OK | os.X_OK) else f"the folder {entry.path!r} can't be read"
    if not stat.S_ISREG(mode):
        return f"{entry.path or root!r} is a {_KIND.get(stat.S_IFMT(mode), 'special file')}"
    return "" if os.access(full, os.R_OK) else f"{entry.path or root!r} can't be read"


_KIND = {stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket", stat.S_IFBLK: "device", stat.S_IFCHR: "device"}


def link_for(root: str, entry: Entry) -> str:
    """A link that works in the copy as well: absolute ones into the source become relative."""
    link = entry.link or ""
    if not os.path.isabs(link):
        return link
    return os.path.relpath(
        os.path.realpath(os.path.join(root, entry.path)), os.path.dirname(os.path.join(root, entry.path))
    )
