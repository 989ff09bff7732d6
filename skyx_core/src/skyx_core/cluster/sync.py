"""Copying the workdir and file mounts to all nodes. What is wrong with them is said before anything is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from skyx_core.calls import Fence
from skyx_core.cluster.access import ClusterAccess
from skyx_core.cluster.parallel import in_parallel
from skyx_core.errors import NodeError, UsageError
from skyx_core.failpoints import failpoint
from skyx_core.models import EventKind

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services
    from skyx_core.state.records import ClusterRecord
    from skyx_core.task import Task

WORKDIR = "~/skyx_workdir"


@dataclass(frozen=True)
class Transfer:
    """``files``: relative paths within a folder; None = the single file, or all."""

    source: Path
    target: str
    files: tuple[str, ...] | None


def plan_sync(task: Task, cwd: Path) -> tuple[list[Transfer], list[str]]:
    """What is to be copied, and warnings; raises ``UsageError`` for what is missing or can't be done yet."""
    transfers: list[Transfer] = []
    warnings: list[str] = []
    if task.workdir is not None:
        if not isinstance(task.workdir, str):
            raise UsageError(
                "a workdir from git can't be fetched yet", where="workdir", hint="clone it in setup, or name a folder"
            )
        from skyx_core.node.ignore import select_files

        try:
            selection = select_files(_existing(task.workdir, cwd, "workdir", folder=True))
        except NodeError as error:
            hint = "make it readable, or name what is not to be copied in .skyxignore"
            raise UsageError(error.what, where="workdir", why=error.why, hint=hint) from error
        warnings += selection.warnings
        transfers.append(Transfer(_path(task.workdir, cwd), WORKDIR, tuple(selection.files)))
        _check(transfers[-1], "workdir")
    for target, source in task.file_mounts.items():
        transfers += _mount(target, source, cwd)
    return transfers, warnings


def _mount(target: str, source: object, cwd: Path) -> list[Transfer]:
    where = f"file_mounts.{target}"
    if not isinstance(source, str):
        raise UsageError("storage mounts aren't supported yet", where=where, hint="take the entry out for now")
    if "://" in source:
        raise UsageError("sources in buckets can't be fetched yet", where=where, hint="fetch it in setup for now")
    found = _existing(source, cwd, where, folder=False)
    absolute = target.startswith(("/", "~"))
    transfer = Transfer(found, target if absolute else f"{WORKDIR}/{target}", None)
    _check(transfer, where)
    return [transfer]


def _check(transfer: Transfer, where: str) -> None:
    """What copying would refuse is refused before anything is made."""
    from skyx_core.node.copying import check_source

    try:
        check_source(transfer.source, transfer.files)
    except NodeError as error:
        hint = error.hint or "make it readable, or leave it out"
        raise UsageError(error.what, where=where, why=error.why, hint=hint) from error


def _existing(text: str, cwd: Path, where: str, *, folder: bool) -> Path:
    path = _path(text, cwd)
    try:
        good = path.is_dir() if folder else path.exists()
    except OSError as error:
        raise UsageError(f"{text} can't be read", where=where, why=error.strerror or str(error)) from error
    if not good:
        kind = "directory" if folder else "file or directory"
        raise UsageError(f"no such {kind}: {path}", where=where, hint="paths start at the current directory")
    return path


def _path(text: str, cwd: Path) -> Path:
    return cwd / Path(text).expanduser()


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"


def sync(
    services: Services,
    record: ClusterRecord,
    access: ClusterAccess,
    transfers: Sequence[Transfer],
    *,
    fence: Fence | None = None,
) -> None:
    """All nodes in parallel; safe to repeat; never deletes. Raises ``NodeError`` naming the node."""
    if not transfers:
        return
    nodes = access.cluster.nodes
    start = services.clock.monotonic()
    count = sum(len(t.files) if t.files is not None else 1 for t in transfers)
    services.event(
        EventKind.SYNC_STARTED,
        record,
        total=len(nodes),
        message=f"{count} {_plural('file', count)} to {len(nodes)} {_plural('node', len(nodes))}",
    )
    failpoint("sync.before_copy")

    def copy(rank: int) -> None:
        runner = access.runner(rank)
        for transfer in transfers:
            runner.put(transfer.source, transfer.target, transfer.files)

    in_parallel([lambda rank=node.rank: copy(rank) for node in nodes], fence=fence)  # type: ignore[misc]
    failpoint("sync.after_copy")
    services.event(EventKind.SYNC_DONE, record, total=len(nodes), seconds=services.clock.monotonic() - start)
