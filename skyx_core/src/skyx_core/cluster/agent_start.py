"""Starting the agent on a head."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from skyx_core.errors import AgentError
from skyx_core.node.agent_payload import agent_payload
from skyx_core.node.runner import Runner

AGENT_DIR = ".skyx/agent"
SERVE_LIMIT_S = 60.0


def start_agent(runner: Runner, environ: Mapping[str, str], cache: Path) -> str:
    """Bring the agent to the head and start it if it isn't running; returns the path of its socket.

    Of ``environ`` it gets the clock that the processes of one test share, and nothing else.
    """
    clock = {name: environ[name] for name in ("SKYX_TEST_CLOCK",) if name in environ}
    payload = agent_payload(cache)
    command = [runner.python, "-S", "-E", payload.path, "serve", "--dir", AGENT_DIR]
    runner.put_bytes(payload.data, f"~/{payload.path}", mode=0o600)
    result = runner.run(command, timeout=SERVE_LIMIT_S, env=clock, cwd="~")
    lines = result.stdout.decode("utf-8", "replace").strip().splitlines()
    try:
        answer = json.loads(lines[-1]) if lines and result.returncode == 0 else None
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or not isinstance(answer.get("socket"), str):
        tail = (result.stderr or result.stdout).decode("utf-8", "replace").strip()[-1000:]
        raise AgentError(
            "the agent did not start", where=f"node {runner.node}", why=tail or f"exit status {result.returncode}"
        )
    return str(answer["socket"])
