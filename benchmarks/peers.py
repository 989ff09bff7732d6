"""Other tools, each in an environment of its own below the folder that ``SKYX_BENCH_PEERS`` names."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

LIMIT_S = 120
_DRIVERS = Path(__file__).parent / "drivers"
_QUIET = {"SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}


class InstalledPeers:
    """``folder`` None: no peer is there."""

    def __init__(self, folder: str | None) -> None:
        self._folder = Path(folder) if folder else None

    def program(self, name: str, program: str) -> str | None:
        path = self._folder / name / "bin" / program if self._folder else None
        return str(path) if path is not None and path.exists() else None

    def ask(self, name: str, script: str, arguments: Sequence[str], home: Path, limit_s: float = LIMIT_S) -> object:
        """What a script of ``drivers/`` prints (JSON, its last line) when run by a peer's interpreter; None without
        the peer. ``home``: the peer's home folder, so that it touches nobody's own. ``limit_s`` seconds at
        most.
        """
        python = self.program(name, "python")
        if python is None:
            return None
        environ = {"HOME": str(home), "PATH": f"{Path(python).parent}:/usr/bin:/bin", **_QUIET}
        argv = [python, str(_DRIVERS / script), *arguments]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=limit_s, check=False, env=environ, cwd=home)
        if done.returncode:
            raise RuntimeError(f"the peer {name} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return json.loads(done.stdout.strip().splitlines()[-1])
