"""Joins stdin and stdout to the agent's socket, so that any channel to the machine reaches the agent."""

from __future__ import annotations

import os
import select
import socket
import sys
import time

from skyx_agent.files import write_all
from skyx_agent.paths import read_agent_json

CONNECT_SECONDS = 10.0
WAKE_SECONDS = 0.5  # without an answer: an agent that runs may have lost its socket's file
PIECE_BYTES = 64 * 1024


def main(folder: str) -> int:
    """Ends when either side does. Exit code 1 if no agent can be reached within 10 s."""
    agent = _connect(folder)
    if agent is None:
        sys.stderr.write(f"skyx_agent: no agent answers for {folder}; start it with 'serve'\n")
        return 1
    try:
        _join(agent)
    except (BrokenPipeError, ConnectionError):
        return 0
    return 0


def _connect(folder: str) -> socket.socket | None:
    """Waits a little: a supervisor may be restarting the agent just now."""
    began = time.monotonic()
    wake_after = WAKE_SECONDS
    while time.monotonic() < began + CONNECT_SECONDS:
        agent = _try(read_agent_json(folder).get("socket"))
        if agent is not None:
            return agent
        known = os.path.exists(os.path.join(folder, "agent.json"))
        if not known or time.monotonic() > began + wake_after:
            from skyx_agent.deaf import wake

            if not wake(folder) and not known:
                return None
            wake_after += WAKE_SECONDS
        time.sleep(0.05)
    return None


def _try(path: object) -> socket.socket | None:
    if not isinstance(path, str):
        return None
    agent = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        agent.connect(path)
    except OSError:
        agent.close()
        return None
    return agent


def _join(agent: socket.socket) -> None:
    inputs = [0, agent.fileno()]
    while True:
        ready, _, _ = select.select(inputs, [], [])
        if agent.fileno() in ready:
            data = agent.recv(PIECE_BYTES)
            if not data:
                return
            write_all(1, data)
        if 0 in ready:
            data = os.read(0, PIECE_BYTES)
            if not data:
                return
            agent.sendall(data)
