"""Keeps one agent running. Small on purpose: it stays in memory as long as the cluster lives.

It was made a child subreaper before it was executed, so every orphan below it comes back to it and is collected.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from skyx_agent.entry import command
from skyx_agent.exits import EXIT_DONE, EXIT_REFUSED, EXIT_UPGRADE
from skyx_agent.locks import take

FIRST_PAUSE_SECONDS = 0.2
LAST_PAUSE_SECONDS = 4.0
STEADY_SECONDS = 10.0
FAILED_STATUS = 127 << 8


class Supervisor:
    """Starts the agent, collects what dies, starts it again after a pause that doubles from 0.2 to 4 s."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._agent = 0
        self._pause = FIRST_PAUSE_SECONDS
        self._environ = dict(os.environ)

    def run(self) -> int:
        if take(os.path.join(self._folder, "supervisor.lock")) is None:
            return EXIT_REFUSED
        signal.signal(signal.SIGTERM, self._pass_on)
        signal.signal(signal.SIGINT, self._pass_on)
        while True:
            began = time.monotonic()
            status = self._one_life()
            code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1
            if code in (EXIT_DONE, EXIT_REFUSED):
                return code
            if not os.path.isdir(self._folder):
                return EXIT_DONE
            if code == EXIT_UPGRADE:
                self._become_next()
            self._environ.pop("SKYX_FAILPOINT", None)  # a point that ends the agent must not end the next one too
            if time.monotonic() - began > STEADY_SECONDS:
                self._pause = FIRST_PAUSE_SECONDS
            time.sleep(self._pause)
            self._pause = min(self._pause * 2, LAST_PAUSE_SECONDS)

    def _one_life(self) -> int:
        reader, writer = os.pipe()
        os.set_inheritable(reader, True)
        argv = command("agent", "--dir", self._folder, "--alive-fd", str(reader))
        try:
            self._agent = os.posix_spawn(argv[0], argv, self._environ)
            return self._collect()
        except OSError as error:
            sys.stderr.write(f"supervisor: the agent can't be started: {error}\n")
            return FAILED_STATUS
        finally:
            os.close(reader)
            os.close(writer)

    def _collect(self) -> int:
        while True:
            pid, status = os.waitpid(-1, 0)
            if pid == self._agent:
                self._agent = 0
                return status

    def _become_next(self) -> None:
        path = os.path.join(self._folder, "next.argv")
        try:
            with open(path, "rb") as stream:
                argv = stream.read().split(b"\0")
            os.unlink(path)
            os.execve(argv[0], argv, self._environ)  # noqa: S606 - no shell is the point
        except OSError as error:
            sys.stderr.write(f"supervisor: the new release can't be started: {error}\n")

    def _pass_on(self, _number: int, _frame: object) -> None:
        if self._agent:
            os.kill(self._agent, signal.SIGTERM)
        else:
            os._exit(0)
