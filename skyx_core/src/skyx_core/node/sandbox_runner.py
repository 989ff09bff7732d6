"""Reaching a sandbox: processes in it, sockets of it, files to and from it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from skyx_core.clock import Clock, SystemClock
from skyx_core.errors import NodeError
from skyx_core.node.copying import CopyPlan, os_error_as_node_error
from skyx_core.node.folders import private_folder
from skyx_core.node.runner import Channel, NodeFacts, NodeLostError, Runner, RunResult
from skyx_core.node.sandbox_processes import Family, end_family, read_process
from skyx_core.node.sandbox_record import RUNNING, boot_id, read_record, sandbox_env, write_whole

_REAL_HOSTS = (
    "use a path below the home: '~/...' or a relative one; the nodes of this cloud have no other place of their own"
)


class SandboxRunner(Runner):
    """One sandbox. ``progress(done, total)`` is told of each file that ``put`` or ``get`` has dealt with."""

    def __init__(
        self,
        folder: Path,
        *,
        node: str,
        clock: Clock | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.node = node
        self.python = sys.executable
        self._folder = folder
        self._home = folder / "home"
        self._clock = clock or SystemClock()
        self._progress = progress or _silent

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout: float,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
    ) -> RunResult:
        """The environment is built from scratch; ``env`` is put on top. On time-out, what was started is ended."""
        self._check_running()
        folder = self._resolve(cwd or "~")
        try:
            process = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**sandbox_env(self._folder), **(env or {})},
                cwd=folder,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise NodeError(f"{argv[0] if argv else ''!r} can't be run", where=self.node, why=str(error)) from error
        with process:
            return self._finish(process, argv, stdin, timeout)

    def _finish(self, process: subprocess.Popen[bytes], argv: Sequence[str], stdin: bytes, timeout: float) -> RunResult:
        root = read_process(process.pid)
        try:
            out, err = process.communicate(stdin, timeout=timeout)
        except BaseException as error:
            if root is not None:
                end_family(Family(roots=[root]), self._clock, 0.2)
            process.kill()
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise NodeError(
                    f"{argv[0]!r} did not end within {timeout:g} s and was ended", where=self.node
                ) from error
            raise
        code = process.returncode
        return RunResult(code if code >= 0 else 128 - code, out, err)

    def facts(self) -> NodeFacts:
        return NodeFacts(home=str(self._home), env=sandbox_env(self._folder))

    def connect(self, socket: str, *, timeout: float) -> Channel:
        """Of any length, although the kernel takes only short names of sockets."""
        self._check_running()
        path = os.path.join(self._home, socket[2:]) if socket.startswith("~/") else socket
        return _SocketChannel(_connected(path, timeout, self.node), self.node)

    def put_bytes(self, data: bytes, target: str, *, mode: int = 0o600) -> None:
        path = self._resolve(target)
        with os_error_as_node_error(f"{target!r} can't be written", self.node):
            private_folder(path.parent)
            write_whole(path, data, mode=mode)

    def put(self, source: Path, target: str, files: Sequence[str] | None = None) -> None:
        """``source`` a folder: its content goes into ``target``. A single file: ``target`` is its new name, or ends
        in ``/``.
        """
        goal = self._resolve(target)
        if target.endswith("/") and not source.is_dir():
            goal = goal / source.name
        nodes = self._folder.parent  # copied into itself, it would double with each launch
        plan = CopyPlan.make(source, goal, files, node=self.node, confine=self._home, exclude=nodes)
        plan.carry_out(self._progress)

    def get(self, source: str, target: Path) -> None:
        """A folder's content goes into ``target``; a file becomes ``target``, or goes into it if that is a folder."""
        origin = self._resolve(source, follow=True)
        if target.is_dir() and not origin.is_dir():
            target = target / origin.name
        CopyPlan.make(origin, target, None, node=self.node, confine=None).carry_out(self._progress)

    def _check_running(self) -> None:
        sandbox = read_record(self._folder, boot_id())
        if sandbox is None:
            raise self._lost(self._folder)
        if not self._home.is_dir():
            raise self._lost(self._home)
        if sandbox.state != RUNNING:
            raise NodeError("the node is stopped", where=self.node, hint="start the cluster")

    def _lost(self, path: Path) -> NodeLostError:
        hint = "its files can't be had back: take the cluster down and launch it again"
        return NodeLostError("the node is gone", where=self.node, why=f"there is no {path}", hint=hint)

    def _resolve(self, path: str, *, follow: bool = False) -> Path:
        """The real path of a path on the node, which must be below its home, whatever links jobs have made."""
        if "\0" in path:
            raise NodeError(f"{path!r} is no path", where=self.node, why="it holds a NUL")
        if path.startswith("~") and path != "~" and not path.startswith("~/"):
            raise NodeError(f"{path!r} is in another user's home", where=self.node, hint=_REAL_HOSTS)
        home = os.path.realpath(self._home)
        named = os.path.join(home, path.removeprefix("~").lstrip("/") if path.startswith("~") else path)
        plain = os.path.normpath(named)
        if os.path.isabs(path) and os.path.commonpath([str(self._home), plain]) == str(self._home):
            plain = home + plain[len(str(self._home)) :]
        real = os.path.realpath(plain)
        if not follow and plain != home:  # the last part itself may be a link, to be replaced
            parent, name = os.path.split(plain)
            last_is_folder = os.path.isdir(real)
            real = real if last_is_folder else os.path.join(os.path.realpath(parent), name)
        if real != home and not real.startswith(home + "/"):
            raise NodeError(
                f"{path!r} is outside the node's home", where=self.node, why=f"it is {real}", hint=_REAL_HOSTS
            )
        return Path(real)


def _silent(done: int, total: int) -> None:
    del done, total


def _connected(path: str, timeout: float, node: str) -> socket.socket:
    folder, name = os.path.split(path)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(timeout)
    try:
        descriptor = os.open(folder or ".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            connection.connect(f"/proc/self/fd/{descriptor}/{name}")
        finally:
            os.close(descriptor)
    except OSError as error:
        connection.close()
        raise NodeError("the socket on the node can't be opened", where=f"{node}:{path}", why=str(error)) from error
    return connection


class _SocketChannel:
    """A connected Unix socket."""

    def __init__(self, connection: socket.socket, node: str) -> None:
        self._socket = connection
        self._node = node

    def send(self, data: bytes) -> None:
        try:
            self._socket.settimeout(60)  # a peer that takes nothing for so long is as good as gone
            self._socket.sendall(data)
        except OSError as error:
            raise NodeError("the other side of the connection is gone", where=self._node, why=str(error)) from error

    def receive(self, limit: int, timeout: float | None) -> bytes:
        self._socket.settimeout(timeout)
        try:
            return self._socket.recv(limit)
        except TimeoutError:
            raise
        except BlockingIOError as error:  # a timeout of 0
            raise TimeoutError from error
        except ConnectionError:
            return b""
        except OSError as error:
            raise NodeError("the connection is broken", where=self._node, why=str(error)) from error

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
