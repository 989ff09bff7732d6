r"""The agent's protocol, version 1.

On connect the agent sends the line ``\nSKYX-AGENT 1 <agent version>\n``. A reader skips everything before it, since
login shells print things. After it both sides send frames: one byte type (``J``: JSON object in UTF-8, ``B``: raw
bytes), four bytes length (big endian, at most 16 MiB), body. The client's first frame is
``{"op": "hello", "protocols": [1], "client": "..."}``; the answer is ``{"ok": true, "protocol": 1, "version": ...,
"cluster": uid or null}``. Requests are ``{"op": ..., "id": n, ...}``; each is answered by ``{"id": n, "ok": true,
...}`` or ``{"id": n, "ok": false, "error": {"code", "message", "hint"}}``. Answers to different requests may come in
any order. ``logs`` sends any number of ``{"id": n, "chunk": {...}}``, each followed by one ``B`` frame, before its
answer.

Operations (all but ``hello`` need the hello first):

``configure`` cluster: {name, uid, cloud, region, zone, nodes: [{rank, node, address, home, env, gpus, cpus, marker}],
    strict, boot, watch_ssh}. Idempotent. Another ``boot`` than the stored one ends what was running as FAILED_DRIVER.
``submit`` job: a job's fields. -> job_id. The same submit_id always gives the same job_id.
``queue`` limit (1000), since (job id, exclusive). -> jobs, newest first: all active ones and the last
    ``limit`` ended ones.
``job`` job_id or null (= latest). -> job.
``wait`` job_id or null, timeout (seconds, 3600 at most). -> done, job. Pushed when the job ends.
``cancel`` jobs: [ids], all, latest (that has not ended, if any). -> cancelled, already_done, unknown.
    Answers when the processes are gone.
``logs`` job_id or null, ranks, offsets {stream: bytes}, follow, tail (lines). -> chunks; then done, status.
``autostop`` set: {idle_minutes, down, wait_for, argv}, or cancel: true, or nothing (= get). -> autostop.
``touch`` resets the idle clock; ``hold`` keeps the cluster from being idle while the connection lives.
``status`` -> uid, jobs (counts), idle_for_s, autostop, version, supervised, clock, notes.
``shutdown`` kill_jobs. Answers when everything is gone, then the agent and its supervisor end.
``upgrade`` argv: the supervisor replaces itself by this program; running ranks go on.
"""

from __future__ import annotations

import json
import struct

from skyx_agent import VERSION
from skyx_agent.errors import AgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from skyx_agent.values import Json

PROTOCOL = 1
MAX_BODY = 16 << 20
MAX_GREETING_BODY = 64 << 10
MAGIC = b"\nSKYX-AGENT 1 "
JSON = b"J"
BYTES = b"B"
_HEAD = struct.Struct(">cI")


def greeting() -> bytes:
    return MAGIC + VERSION.encode("ascii") + b"\n"


def frame(kind: bytes, body: bytes) -> bytes:
    return _HEAD.pack(kind, len(body)) + body


def json_frame(message: Json) -> bytes:
    """One JSON frame. Lone surrogates travel as escapes."""
    return frame(JSON, json.dumps(message, separators=(",", ":")).encode("ascii"))


class Decoder:
    """Cuts a byte stream into frames. Raises ``AgentError`` on garbage; the stream can't be used after that."""

    def __init__(self, limit: int = MAX_BODY) -> None:
        self.limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yields (type, body) for each whole frame."""
        self._buffer += data
        while len(self._buffer) >= _HEAD.size:
            kind, size = _HEAD.unpack_from(self._buffer)
            if kind not in (JSON, BYTES):
                raise AgentError("bad_frame", "the bytes received are not a frame of the agent's protocol")
            if size > self.limit:
                raise AgentError("too_large", f"a frame of {size} bytes was announced, {self.limit} is the limit")
            if len(self._buffer) < _HEAD.size + size:
                return
            body = bytes(self._buffer[_HEAD.size : _HEAD.size + size])
            del self._buffer[: _HEAD.size + size]
            yield kind, body


def parse(body: bytes) -> Json:
    """The JSON object of a frame."""
    try:
        message = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise AgentError("bad_json", f"a request is not valid JSON: {type(error).__name__}") from error
    if not isinstance(message, dict):
        raise AgentError("bad_json", "a request must be a JSON object")
    return message
