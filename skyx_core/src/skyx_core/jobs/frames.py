"""Frames over any channel: a greeting line, then one byte of kind, four bytes of length, the body."""

from __future__ import annotations

import json
import struct

from skyx_core.errors import AgentError
from skyx_core.node.runner import Channel
from skyx_core.results import Json

MAGIC = b"\nSKYX-AGENT "
MAX_BODY = 16 * 1024 * 1024
MAX_PREAMBLE = 1024 * 1024
_HEAD = struct.Struct(">cI")


class FrameStream:
    """One connection. Not thread-safe; raises ``AgentError`` on anything that isn't the protocol."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._buffer = bytearray()

    def greeting(self, timeout: float) -> str:
        """Skip what login shells print; returns "PROTOCOL VERSION" of the agent's greeting line."""
        while (start := self._buffer.find(MAGIC)) < 0 or self._buffer.find(b"\n", start + 1) < 0:
            if len(self._buffer) > MAX_PREAMBLE:
                raise AgentError("the agent did not greet", why="something else answers at its place")
            self._fill(timeout)
        end = self._buffer.find(b"\n", start + 1)
        line = bytes(self._buffer[start + len(MAGIC) : end])
        del self._buffer[: end + 1]
        return line.decode("ascii", "replace")

    def send(self, message: dict[str, Json]) -> None:
        """One JSON frame."""
        body = json.dumps(message, separators=(",", ":")).encode()
        if len(body) > MAX_BODY:
            raise AgentError(
                f"the request is too large for the agent ({len(body)} bytes)",
                hint="move large data into files: file_mounts or the workdir",
            )
        self._channel.send(_HEAD.pack(b"J", len(body)) + body)

    def receive(self, timeout: float | None) -> tuple[bytes, bytes]:
        """(kind, body) of the next frame; raises ``TimeoutError``, without losing what has arrived."""
        self._need(_HEAD.size, timeout)
        kind, length = _HEAD.unpack_from(self._buffer)
        if kind not in (b"J", b"B") or length > MAX_BODY:
            raise AgentError("the agent sent what is not the protocol")
        self._need(_HEAD.size + length, timeout)
        body = bytes(self._buffer[_HEAD.size : _HEAD.size + length])
        del self._buffer[: _HEAD.size + length]
        return kind, body

    def receive_json(self, timeout: float | None) -> dict[str, Json]:
        """The next frame, which must be JSON."""
        kind, body = self.receive(timeout)
        if kind != b"J":
            raise AgentError("the agent sent data where an answer was due")
        try:
            value = json.loads(body)
        except ValueError as error:
            raise AgentError("the agent sent malformed JSON") from error
        if not isinstance(value, dict):
            raise AgentError("the agent sent JSON that is not an object")
        return value

    def close(self) -> None:
        """Safe to repeat."""
        self._channel.close()

    def _need(self, count: int, timeout: float | None) -> None:
        while len(self._buffer) < count:
            self._fill(timeout)

    def _fill(self, timeout: float | None) -> None:
        data = self._channel.receive(65536, timeout)
        if not data:
            raise AgentError("the connection to the agent ended", hint="the next command reconnects; see 'skyx status'")
        self._buffer += data
