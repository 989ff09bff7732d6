"""The agent as one file, named by its digest."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

_EPOCH = (1980, 1, 1, 0, 0, 0)
_MAIN = b"import sys\nfrom skyx_agent.main import main\nsys.exit(main(sys.argv[1:]))\n"


@dataclass(frozen=True)
class AgentPayload:
    """``data``: a zip file that Python runs; the same sources give the same bytes."""

    data: bytes
    digest: str

    @property
    def path(self) -> str:
        """On the node, relative to its home."""
        return f".skyx/agent-{self.digest[:16]}.pyz"


@lru_cache(maxsize=1)
def agent_payload() -> AgentPayload:
    """Built once per process from the installed package."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(_sources()):
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
    data = buffer.getvalue()
    return AgentPayload(data, hashlib.sha256(data).hexdigest())


def _sources() -> list[tuple[str, bytes]]:
    package = files("skyx_agent")
    found = [(f"skyx_agent/{item.name}", item.read_bytes()) for item in package.iterdir() if item.name.endswith(".py")]
    return [*found, ("__main__.py", _MAIN)]
