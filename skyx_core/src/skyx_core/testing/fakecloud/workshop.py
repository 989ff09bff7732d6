"""Ends and starts machines in the background, so that no call of the cloud waits for processes to end."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Sequence

from skyx_core.testing.fakecloud.machines import Machines

STOP, START, REMOVE = "stop", "start", "remove"
Task = tuple[str, str]  # what, node


class Workshop:
    """One thread, in order; what has piled up of the same kind is done at once. Thread-safe."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines
        self._queue: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._pending: Counter[str] = Counter()
        self._thread = threading.Thread(target=self._run, name="workshop", daemon=True)
        self._thread.start()

    def submit(self, what: str, node: str) -> None:
        """Have it done, after everything submitted before."""
        with self._lock:
            self._pending[node] += 1
        self._queue.put((what, node))

    def busy(self, node: str) -> bool:
        """Whether something submitted for this node isn't done yet."""
        with self._lock:
            return self._pending[node] > 0

    def close(self, limit_s: float) -> None:
        """Finish what was submitted, for at most ``limit_s``."""
        self._queue.put(None)
        self._thread.join(limit_s)

    def _run(self) -> None:
        task = self._queue.get()
        while task is not None:
            kind, nodes = task[0], [task[1]]
            while (task := self._next()) is not None and task[0] == kind:
                nodes.append(task[1])
            self._do(kind, nodes)
            if task is None:
                task = self._queue.get()

    def _next(self) -> Task | None:
        try:
            return self._queue.get_nowait()
        except queue.Empty:
            return None

    def _do(self, kind: str, nodes: Sequence[str]) -> None:
        work = {STOP: self._machines.stop, START: self._machines.start, REMOVE: self._machines.remove}[kind]
        try:
            work(nodes)
        finally:
            with self._lock:
                self._pending.subtract(nodes)
