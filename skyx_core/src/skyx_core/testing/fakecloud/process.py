"""Starting and steering a fake cloud from a test."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Literal

from skyx_core.results import Json
from skyx_core.testing.fakecloud.ledger import LedgerNode, read_ledger

_START_LIMIT_S = 20.0
_END_LIMIT_S = 15.0


class FakeCloud:
    """A fake cloud in a process of its own, for the length of a ``with``. It ends with this process too, and its nodes
    with it; the ledger stays. ``clock``: the file of a ``SharedClock``; ``sandboxes`` False: nothing can run on nodes.
    """

    def __init__(
        self, mode: Literal["vm", "pod"], folder: Path, *, clock: Path | None = None, sandboxes: bool = True
    ) -> None:
        self.mode = mode
        self.folder = folder
        self.url = ""
        self._clock = clock
        self._sandboxes = sandboxes
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> FakeCloud:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        assert self._process is not None, "not started"
        return self._process.pid

    def start(self) -> None:
        """Start it and wait for its URL, at most 20 s. After a ``kill``: an empty cloud with the old ledger."""
        self.folder.mkdir(parents=True, exist_ok=True)
        argv = [sys.executable, "-m", "skyx_core.testing.fakecloud", "--dir", str(self.folder), "--mode", self.mode]
        argv += ["--parent-pid", str(os.getpid())]
        argv += ["--clock", str(self._clock)] if self._clock else []
        argv += [] if self._sandboxes else ["--no-sandboxes"]
        # Of its own: a failpoint or a Ctrl-C that is meant for the tested program must not reach it.
        environ = {name: value for name, value in os.environ.items() if name != "SKYX_FAILPOINT"}
        with (self.folder / "server.err").open("ab") as errors:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environ,
                start_new_session=True,
            )
        self.url = self._first_line(time.monotonic() + _START_LIMIT_S)

    def _first_line(self, deadline: float) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
            self.close()
            raise TimeoutError(f"the fake cloud did not start; see {self.folder / 'server.err'}")
        line = self._process.stdout.readline().decode().strip()
        if not line:
            self.close()
            raise RuntimeError(f"the fake cloud ended at once; see {self.folder / 'server.err'}")
        return line

    def kill(self) -> None:
        """``kill -9`` of the server alone; what runs on its nodes goes on until ``close``."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(_END_LIMIT_S)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def close(self) -> None:
        """End the server and everything on its nodes. Safe to repeat."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_END_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(_END_LIMIT_S)
        if process.stdout is not None:
            process.stdout.close()
        if self._sandboxes and process.returncode != 0:
            from skyx_core.testing.fakecloud.sandboxed import SandboxMachines

            SandboxMachines(self.folder / "nodes").remove_all()

    def control(self, what: str, **body: Json) -> dict[str, Json]:
        """``POST /_control/<what>``; raises ``ValueError`` with the server's words when it refuses."""
        request = urllib.request.Request(f"{self.url}/_control/{what}", json.dumps(body).encode(), method="POST")  # noqa: S310 - our own server
        try:
            with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310
                answer = json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                raise ValueError(error.read().decode()) from error
        assert isinstance(answer, dict)
        return answer

    def fault(self, op: str, kind: str, **order: Json) -> None:
        """Order a fault; see ``faults.Fault``."""
        self.control("fault", op=op, kind=kind, **order)

    def reset(self) -> None:
        """End all nodes; forget faults, limits, delays and calls. For a server that serves several tests."""
        self.control("reset")

    def nodes(self) -> list[dict[str, Json]]:
        """All nodes as they really are, ended ones too."""
        return _objects(self.control("nodes")["nodes"])

    def calls(self, op: str | None = None) -> list[dict[str, Json]]:
        """The calls that arrived, as {op, mutating, fault}."""
        return [call for call in _objects(self.control("calls")["calls"]) if op in (None, call["op"])]

    def ledger(self, now: float | None = None) -> dict[str, LedgerNode]:
        """Every node that was ever made; also when the server is dead."""
        return read_ledger(self.folder / "ledger.jsonl", now)


def _objects(value: Json) -> list[dict[str, Json]]:
    assert isinstance(value, list)
    return [item for item in value if isinstance(item, dict)]
