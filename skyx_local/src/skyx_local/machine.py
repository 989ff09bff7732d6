"""What this machine is, and how many cores and how much memory this process may use."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

_GIB = 1 << 30


def platform() -> str:
    """``linux``, or what this is instead."""
    return sys.platform


def usable_cpus(root: Path = Path("/")) -> float:
    """Cores of this machine, less what affinity and control groups withhold. ``root``: where /proc and /sys are."""
    cores = float(len(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else float(os.cpu_count() or 1)
    for folder in _control_groups(root):
        quota, _, period = _text(folder / "cpu.max").partition(" ")
        if not quota:
            quota, period = _text(folder / "cpu.cfs_quota_us"), _text(folder / "cpu.cfs_period_us")
        if quota.isdecimal() and period.isdecimal() and int(period):
            cores = min(cores, int(quota) / int(period))
    return max(cores, 0.01)


def usable_memory_gb(root: Path = Path("/")) -> float:
    """GiB of this machine's memory, less what control groups withhold; 0 if it can't be found out."""
    total = 0
    for line in _text(root / "proc/meminfo").splitlines():
        if line.startswith("MemTotal:"):
            total = int(line.split()[1]) * 1024
    for folder in _control_groups(root):
        for name in ("memory.max", "memory.limit_in_bytes"):
            limit = _text(folder / name)
            if limit.isdecimal() and int(limit):
                total = min(total, int(limit))
    return round(total / _GIB, 2)


def _control_groups(root: Path) -> Iterator[Path]:
    """Folders of the groups that this process is in, and all above them: each may set a limit."""
    mount = root / "sys/fs/cgroup"
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        base = mount / controllers if controllers else mount
        folder = base / path.lstrip("/")
        for place in (folder, *folder.parents):
            if place != base and base not in place.parents:
                break
            yield place
        yield base


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
