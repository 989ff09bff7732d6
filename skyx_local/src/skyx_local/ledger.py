"""The ledger of this machine: which cores, memory, GPUs and addresses the nodes of all users and all state folders
hold.

A folder that every user may write, one lock, one file per node. Claims of what is dead are dropped: resources when the
machine was booted since, or when the process that claimed died before its node existed; all of a claim when the
node's folder is gone for certain.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from skyx_core.api import Clock, SystemClock
from skyx_local import claim_files
from skyx_local.claims import Capacity, Claim, Demand, NoAddress, fits, share_out
from skyx_local.codes import LEDGER_BUSY, LEDGER_DAMAGED, LEDGER_UNUSABLE, NO_ADDRESS, NO_SPACE, cloud_error
from skyx_local.liveness import alive, boot_id, gone, this_process
from skyx_local.rebuilding import rebuilt

DEFAULT = Path("/var/tmp/skyx-ledger")  # noqa: S108 - shared by all users on purpose; survives a reboot
VARIABLE = "SKYX_LOCAL_LEDGER"


def ledger_folder(environ: Mapping[str, str]) -> Path:
    """Where this machine's ledger is."""
    return Path(environ.get(VARIABLE) or DEFAULT)


class Ledger:
    """All methods raise ``CloudError``, wait at most ``limit_s`` for the lock, and are safe to repeat and to be
    killed in. ``pool``: how many addresses there are. ``nodes``: the folder of this user's nodes, from whose records
    damaged claims are written again.
    """

    def __init__(
        self,
        folder: Path,
        *,
        clock: Clock | None = None,
        limit_s: float = 10,
        pool: int | None = None,
        nodes: Path | None = None,
    ) -> None:
        self.folder = folder
        self._nodes = nodes
        self._clock = clock or SystemClock()
        self._limit_s = limit_s
        self._pool = pool

    def claim(self, demands: Sequence[Demand], capacity: Capacity) -> list[Claim]:
        """Claim for all nodes or for none (``Shortage``). A node that holds exactly this keeps it. The claims last
        while this process lives; ``settle`` them once the nodes exist.
        """
        with self._locked("claim"):
            held = self._live()
            self._refuse_damaged()
            kept = {claim.folder: claim for claim in held if claim.user == os.getuid()}
            wanted = [d for d in demands if d.folder not in kept or not fits(kept[d.folder], d)]
            renewed = {demand.folder for demand in wanted}
            base = [claim.idle() if claim.folder in renewed else claim for claim in held]
            try:
                made = share_out(wanted, base, capacity, **({"pool": self._pool} if self._pool else {}))
            except NoAddress:
                raise cloud_error(
                    "claim", NO_ADDRESS, "all loopback addresses are taken", nodes_may_exist=False
                ) from None
            marked = [replace(claim, boot=boot_id(), claimer=this_process(), user=os.getuid()) for claim in made]
            self._write(marked, kept)
        by_folder = kept | {claim.folder: claim for claim in marked}
        return [by_folder[demand.folder] for demand in demands]

    def settle(self, folders: Sequence[str]) -> None:
        """The nodes exist: their claims last as long as their folders."""
        self._change("settle", folders, lambda claim: replace(claim, claimer=None))

    def idle(self, folders: Sequence[str]) -> None:
        """The nodes are stopped: they hold their addresses only."""
        self._change("idle", folders, Claim.idle)

    def release(
        self, cluster: str, below: Path, folders: Sequence[str] | None = None, *, damaged: Sequence[str] = ()
    ) -> None:
        """Give back all that this user's nodes of this cluster hold, of those whose folders are (or were) in ``below``;
        with ``folders``: of these only. Claims of the folders in ``damaged`` go even if they can't be read.
        """
        if not self.folder.is_dir():
            return
        with self._locked("release"):
            for claim in self._read():
                mine = claim.user == os.getuid() and claim.cluster == cluster
                if mine and claim.folder.startswith(f"{below}/") and (folders is None or claim.folder in folders):
                    self._remove(claim.folder)
            for folder in damaged:
                self._remove(folder)

    def _remove(self, folder: str) -> None:
        try:
            claim_files.remove(self.folder, folder)
        except OSError as error:
            raise self._failed("release", error) from error

    def live(self) -> list[Claim]:
        """All claims that count now, whoever's."""
        if not self.folder.is_dir():
            return []
        with self._locked("read"):
            return self._live()

    def notes(self) -> list[str]:
        """What is wrong with files in the ledger."""
        return claim_files.read_all(self.folder)[1] if self.folder.is_dir() else []

    def probe(self) -> None:
        """Raise ``CloudError`` if claims can't be written."""
        with self._locked("check"):
            if not os.access(self.folder, os.W_OK | os.X_OK):
                raise self._unusable("check", "it can't be written by this user")

    def _change(self, operation: str, folders: Sequence[str], change: Callable[[Claim], Claim]) -> None:
        with self._locked(operation):
            mine = {claim.folder: claim for claim in self._read() if claim.user == os.getuid()}
            self._write([change(mine[folder]) for folder in folders if folder in mine], mine)

    def _write(self, claims: Sequence[Claim], before: Mapping[str, Claim]) -> None:
        """All or none, as far as errors go (a death half-way leaves claims of a dead claimer, which don't count)."""
        done: list[Claim] = []
        try:
            for claim in claims:
                claim_files.write(self.folder, claim)
                done.append(claim)
        except OSError as error:
            for claim in done:
                with contextlib.suppress(OSError):
                    if (old := before.get(claim.folder)) is not None:
                        claim_files.write(self.folder, old)
                    else:
                        claim_files.remove(self.folder, claim.folder)
            raise self._failed("claim", error) from error

    def _read(self) -> list[Claim]:
        try:
            claims, _, damaged = claim_files.read_all(self.folder)
            mine = [file for file in damaged if file.user == os.getuid()]
            if self._nodes is not None and mine:
                claims += rebuilt(self.folder, self._nodes, mine)
            return claims
        except OSError as error:
            raise self._failed("read", error) from error

    def _refuse_damaged(self) -> None:
        """What a damaged claim holds can't be given to anyone else, unless its node is gone for certain."""
        for file in claim_files.read_all(self.folder)[2]:
            if file.node and gone(file.node):
                if file.user == os.getuid():
                    self._remove(file.node)
                continue
            words = f"what {file.path} claims of this machine can't be read: {file.why}"
            raise cloud_error("claim", LEDGER_DAMAGED, words, nodes_may_exist=False)

    def _live(self) -> list[Claim]:
        boot = boot_id()
        found = []
        for claim in self._read():
            starting = claim.claimer is not None and claim.boot == boot and alive(claim.claimer)
            if not starting and gone(claim.folder):
                if claim.user == os.getuid():
                    self._remove(claim.folder)
                continue
            counts = starting or (claim.claimer is None and claim.boot == boot)
            found.append(claim if counts else claim.idle())
        return found

    @contextmanager
    def _locked(self, operation: str) -> Iterator[None]:
        try:
            descriptor = self._open_lock()
        except OSError as error:
            raise self._failed(operation, error) from error
        try:
            end = self._clock.monotonic() + self._limit_s
            while not _try_lock(descriptor):
                if self._clock.monotonic() > end:
                    raise cloud_error(
                        operation,
                        LEDGER_BUSY,
                        f"another process has held {self.folder}/lock for {self._limit_s:g} s",
                        nodes_may_exist=False,
                    )
                self._clock.sleep(0.01)
            yield
        finally:
            os.close(descriptor)

    def _open_lock(self) -> int:
        """Opened for reading, which is enough to lock it and which every user may; made if missing."""
        self._make_folder()
        path = self.folder / "lock"
        for _ in range(2):
            try:
                return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            except FileNotFoundError:
                try:
                    new = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
                except FileExistsError:
                    continue
                os.fchmod(new, 0o644)
                return new
        raise OSError(errno.ENOENT, "the lock file comes and goes", str(path))

    def _make_folder(self) -> None:
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir()
            self.folder.chmod(0o1777)
        except FileExistsError:
            mode = os.lstat(self.folder).st_mode
            if not stat.S_ISDIR(mode):
                raise OSError(errno.ENOTDIR, "it is no folder of its own", str(self.folder)) from None

    def _failed(self, operation: str, error: OSError) -> Exception:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return cloud_error(
                operation, NO_SPACE, f"no space is left for the ledger {self.folder}", nodes_may_exist=False
            )
        return self._unusable(operation, error.strerror or str(error))

    def _unusable(self, operation: str, why: str) -> Exception:
        return cloud_error(
            operation,
            LEDGER_UNUSABLE,
            f"the ledger of this machine, {self.folder}, can't be used: {why}",
            nodes_may_exist=False,
        )


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
