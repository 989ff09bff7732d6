"""HTTP for the fake cloud: answers, faults on the wire, the record of calls."""

from __future__ import annotations

import json
import select
import socket
import struct
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Protocol
from urllib.parse import parse_qsl, urlsplit

from skyx_core.testing.fakecloud.control import Control
from skyx_core.testing.fakecloud.faults import Fault, FaultKind, Faults
from skyx_core.testing.fakecloud.refusals import Body, Refusal, invalid
from skyx_core.testing.fakecloud.world import World

Answer = dict[str, object]
_HOLD_S = 60.0  # the longest that a call which is never answered is held
_BODY_LIMIT = 8 * 1024 * 1024
_CALLS_KEPT = 100_000


class Api(Protocol):
    """One shape of cloud."""

    mutating: frozenset[str]
    lists: frozenset[str]

    def route(self, method: str, path: str, query: Mapping[str, str]) -> tuple[str, Callable[[Body], Answer]]: ...


@dataclass
class Service:
    """Everything one server serves."""

    world: World
    api: Api
    faults: Faults = field(default_factory=Faults)
    calls: list[Answer] = field(default_factory=list)

    def handle(self, method: str, path: str, query: Mapping[str, str], body: Body) -> tuple[Answer, Fault | None]:
        """Carry out one call of the cloud, unless a fault forbids it. Raises ``Refusal``."""
        op, function = self.api.route(method, path, query)
        fault = self.faults.take(op)
        with self.world.lock:
            self._note(op, fault)
            if fault is not None and not fault.kind.effect:
                return {}, fault
            self.world.settle()
            answer = function(body)
        if fault is not None and fault.kind is FaultKind.PARTIAL:
            answer = _halved(op, answer, self.api)
        return answer, fault

    def control(self, path: str, body: Body) -> Answer:
        """Carry out one order of a test. Raises ``Refusal``."""
        with self.world.lock:
            self.world.settle()
            return Control(self.world, self.faults, self.calls).route(path)(body)

    def _note(self, op: str, fault: Fault | None) -> None:
        if len(self.calls) < _CALLS_KEPT:
            kind = "" if fault is None else str(fault.kind)
            self.calls.append({"op": op, "mutating": op in self.api.mutating, "fault": kind})


def _halved(op: str, answer: Answer, api: Api) -> Answer:
    nodes = answer.get("nodes")
    if op not in api.lists or not isinstance(nodes, list):
        return answer
    return {**answer, "nodes": nodes[: len(nodes) // 2], "next": "", "unreachable": ["part of the list"]}


class Server(ThreadingHTTPServer):
    """Listens on 127.0.0.1 at a port chosen by the kernel."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.service: Service | None = None
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A caller that went away is everyday life here."""
        del request, client_address


class Handler(BaseHTTPRequestHandler):
    """One connection, one call."""

    server: Server
    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def do_PATCH(self) -> None:
        self._serve("PATCH")

    def do_DELETE(self) -> None:
        self._serve("DELETE")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        del format, args

    def _serve(self, method: str) -> None:
        service = self.server.service
        assert service is not None
        parts = urlsplit(self.path)
        fault: Fault | None = None
        try:
            body = self._body()
            if parts.path.startswith("/_control/"):
                status, answer = 200, service.control(parts.path, body)
            else:
                answer, fault = service.handle(method, parts.path, dict(parse_qsl(parts.query)), body)
                status = 200
        except Refusal as refusal:
            status, answer = refusal.status, _error(refusal.code, refusal.message)
        except Exception as error:
            status, answer = 500, _error("ServerBug", repr(error))
        self._reply(status, answer, fault)

    def _body(self) -> Body:
        length = int(self.headers.get("Content-Length") or 0)
        if length > _BODY_LIMIT:
            raise invalid("the body is too large")
        raw = self.rfile.read(length)
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            raise invalid("the body is no JSON") from None
        if not isinstance(body, dict):
            raise invalid("the body is no JSON object")
        return body

    def _reply(self, status: int, answer: Answer, fault: Fault | None) -> None:
        kind = fault.kind if fault is not None else None
        data = json.dumps(answer).encode()
        if fault is not None and kind in (FaultKind.ERROR_BEFORE, FaultKind.ERROR_AFTER):
            status, data = fault.status, json.dumps(_error(fault.code, fault.message)).encode()
        if kind in (FaultKind.TIMEOUT_BEFORE, FaultKind.TIMEOUT_AFTER):
            self._hold()
        elif kind in (FaultKind.RESET, FaultKind.RESET_AFTER):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        else:
            if fault is not None and kind is FaultKind.DELAY:
                self.server.closing.wait(fault.seconds)
            self._send(status, data[: len(data) // 2] if kind is FaultKind.GARBAGE else data)

    def _send(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _hold(self) -> None:
        """Say nothing until the caller hangs up."""
        for _ in range(int(_HOLD_S / 0.1)):
            if self.server.closing.is_set() or select.select([self.connection], [], [], 0.1)[0]:
                return


def _error(code: str, message: str) -> Answer:
    return {"error": {"code": code, "message": message}, "request_id": uuid.uuid4().hex}
