"""Whether a killed process was killed for want of memory, told by the kernel's counts only."""

from __future__ import annotations

from pathlib import Path

import pytest

from skyx_agent.oom import KILLED, LIKELY, POSSIBLY, OutOfMemory


class Machine:
    """Made-up /proc and /sys/fs/cgroup. ``version`` 0: no control group's count can be read."""

    def __init__(self, root: Path, version: int, vmstat: bool = True) -> None:
        (root / "proc/self").mkdir(parents=True)
        line, folder, name = {
            0: ("0::/", "cg", "unused"),
            1: ("4:memory:/a/b", "cg/memory/a/b", "memory.oom_control"),
            2: ("0::/a", "cg/a", "memory.events"),
        }[version]
        (root / "proc/self/cgroup").write_text(f"9:name=systemd:/\n{line}\n")
        self.own = root / folder / name
        self.own.parent.mkdir(parents=True)
        self.vmstat = root / "proc/vmstat"
        self.write(self.own, 3)
        if vmstat:
            self.write(self.vmstat, 7)
        self.memory = OutOfMemory(str(root / "proc"), str(root / "cg"))

    def write(self, path: Path, count: int) -> None:
        path.write_text(f"oom 1\nunder_oom 0\noom_kill {count}\noom_group_kill 9\n")


@pytest.mark.parametrize(
    ("version", "own", "machine", "words"),
    [
        (2, 3, 7, KILLED), (2, 4, 8, LIKELY), (2, 3, 8, POSSIBLY), (1, 3, 7, KILLED), (1, 4, 7, LIKELY),
        (0, 9, 7, KILLED), (0, 3, 8, LIKELY),
    ],
)  # fmt: skip
def test_only_a_risen_count_is_a_sign(tmp_path: Path, version: int, own: int, machine: int, words: str) -> None:
    made = Machine(tmp_path, version)
    before = made.memory.counts()
    made.write(made.own, own)
    made.write(made.vmstat, machine)
    assert made.memory.words(before) == words


def test_without_any_count_it_is_possible_only(tmp_path: Path) -> None:
    memory = Machine(tmp_path, 0, vmstat=False).memory
    assert memory.counts() == (None, None)
    assert memory.words(memory.counts()) == POSSIBLY
    assert memory.words(None) == POSSIBLY
