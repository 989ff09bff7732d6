"""The kernel's own counts of processes that it killed for want of memory: the sign that tells why one was killed."""

from __future__ import annotations

import os

from skyx_agent.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, Tuple

    Counts = Tuple[Optional[int], Optional[int]]

LIKELY = "killed, likely out of memory"
POSSIBLY = "killed (signal 9); possibly out of memory"
KILLED = "killed (signal 9)"
_FILE_BYTES = 64 * 1024


class OutOfMemory:
    """Reads the count of our control group (either version) and that of the whole machine; both only ever rise."""

    def __init__(self, proc: str = "/proc", groups: str = "/sys/fs/cgroup") -> None:
        self._machine = os.path.join(proc, "vmstat")
        self._own = _group_file(proc, groups)

    def counts(self) -> Counts:
        """(our group's, the machine's); None where it can't be read."""
        return (_count(self._own) if self._own else None), _count(self._machine)

    def words(self, before: Counts | None) -> str:
        """Why a process was killed since ``before`` was counted (None: it is not known what was counted before).

        Without a control group's count the machine's decides; beside one it only makes it possible: on a shared
        machine somebody else's process may be meant.
        """
        if before is None:
            return POSSIBLY
        own, machine = (_rise(old, new) for old, new in zip(before, self.counts()))  # noqa: B905 - Python 3.8
        if own or (own is None and machine):
            return LIKELY
        return POSSIBLY if machine or (own is None and machine is None) else KILLED


def _rise(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else max(0, after - before)


def _group_file(proc: str, groups: str) -> str:
    """The readable file with ``oom_kill N`` of the group that we are in; empty if there is none."""
    try:
        lines = (
            read_bytes(os.path.join(proc, "self/cgroup"), _FILE_BYTES).decode("utf-8", "surrogateescape").split("\n")
        )
    except OSError:
        return ""
    for line in lines:
        controllers, _, path = line.partition(":")[2].partition(":")
        if controllers and "memory" not in controllers.split(","):
            continue
        root, name = ("memory", "memory.oom_control") if controllers else ("", "memory.events")
        top = os.path.join(groups, root)
        for place in (os.path.join(top, path.strip("/")), top):  # in a container our group may be the top
            file = os.path.join(place, name)
            if _count(file) is not None:
                return file
    return ""


def _count(path: str) -> int | None:
    try:
        for line in read_bytes(path, _FILE_BYTES).splitlines():
            key, _, value = line.partition(b" ")
            if key == b"oom_kill":
                return int(value)
    except (OSError, ValueError):
        return None
    return None
