"""``import skyx_core`` as a process, and then the first Task."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from benchmarks.contests import Program, contest
from benchmarks.places import PYTHON
from benchmarks.processes import Spawner, spawner
from benchmarks.rows import Goal, Row, Run

HEAVY = ("pydantic", "rich", "click", "yaml", "stevedore", "pluggy", "sqlite3", "importlib.metadata", "paramiko", "ray")
OURS: Mapping[str, str] = {
    "import": "import skyx_core",
    "session": "from skyx_core import Session",
    "task": "from skyx_core import Task; Task(run='echo hi', num_nodes=2)",
    "bare": "pass",
    "model": "import pydantic\nclass M(pydantic.BaseModel):\n a: int = 1\n b: list[str] = []\nM(a=2)",
}
PEER: Mapping[str, str] = {"sky": "import sky", "sky task": "import sky; sky.Task(run='echo hi', num_nodes=2)"}
_BARE, _MODEL = "import: python -c pass", "first Task: import pydantic, define and make one small model"
_FIGURES = (
    ("import skyx_core", "import", "bare", _BARE, Goal("ratio", 3.5), "sky", "import sky", 50),
    ("import Session", "session", "bare", _BARE, None, "sky", "import sky", None),
    ("first Task", "task", "model", _MODEL, Goal("ours", 160, "ms"), "sky task", "import sky, first Task", 10),
)


def run(run: Run) -> Iterator[Row]:
    """Each in a fresh interpreter."""
    env = run.scratch.environ()
    python = run.peers.program("skypilot", "python")
    with spawner(run.scratch.root) as spawn:
        programs = {name: Program([PYTHON, "-c", code], env) for name, code in OURS.items()}
        if python:
            programs |= {name: Program([python, "-c", code], env) for name, code in PEER.items()}
        found = contest(spawn, programs, run.rounds)
        loaded = _loaded(spawn, env)
    for what, key, floor, floor_is, goal, peer, peer_is, least in _FIGURES:
        yield Row(
            "import_core", what, "ms", found.wall.median(key), floor=found.wall.median(floor), floor_is=floor_is,
            ratio=found.wall.ratio(key, floor), goal=goal, peer=found.wall.median(peer) if python else None,
            peer_is=peer_is, times_faster=found.wall.ratio(peer, key) if python else None, peer_goal=least,
            note=found.note(key, floor),
        )  # fmt: skip
    yield Row(
        "import_core", "heavy modules loaded", "", len(loaded), goal=Goal("ours", 0), note=", ".join(loaded) or "none"
    )


def _loaded(spawn: Spawner, env: Mapping[str, str]) -> list[str]:
    code = f"import sys, skyx_core; found = [m for m in {HEAVY!r} if m in sys.modules]; import json"
    spawn.run([PYTHON, "-c", f"{code}; print(json.dumps(found))"], env)
    return [str(name) for name in json.loads(spawn.output())]
