"""Copying trees of files into and out of a sandbox, without any tool.

First everything is looked at and refused by name what can't be copied, then the copying begins. A file is written
beside its place and renamed, so that no half of one is ever seen; nothing is ever deleted.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from skyx_core.errors import NodeError
from skyx_core.node.copy_sources import Entry, link_for, listed, refusal, walk
from skyx_core.node.folders import private_folder

_NAMED = 5  # of many refused entries, so many are named
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def os_error_as_node_error(what: str, node: str) -> Iterator[None]:
    """Turn an ``OSError`` inside into one clear ``NodeError``."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        hint = "make room and run the same command again; what was copied is kept" if error.errno in _NO_SPACE else ""
        name = f": {error.filename}" if error.filename else ""
        raise NodeError(what, where=node, why=f"{why}{name}", hint=hint) from error


class CopyPlan:
    """What is to be copied, all of it checked. ``confine``: a folder that nothing may be written outside of."""

    def __init__(self, source: str, target: str, entries: list[Entry], node: str, confine: str | None) -> None:
        self.source = source
        self.target = target
        self.entries = entries
        self._node = node
        self._confine = confine
        self._checked: set[str] = set()
        self._keep_top = False

    @classmethod
    def make(
        cls,
        source: Path,
        target: Path,
        files: Sequence[str] | None,
        *,
        node: str,
        confine: Path | None,
        exclude: Path | None = None,
    ) -> CopyPlan:
        """Look at everything. Raises ``NodeError`` naming what is unreadable, special, or leads out of ``source``.
        What is in ``exclude`` is passed over.
        """
        real = os.path.realpath(source)
        entries = _entries(source, real, files, node)
        hidden = os.path.relpath(os.path.realpath(exclude), real) if exclude is not None else ".."
        entries = [entry for entry in entries if entry.path != hidden and not entry.path.startswith(f"{hidden}/")]
        _refuse(source, real, entries, node)
        root = os.path.realpath(confine) if confine is not None else None
        return cls(real, str(target), entries, node, root)

    def carry_out(self, progress: Callable[[int, int], None]) -> None:
        """Copy. Unchanged files (size and time) are left alone. Safe to repeat. Raises ``NodeError``."""
        total = len(self.entries)
        with os_error_as_node_error(f"{self.source!r} can't be copied", self._node):
            private_folder(Path(self.target).parent)
            for done, entry in enumerate(self.entries, 1):
                self._copy(entry)
                progress(done, total)
            for entry in reversed(self.entries):
                if stat.S_ISDIR(entry.info.st_mode):
                    self._finish_folder(entry)

    def _copy(self, entry: Entry) -> None:
        target = os.path.join(self.target, entry.path) if entry.path else self.target
        if entry.path:
            self._check_place(os.path.dirname(target))
        if stat.S_ISDIR(entry.info.st_mode):
            self._make_folder(target)
        elif stat.S_ISLNK(entry.info.st_mode):
            self._make_link(target, link_for(self.source, entry))
        else:
            source = os.path.join(self.source, entry.path) if entry.path else self.source
            self._copy_file(source, target, entry.info)

    def _check_place(self, folder: str) -> None:
        """A job may have put a link where a folder was: never write through one that leads out."""
        if self._confine is None or folder in self._checked:
            return
        real = os.path.realpath(folder)
        if real != self._confine and not real.startswith(self._confine + "/"):
            raise NodeError(
                f"{folder!r} leads out of the node's home",
                where=self._node,
                why=f"it is {real}",
                hint="remove that link on the node",
            )
        self._checked.add(folder)

    def _make_folder(self, target: str) -> None:
        try:
            os.mkdir(target, 0o700)
            os.chmod(target, 0o700)
        except FileExistsError:
            self._keep_top = self._keep_top or target == self.target
            self._check_place(target)
            if not os.path.isdir(target):
                raise NodeError(
                    f"{target!r} is a file on the node and a folder in the source", where=self._node, hint="remove it"
                ) from None

    def _make_link(self, target: str, link: str) -> None:
        try:
            if os.readlink(target) == link:
                return
        except OSError:
            if os.path.isdir(target):
                raise NodeError(f"{target!r} is a folder and a link in the source", where=self._node) from None
        part = _part_name(target)
        os.symlink(link, part)
        os.rename(part, target)

    def _copy_file(self, source: str, target: str, info: os.stat_result) -> None:
        mode = stat.S_IMODE(info.st_mode) & 0o777
        try:
            there = os.lstat(target)
        except FileNotFoundError:
            there = None
        if there is not None and stat.S_ISDIR(there.st_mode):
            raise NodeError(
                f"{target!r} is a folder on the node and a file in the source", where=self._node, hint="remove it"
            )
        if there is not None and _same(there, info):
            if stat.S_IMODE(there.st_mode) != mode:
                os.chmod(target, mode)
            return
        copy_file(source, target, mode)

    def _finish_folder(self, entry: Entry) -> None:
        """Modes and times of folders come last; the owner can always go on writing into his copy."""
        if not entry.path and self._keep_top:  # was there before: how it is, is its owner's affair
            return
        target = os.path.join(self.target, entry.path) if entry.path else self.target
        os.chmod(target, stat.S_IMODE(entry.info.st_mode) & 0o777 | 0o700)
        os.utime(target, ns=(entry.info.st_atime_ns, entry.info.st_mtime_ns))


def check_source(source: Path, files: Sequence[str] | None) -> None:
    """Raise the ``NodeError`` with which copying this would end; nodes of this machine that lie in it are passed
    over, as they aren't copied.
    """
    real = os.path.realpath(source)
    entries = _entries(source, real, files, "")
    nodes = {f"{os.path.dirname(e.path)}/" for e in entries if os.path.basename(e.path) == "node.json"}
    inside = tuple(node for node in nodes if os.path.isdir(os.path.join(real, node.lstrip("/"), "home/skyx_workdir")))
    _refuse(source, real, [entry for entry in entries if not entry.path.startswith(inside)], "")


def _entries(source: Path, real: str, files: Sequence[str] | None, node: str) -> list[Entry]:
    with os_error_as_node_error(f"{str(source)!r} can't be read", node):
        top = os.stat(real)
        if not stat.S_ISDIR(top.st_mode):
            return [Entry("", top)]
        return [Entry("", top), *(listed(real, files) if files is not None else walk(real, ""))]


def _refuse(source: Path, real: str, entries: Sequence[Entry], node: str) -> None:
    wrong = [problem for entry in entries if (problem := refusal(real, entry))]
    if wrong:
        more = f" and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        raise NodeError(
            f"{str(source)!r} holds what can't be copied",
            where=node,
            why="; ".join(wrong[:_NAMED]) + more,
            hint="remove these, or leave them out with a .skyxignore file",
        )


def copy_file(source: str, target: str, mode: int) -> None:
    """One regular file with its time, whole or not at all; a source that has vanished is passed over."""
    try:
        origin = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    part = _part_name(target)
    try:
        info = os.fstat(origin)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(errno.EINVAL, "it is no longer a file", source)
        copy = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            _copy_content(origin, copy, info.st_size)
            os.fchmod(copy, mode)
            os.utime(copy, ns=(info.st_atime_ns, info.st_mtime_ns))
        finally:
            os.close(copy)
        os.rename(part, target)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
    finally:
        os.close(origin)


def _part_name(target: str) -> str:
    return os.path.join(os.path.dirname(target), f".skyx-part-{secrets.token_hex(6)}")


def _copy_content(origin: int, copy: int, size: int) -> None:
    left = size
    try:
        while left > 0 and (sent := os.copy_file_range(origin, copy, left)) > 0:
            left -= sent
    except OSError as error:
        if error.errno in _NO_SPACE or left != size:
            raise
        with open(origin, "rb", closefd=False) as reader, open(copy, "wb", closefd=False) as writer:
            shutil.copyfileobj(reader, writer, 1 << 20)  # another file system, or one that can't


def _same(a: os.stat_result, b: os.stat_result) -> bool:
    return stat.S_ISREG(a.st_mode) and a.st_size == b.st_size and a.st_mtime_ns == b.st_mtime_ns
