"""Sandboxes: nodes on this machine, for a machine without root or containers.

A sandbox is a folder ``<root>/<id>/`` with a home, a loopback address of its own and a process tree of its own.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path

from skyx_core.clock import Clock, SystemClock
from skyx_core.errors import NodeError
from skyx_core.node.folders import private_folder
from skyx_core.node.sandbox_processes import Family, end_family, marked
from skyx_core.node.sandbox_python import make_python
from skyx_core.node.sandbox_record import (
    MARKER,
    RUNNING,
    STOPPED,
    Sandbox,
    SandboxSpec,
    boot_id,
    locked,
    read_record,
    sandbox_env,
    write_record,
)
from skyx_core.node.sandbox_runner import SandboxRunner
from skyx_core.node.sandbox_trees import delete_tree

__all__ = ["Sandbox", "SandboxRunner", "SandboxSpec", "Sandboxes", "sandbox_env"]

_LOCK_LIMIT_S = 30.0
Found = list[Sandbox]
Words = list[str]  # inside the class below, ``list`` is a method
_NEW = ".new-"
_OLD = ".old-"


class Sandboxes:
    """The sandboxes below one folder. Making this object does no I/O; all methods are safe to repeat, from several
    threads and processes too. Raises ``NodeError``; a full disk leaves nothing half-made.
    """

    def __init__(self, root: Path, *, clock: Clock | None = None, grace_s: float = 1.0) -> None:
        self._given = root
        self._clock = clock or SystemClock()
        self._grace_s = grace_s

    @cached_property
    def root(self) -> Path:
        """Without links, so that a process's marker is the same whichever way the folder was named."""
        return Path(os.path.realpath(self._given))

    @cached_property
    def _boot(self) -> str:
        return boot_id()

    def folder(self, id: str) -> Path:  # noqa: A002 - the field's own name
        if not id or id.startswith(".") or "/" in id or "\0" in id:
            raise NodeError(f"{id!r} can't be the id of a sandbox")
        return self.root / id

    def create(self, spec: SandboxSpec) -> Sandbox:
        """Make it, running. One that exists under this id is returned as it is."""
        folder = self.folder(spec.id)
        if (existing := read_record(folder, self._boot)) is not None:
            return existing
        part = self.root / f"{_NEW}{spec.id}-{secrets.token_hex(4)}"
        try:
            private_folder(self.root)
            _furnish(part, folder)
            write_record(Sandbox(**asdict(spec), folder=part, state=RUNNING, boot_id=self._boot))
            _take_name(part, folder)
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            raise NodeError("a sandbox can't be made", where=str(folder), why=os.strerror(error.errno or 0)) from error
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        made = read_record(folder, self._boot)
        if made is None:
            raise NodeError("a sandbox was removed while it was made", where=str(folder))
        return made

    def get(self, id: str) -> Sandbox | None:  # noqa: A002
        """The sandbox, or None if there is none. ``NodeError`` when its record is damaged."""
        return read_record(self.folder(id), self._boot)

    def ids(self, prefix: str = "") -> Words:
        """Ids of all sandboxes that begin with ``prefix``, also of damaged ones, sorted."""
        return sorted(name for name in self._names() if not name.startswith(".") and name.startswith(prefix))

    def list(self, prefix: str = "") -> Found:
        """All sandboxes whose records can be read, by id."""
        return self.scan(prefix)[0]

    def scan(self, prefix: str = "") -> tuple[Found, Words]:
        """(sandboxes by id, what is wrong with each of the others)."""
        found, problems = [], []
        for id_ in self.ids(prefix):
            try:
                sandbox = read_record(self.root / id_, self._boot)
            except NodeError as error:
                problems.append(str(error))
                continue
            if sandbox is not None:
                found.append(sandbox)
        return found, problems

    def update(self, id: str, change: Callable[[Sandbox], Sandbox]) -> Sandbox:  # noqa: A002
        """Change the record of one sandbox, alone among all processes."""
        with locked(self.root / ".lock", self._clock, _LOCK_LIMIT_S):
            sandbox = self.get(id)
            if sandbox is None:
                raise NodeError("there is no such sandbox", where=str(self.folder(id)))
            changed = change(sandbox)
            try:
                write_record(changed)
            except OSError as error:
                raise NodeError(
                    "the record of a sandbox can't be written",
                    where=str(sandbox.folder),
                    why=os.strerror(error.errno or 0),
                ) from error
            return changed

    def start(self, id: str) -> Sandbox:  # noqa: A002
        """Let processes run in it again; its files are as they were."""
        return self.update(id, lambda sandbox: replace(sandbox, state=RUNNING, boot_id=self._boot))

    def stop(self, ids: Sequence[str]) -> Words:
        """End all processes of these sandboxes and keep their files. Takes at most the grace and 10 s; returns what
        is left to do, in words (empty = stopped). Sandboxes that are gone are left out.
        """
        left = self.end_processes(ids)
        if not left:
            for id_ in ids:
                if self.get(id_) is not None:
                    self.update(id_, lambda sandbox: replace(sandbox, state=STOPPED))
        return left

    def remove(self, ids: Sequence[str]) -> Words:
        """End all processes of these sandboxes and delete their files. Returns what is left to do, in words (empty =
        gone); what is already gone is success.
        """
        left = self.end_processes(ids)
        if left:
            return left
        names = self._names()
        for id_ in ids:
            aside = self.root / f"{_OLD}{id_}-{secrets.token_hex(4)}"
            try:
                os.rename(self.folder(id_), aside)
                names.append(aside.name)
            except FileNotFoundError:
                pass
            except OSError as error:
                left.append(f"{self.folder(id_)}: {os.strerror(error.errno or 0)}")
        for name in names:
            if any(name.startswith((f"{_NEW}{id_}-", f"{_OLD}{id_}-")) for id_ in ids):
                left.extend(delete_tree(self.root / name))
        return left

    def remnants(self, prefix: str) -> Words:
        """Ids beginning with ``prefix`` of which half-made or half-deleted folders are left; ``remove`` deletes
        those.
        """
        cut = [name.removeprefix(_NEW).removeprefix(_OLD) for name in self._names() if name.startswith((_NEW, _OLD))]
        return sorted({name.rpartition("-")[0] for name in cut if name.startswith(prefix)})

    def end_processes(self, ids: Sequence[str]) -> Words:
        """End every process of these sandboxes but the calling one. Returns what is left to do, in words. Two that
        end the same sandboxes take turns, so that neither is ended by the other half-way.
        """
        if not ids or not (self.root.is_dir() or any(self.strays(id_) for id_ in ids)):
            return []
        with locked(self.root / ".ending", self._clock, _LOCK_LIMIT_S):
            family = Family([f"{MARKER}={self.folder(id_)}".encode() for id_ in ids])
            pids = end_family(family, self._clock, self._grace_s)
        return [f"process {pid} does not end" for pid in pids]

    def strays(self, prefix: str) -> Words:
        """Ids beginning with ``prefix`` of sandboxes whose folders are gone while processes of theirs still live."""
        start = f"{MARKER}={self.root}/".encode()
        found = {os.fsdecode(marker[len(start) :]) for marker in marked(start + prefix.encode())}
        return sorted(id_ for id_ in found if "/" not in id_ and not (self.root / id_).exists())

    def runner(self, sandbox: Sandbox, node: str) -> SandboxRunner:
        """How to reach it. ``node``: its name in messages."""
        return SandboxRunner(sandbox.folder, node=node)

    def _names(self) -> Words:
        try:
            return os.listdir(self.root)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise NodeError(
                "the folder of the sandboxes can't be read", where=str(self.root), why=os.strerror(error.errno or 0)
            ) from error


def _furnish(folder: Path, final: Path) -> None:
    """``final``: where the folder will be once it is finished."""
    private_folder(folder)
    make_python(folder / "python", final / "python")
    private_folder(folder / "home" / "skyx_workdir")
    (folder / "home" / "sky_workdir").symlink_to("skyx_workdir")


def _take_name(part: Path, folder: Path) -> None:
    """Give the finished folder its name; if another process was first, theirs stays."""
    try:
        os.rename(part, folder)
    except OSError:
        if not folder.is_dir():
            raise
        shutil.rmtree(part)
