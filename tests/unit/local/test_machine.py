"""Limits that control groups set are respected."""

from __future__ import annotations

from pathlib import Path

import pytest

from skyx_local.machine import usable_cpus, usable_memory_gb


def _files(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


_MEMINFO = "MemTotal:       16777216 kB\nMemFree: 1 kB\n"


@pytest.mark.parametrize(
    ("files", "cpus", "memory"),
    [
        ({}, None, 16),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, None, 16),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000\n"}, 0.5, 16),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/cpu.max": "25000 100000\n",
                "sys/fs/cgroup/a/b/memory.max": f"{4 << 30}\n",
                "sys/fs/cgroup/a/memory.max": "max\n",
            },
            0.25,
            4,
        ),
        (
            {
                "proc/self/cgroup": "4:memory:/x\n3:cpu,cpuacct:/x\n",
                "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us": "30000\n",
                "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us": "100000\n",
                "sys/fs/cgroup/memory/x/memory.limit_in_bytes": f"{2 << 30}\n",
            },
            0.3,
            2,
        ),
        ({"proc/self/cgroup": "rubbish\n\x00\n0::/../../..\n"}, None, 16),
    ],
)
def test_what_may_be_used(tmp_path: Path, files: dict[str, str], cpus: float | None, memory: float) -> None:
    root = _files(tmp_path, {"proc/meminfo": _MEMINFO, **files})
    free = usable_cpus(tmp_path / "nothing here")
    assert usable_cpus(root) == (free if cpus is None else pytest.approx(cpus))
    assert usable_memory_gb(root) == memory
