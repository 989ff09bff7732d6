"""One client: frames in, frames out, and never more than a bounded amount of memory for it."""

from __future__ import annotations

import time

from skyx_agent import protocol
from skyx_agent.errors import AgentError
from skyx_agent.loop import READ, WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from typing import Callable

    from skyx_agent.loop import Loop
    from skyx_agent.values import Json

ROOM_BYTES = 256 * 1024
READ_BYTES = 64 * 1024
GREETING_SECONDS = 10.0


class Connection:
    """Calls ``on_message`` with each JSON request. A client that doesn't read isn't read from either."""

    def __init__(self, loop: Loop, sock: socket.socket, on_message: Callable[[Connection, Json], None]) -> None:
        self._loop = loop
        self._socket = sock
        self._fd = sock.fileno()
        self._on_message = on_message
        self._decoder = protocol.Decoder(protocol.MAX_GREETING_BODY)
        self._out = bytearray()
        self._closing = False
        self.closed = False
        self.greeted = False
        self._since = time.monotonic()
        self.on_room: list[Callable[[], None]] = []
        self.on_close: list[Callable[[], None]] = []
        sock.setblocking(False)
        self._watched = READ
        loop.watch(self._fd, READ, self._ready)
        loop.call_later(GREETING_SECONDS, self._too_quiet)
        self._write(protocol.greeting())

    def accept_greeting(self) -> None:
        """From now on requests of full size are read."""
        self.greeted = True
        self._decoder.limit = protocol.MAX_BODY

    def has_room(self) -> bool:
        return not self.closed and len(self._out) < ROOM_BYTES

    def send(self, message: Json) -> None:
        self._write(protocol.json_frame(message))

    def send_with_bytes(self, message: Json, data: bytes) -> None:
        self._write(protocol.json_frame(message) + protocol.frame(protocol.BYTES, data))

    def close_when_sent(self) -> None:
        self._closing = True
        self._flush()

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self._loop.forget(self._fd)
        self._socket.close()
        self._out.clear()
        self.on_room.clear()
        for callback in self.on_close:
            callback()

    def _too_quiet(self) -> None:
        """Measured in real time: a test's clock may jump while a client is connecting."""
        if self.greeted or self.closed:
            return
        if time.monotonic() - self._since >= GREETING_SECONDS:
            self.close()
        else:
            self._loop.call_later(GREETING_SECONDS, self._too_quiet)

    def _write(self, data: bytes) -> None:
        if not self.closed:
            self._out += data
            self._flush()

    def _flush(self) -> None:
        try:
            while self._out:
                sent = self._socket.send(memoryview(self._out)[:READ_BYTES])
                del self._out[:sent]
        except BlockingIOError:
            pass
        except OSError:
            self.close()
        if self._closing and not self._out:
            self.close()
        self._watch()

    def _watch(self) -> None:
        if not self.closed:
            reading = 0 if self._closing or not self.has_room() else READ
            wanted = reading | (WRITE if self._out else 0)
            if wanted != self._watched:
                self._watched = wanted
                self._loop.watch(self._fd, wanted, self._ready)

    def _ready(self, events: int) -> None:
        if events & WRITE:
            self._flush()
            if self.has_room():
                for callback in list(self.on_room):
                    callback()
        if events & READ and not self.closed:
            self._read()

    def _read(self) -> None:
        try:
            data = self._socket.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        try:
            for kind, body in self._decoder.feed(data):
                if kind == protocol.JSON and not (self._closing or self.closed):
                    self._on_message(self, protocol.parse(body))
        except AgentError as error:
            self.send({"ok": False, "error": error.as_json()})
            self.close_when_sent()
