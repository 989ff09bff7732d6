"""What the parts of the agent share. One instance per agent; no module keeps state."""

from __future__ import annotations

import os

from skyx_agent.children import Children
from skyx_agent.jobdir import JobDir
from skyx_agent.oom import OutOfMemory
from skyx_agent.shell import Shell
from skyx_agent.treeend import Strangers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skyx_agent.clock import Clock
    from skyx_agent.failpoints import Failpoints
    from skyx_agent.journal import Journal
    from skyx_agent.loop import Loop
    from skyx_agent.store import Store


class Services:
    """Clock, loop, store, journal, failpoints, child processes, and where files lie."""

    def __init__(
        self, folder: str, *, clock: Clock, loop: Loop, store: Store, journal: Journal, failpoints: Failpoints
    ) -> None:
        self.folder = folder
        self.clock = clock
        self.loop = loop
        self.store = store
        self.journal = journal
        self.failpoints = failpoints
        self.children = Children(loop)
        self.kept: set[int] = set()  # processes of ours that belong to no job and outlive us
        self.strangers = Strangers(self.children, self.kept)
        self.shell = Shell(folder)
        self.memory = OutOfMemory()

    def job_dir(self, job_id: int) -> JobDir:
        return JobDir(os.path.join(self.folder, "jobs"), job_id)
