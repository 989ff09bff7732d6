"""The agent as one file, named by its digest."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import sys
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from skyx_core.node.folders import private_folder

_EPOCH = (1980, 1, 1, 0, 0, 0)
_MAIN = b"import sys\nfrom skyx_agent.main import main\nsys.exit(main(sys.argv[1:]))\n"


@dataclass(frozen=True)
class AgentPayload:
    """``data``: a zip file that any Python from 3.8 on runs; it starts fastest on the version that made it."""

    data: bytes
    digest: str

    @property
    def path(self) -> str:
        """On the node, relative to its home."""
        return f".skyx/agent-{self.digest[:16]}.pyz"


def agent_payload(cache: Path) -> AgentPayload:
    """From ``cache``, a folder, where it was made before from the same sources; else made and kept there."""
    sources = sorted(_sources())
    digest = _digest(sources)
    kept = cache / f"agent-{digest[:16]}.pyz"
    try:
        data = kept.read_bytes()
        if zipfile.is_zipfile(io.BytesIO(data)):
            return AgentPayload(data, digest)
    except OSError:
        pass
    data = _archive(sources)
    with suppress(OSError):  # without a place to keep it, it is made again next time
        private_folder(cache)
        part = kept.with_suffix(f".{secrets.token_hex(4)}")
        part.write_bytes(data)
        part.chmod(0o600)
        os.replace(part, kept)
    return AgentPayload(data, digest)


def _digest(sources: list[tuple[str, bytes]]) -> str:
    """Of the sources and of the Python whose compiled code is put beside them."""
    state = hashlib.sha256(sys.version.encode())
    for name, data in sources:
        state.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
    return state.hexdigest()


def _archive(sources: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, tempfile.TemporaryDirectory() as folder:
        for name, data in [*sources, ("__main__.py", _MAIN)]:
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
            compiled = _compiled(Path(folder), name, data)
            archive.writestr(zipfile.ZipInfo(f"{name}c", _EPOCH), compiled, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _compiled(folder: Path, name: str, data: bytes) -> bytes:
    """Code for this Python's version; another one ignores it and reads the source."""
    import py_compile

    source, target = folder / "source.py", folder / "code.pyc"
    source.write_bytes(data)
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(source), str(target), dfile=name, doraise=True, invalidation_mode=unchecked)
    return target.read_bytes()


def _sources() -> list[tuple[str, bytes]]:
    package = files("skyx_agent")
    return [(f"skyx_agent/{item.name}", item.read_bytes()) for item in package.iterdir() if item.name.endswith(".py")]
