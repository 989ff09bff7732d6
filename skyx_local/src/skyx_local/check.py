"""``skyx check`` of this cloud."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from skyx_core.api import CheckLine, CloudError
from skyx_local.capacity import Machine
from skyx_local.ledger import VARIABLE, Ledger
from skyx_local.machine import platform
from skyx_local.shape import number

_ROOM = 10**9  # bytes; less than this is worth a word


def check_lines(root: Path, ledger: Ledger, machine: Machine, environ: Mapping[str, str]) -> Sequence[CheckLine]:
    """Changes nothing but that it makes the ledger's folder. Takes at most some seconds."""
    linux = platform() == "linux"
    search = environ.get("PATH") or os.environ.get("PATH") or os.defpath
    bash = shutil.which("bash", path=search)
    return [
        CheckLine(name="Linux", ok=linux, detail=platform(), fix="" if linux else "use another cloud"),
        CheckLine(name="bash", ok=bool(bash), detail=bash or "not found", fix="" if bash else "install bash"),
        CheckLine(name="python", ok=True, detail=f"{sys.executable} {sys.version.split()[0]}"),
        _disk(root),
        _ledger(ledger),
        CheckLine(
            name="capacity", ok=True, detail=f"{number(machine.cpus)} cores, {number(machine.memory_gb)} GiB of memory"
        ),
        CheckLine(name="GPUs", ok=True, detail=machine.detection.note),
    ]


def _disk(root: Path) -> CheckLine:
    place = next(path for path in (root, *root.parents) if path.is_dir())
    free = shutil.disk_usage(place).free
    writable = os.access(place, os.W_OK | os.X_OK)
    detail = f"{free / 1e9:.1f} GB free in {place}" + ("" if writable else ", which can't be written")
    good = writable and free >= _ROOM
    return CheckLine(
        name="disk", ok=good, detail=detail, fix="" if good else "set clouds.local.root to a roomier place"
    )


def _ledger(ledger: Ledger) -> CheckLine:
    try:
        ledger.probe()
    except CloudError as error:
        fix = f"make it writable for all users (mode 1777), or set {VARIABLE} to another folder"
        return CheckLine(name="ledger", ok=False, detail=error.message, fix=fix)
    notes = ledger.notes()
    return CheckLine(name="ledger", ok=True, detail="; ".join([str(ledger.folder), *notes[:3]]))
