"""A very small client, for the agent's own commands."""

from __future__ import annotations

import socket

from skyx_agent import protocol
from skyx_agent.errors import AgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skyx_agent.values import Json

ANSWER_SECONDS = 2.0


class Probe:
    """Connects and says hello. Raises ``OSError`` if nobody answers within 2 s."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(ANSWER_SECONDS)
        self._decoder = protocol.Decoder()
        try:
            self._socket.connect(path)
            self._skip_greeting()
            self.ask({"op": "hello", "protocols": [protocol.PROTOCOL], "client": "skyx_agent"})
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> Probe:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def ask(self, message: Json) -> Json:
        self._socket.sendall(protocol.json_frame(message))
        while True:
            data = self._socket.recv(65536)
            if not data:
                raise ConnectionError("the agent closed the connection")
            for _, body in self._decoder.feed(data):
                return _checked(protocol.parse(body))

    def _skip_greeting(self) -> None:
        seen = b""
        while protocol.MAGIC not in seen or not seen.endswith(b"\n"):
            data = self._socket.recv(1)
            if not data:
                raise ConnectionError("the agent closed the connection")
            seen += data


def _checked(answer: Json) -> Json:
    error = answer.get("error")
    if isinstance(error, dict):
        raise AgentError(str(error.get("code")), str(error.get("message")), str(error.get("hint", "")))
    return answer
