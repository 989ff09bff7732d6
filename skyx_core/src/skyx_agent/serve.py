"""Starts the agent if it doesn't run yet, and says where it is."""

from __future__ import annotations

import json
import os
import signal
import sys
import time

from skyx_agent import VERSION, paths
from skyx_agent.entry import command
from skyx_agent.errors import AgentError
from skyx_agent.files import make_private_dir, read_bytes
from skyx_agent.probe import Probe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skyx_agent.values import Json

READY_SECONDS = 10.0
POLL_SECONDS = 0.01
PR_SET_CHILD_SUBREAPER = 36
KEEP = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "TMPDIR", "XDG_RUNTIME_DIR")
ERROR_FILE = "agent.error"


def main(folder: str, foreground: bool) -> int:
    """Prints one JSON line: where the agent is, or ``{"error": ...}`` (exit code 1). Safe to repeat."""
    try:
        found, child = ensure(folder, foreground)
    except (AgentError, OSError) as error:
        shown = error if isinstance(error, AgentError) else AgentError("disk", f"the agent can't start: {error}")
        sys.stderr.write(f"skyx_agent: {shown.message}\n")
        sys.stdout.write(json.dumps({"error": shown.as_json()}) + "\n")
        return 1
    keys = ("pid", "supervisor_pid", "socket", "version")
    sys.stdout.write(json.dumps({key: found.get(key) for key in keys}) + "\n")
    sys.stdout.flush()
    return _attend(child) if foreground and child else 0


def ensure(folder: str, foreground: bool = False) -> tuple[Json, int]:
    """(status of a healthy agent of this version, pid of the supervisor if this call started one, else 0)."""
    make_private_dir(folder)
    running = status(folder)
    if running is not None and running.get("version") == VERSION:
        return running, 0
    child = 0
    _clear_error(folder)
    if running is not None:
        _ask(folder, {"op": "upgrade", "argv": command("supervise", "--dir", folder)})
    else:
        _wake_deaf(folder)
        child = launch(folder, foreground)
    return _await(folder), child


def status(folder: str) -> Json | None:
    """What a healthy agent answers within 2 s; None if there is none."""
    try:
        return _ask(folder, {"op": "status"})
    except (OSError, AgentError):
        return None


def _ask(folder: str, message: Json) -> Json:
    path = paths.read_agent_json(folder).get("socket")
    if not isinstance(path, str):
        raise FileNotFoundError(2, "no agent has been started", folder)
    with Probe(path) as probe:
        return probe.ask(message)


def launch(folder: str, foreground: bool = False) -> int:
    """Start the supervisor: a session of its own, no inherited files, a child subreaper. Returns its pid."""
    try:
        import ctypes
    except ImportError as error:
        raise AgentError(
            "no_ctypes", "this Python has no ctypes module, which the agent needs", "use another Python"
        ) from error

    prctl = ctypes.CDLL(None).prctl
    log = os.open(os.path.join(folder, "agent.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    argv = command("supervise", "--dir", folder)
    environ = _environment()
    child = os.fork()
    if child == 0:
        try:
            if not foreground:
                os.setsid()
                if os.fork():
                    os._exit(0)
            _settle(log)
            prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
            os.execve(argv[0], argv, environ)  # noqa: S606 - no shell is the point
        finally:
            os._exit(127)
    os.close(log)
    if not foreground:
        os.waitpid(child, 0)
    return child


def _settle(log: int) -> None:
    """Standard files and nothing else; default signals; a folder that can't be unmounted under us."""
    null = os.open(os.devnull, os.O_RDWR)
    for target, source in ((0, null), (1, null), (2, log)):
        os.dup2(source, target)
    os.closerange(3, min(os.sysconf("SC_OPEN_MAX"), 1 << 16))
    os.chdir("/")
    os.umask(0o022)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _environment() -> dict[str, str]:
    """Only what the agent uses: credentials of the caller must not live on in it."""
    return {
        key: value
        for key, value in os.environ.items()
        if key in KEEP or (key.startswith("SKYX_") and key != "SKYX_JOB_MARKER")
    }


def _await(folder: str) -> Json:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        found = status(folder)
        if found is not None and found.get("version") == VERSION:
            return found
        _raise_refusal(folder)
        time.sleep(POLL_SECONDS)
    raise AgentError(
        "not_ready", f"the agent did not answer within {READY_SECONDS:g} s", f"see {os.path.join(folder, 'agent.log')}"
    )


def _raise_refusal(folder: str) -> None:
    try:
        data = json.loads(read_bytes(os.path.join(folder, ERROR_FILE)))
    except (OSError, ValueError):
        return
    raise AgentError(str(data.get("code")), str(data.get("message")), str(data.get("hint", "")))


def _clear_error(folder: str) -> None:
    try:
        os.unlink(os.path.join(folder, ERROR_FILE))
    except FileNotFoundError:
        return


def _wake_deaf(folder: str) -> None:
    """An agent that holds the lock but can't be reached is asked to make its socket anew."""
    import fcntl

    lock = os.open(os.path.join(folder, "agent.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        from skyx_agent.deaf import wake

        wake(folder)
    finally:
        os.close(lock)


def _attend(child: int) -> int:
    """Stay until the supervisor ends; Ctrl-C and SIGTERM end it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: os.kill(child, signal.SIGTERM))
    _, status_ = os.waitpid(child, 0)
    return os.WEXITSTATUS(status_) if os.WIFEXITED(status_) else 1
