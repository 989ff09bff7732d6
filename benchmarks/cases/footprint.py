"""What an installation of skyx holds, and what it keeps in memory after a job."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.live import descendants_of, live
from benchmarks.places import PYTHON, REPOSITORY
from benchmarks.rows import Goal, Row, Run

PROJECTS = ("skyx_core", "skyx_local", ".")
MIB = 2**20
INSTALL_LIMIT_S = 300


def run(run: Run) -> Iterator[Row]:
    """Wheels built here, what they need from pip's index; then a live cluster of one node."""
    empty, full = run.scratch.root / "empty", run.scratch.root / "full"
    for folder in (empty, full):
        _run([sys.executable, "-m", "venv", str(folder)])
    wheels = run.scratch.folder("wheels")
    build = [PYTHON, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(wheels)]
    _run([*build, *(str(REPOSITORY / project) for project in PROJECTS)])
    _run([str(full / "bin" / "python"), "-m", "pip", "install", "-q", "--find-links", str(wheels), "skyx"])
    sky = run.peers.program("skypilot", "python")
    peer = Path(sky).parents[1] if sky else None
    yield Row(
        "footprint", "distributions, ours counted", "", _count(full, empty), goal=Goal("ours", 18),
        peer=_count(peer, empty) if peer else None, peer_is="skypilot",
    )  # fmt: skip
    yield Row(
        "footprint", "on disk over an empty environment", "MiB", _mib(full, empty), floor=_size(empty) / MIB,
        floor_is="an empty environment", goal=Goal("ours", 40, "MiB"), peer=_mib(peer, empty) if peer else None,
        peer_is="skypilot",
    )  # fmt: skip
    yield from _idle(run)


def _idle(run: Run) -> Iterator[Row]:
    with live(run.scratch, "user") as cluster:
        cluster.run(cluster.job("echo hi"))
        pids = descendants_of(cluster.agent()["supervisor_pid"])
        yield Row(
            "footprint", "idle after a job", "MiB", sum(map(_pss, pids)) / MIB, goal=Goal("ours", 40, "MiB"),
            note=f"proportional set size of {len(pids)} processes",
        )  # fmt: skip
        yield Row("footprint", "processes idle", "", len(pids), goal=Goal("ours", 2))


def _run(argv: list[str]) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, timeout=INSTALL_LIMIT_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv)} ended with {done.returncode}:\n{done.stderr[-2000:]}")


def _count(full: Path, empty: Path) -> int:
    return len(_distributions(full)) - len(_distributions(empty))


def _distributions(environment: Path) -> list[Path]:
    return list(environment.glob("lib/python3*/site-packages/*.dist-info"))


def _mib(full: Path, empty: Path) -> float:
    return (_size(full) - _size(empty)) / MIB


def _size(folder: Path) -> int:
    """Of the disk blocks in use, like du."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


def _pss(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
