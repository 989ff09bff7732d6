"""Where things lie: the agent's folder, and the short path of its socket."""

from __future__ import annotations

import json
import os

from skyx_agent import proc
from skyx_agent.errors import AgentError
from skyx_agent.files import make_private_dir, read_bytes, write_atomically

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skyx_agent.values import Json

SUN_PATH_BYTES = 107


def socket_path(folder: str) -> str:
    """In ``$XDG_RUNTIME_DIR/skyx`` or ``/tmp/skyx-<uid>``: a socket's path can have 107 bytes only.

    Raises ``AgentError`` if the folder belongs to somebody else.
    """
    digest = short_digest(os.fsencode(os.path.realpath(folder)))
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    shared = f"/tmp/skyx-{os.getuid()}"  # noqa: S108 - its owner is checked
    place = os.path.join(runtime, "skyx") if os.path.isdir(runtime) and os.access(runtime, os.W_OK) else shared
    if len(os.fsencode(os.path.join(place, digest))) > SUN_PATH_BYTES:
        place = shared
    try:
        make_private_dir(place)
    except OSError as error:
        raise AgentError("disk", f"the folder for the socket can't be used: {place}: {error.strerror}") from error
    return os.path.join(place, digest)


def short_digest(data: bytes) -> str:
    """12 hex digits (FNV-1a). Only tells folders of one user apart; hashlib would cost 4 MiB of memory for it."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value ^ (value >> 48):016x}"[-12:]


def write_agent_json(folder: str, socket: str, identity: Json) -> None:
    """The start time tells the process that writes it from a later one of the same number."""
    me = proc.stat(os.getpid())
    data = {"socket": socket, "start": me.start if me else None, **identity}
    write_atomically(os.path.join(folder, "agent.json"), json.dumps(data).encode("ascii"))


def read_agent_json(folder: str) -> Json:
    """Empty when there is none, or when it can't be read."""
    try:
        data = json.loads(read_bytes(os.path.join(folder, "agent.json")))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
