"""Ends the cluster when it has been idle for long enough, by running the program that it was given for that."""

from __future__ import annotations

import json
import os

from skyx_agent import values
from skyx_agent.environment import SANE_PATH
from skyx_agent.errors import AgentError
from skyx_agent.files import read_bytes
from skyx_agent.logins import ssh_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from skyx_agent.job import Job
    from skyx_agent.jobqueue import JobQueue
    from skyx_agent.loop import Timer
    from skyx_agent.services import Services
    from skyx_agent.values import Json

OFF, ARMED, STOPPING, FAILING = "off", "armed", "AUTOSTOPPING", "failing"
WAIT_FOR = ("jobs_and_ssh", "jobs", "none")
CHECK_SECONDS = 1.0
SSH_CHECK_SECONDS = 10.0
FIRST_RETRY_SECONDS = 2.0
LAST_RETRY_SECONDS = 60.0
WORD_SECONDS = 5.0
END_LIMIT_SECONDS = 900.0  # a cluster that ends itself is gone by then


class Autostop:
    """Settings and state are kept in the store, so that a restarted agent goes on counting.

    Idle: nothing waits, runs or holds (``wait_for: jobs``), nor is anybody logged in (``jobs_and_ssh``). ``none``
    counts from the moment it was set, whatever happens. Fires within 2 s of being due.
    """

    def __init__(self, services: Services, queue: JobQueue) -> None:
        self._services = services
        self._queue = queue
        self._setting: Json = {}
        self._state = OFF
        self._reason = ""
        self._active_at = services.clock.time()
        self._set_at = self._active_at
        self._retry_pause = FIRST_RETRY_SECONDS
        self._retry_at = 0.0
        self._ssh_at = 0.0
        self._fired_at = 0.0
        self._timer: Timer | None = None
        self.holds = 0
        queue.listeners.append(self._job_changed)
        self._load()

    # -- requests ------------------------------------------------------------------------------------------------

    def set(self, data: Mapping[str, object]) -> None:
        """Arm it; the idle clock starts now. Durable on return. Negative idle minutes = off."""
        minutes = values.number(data, "idle_minutes")
        wait_for = values.text(data, "wait_for", "jobs_and_ssh")
        argv = values.words(data, "argv")
        if wait_for not in WAIT_FOR:
            raise AgentError("invalid", f"wait_for must be one of {', '.join(WAIT_FOR)}, not {wait_for!r}")
        if not argv or any(values.NUL in word for word in argv):
            raise AgentError("invalid", "autostop needs the argv of the program that ends the cluster")
        if minutes < 0:
            self.cancel()
            return
        setting: Json = {
            "idle_minutes": minutes, "down": values.flag(data, "down"), "wait_for": wait_for, "argv": argv,
        }  # fmt: skip
        now = self._services.clock.time()
        self._keep(setting, ARMED, now, now)
        self._set_at = self._active_at = now
        self._setting, self._state, self._reason = setting, ARMED, ""
        self._retry_pause, self._retry_at = FIRST_RETRY_SECONDS, 0.0
        self._check_soon(0.0)

    def cancel(self) -> None:
        self._keep({}, OFF, self._set_at, self._active_at)
        self._setting, self._state, self._reason = {}, OFF, ""

    def touch(self) -> None:
        """Something was done here: the idle clock starts again."""
        self._active_at = self._services.clock.time()
        if self._state == FAILING:
            self._state, self._reason = ARMED, ""

    def refuse_if_stopping(self) -> None:
        if self._state == STOPPING:
            raise AgentError("autostopping", "the cluster is stopping itself", "start it again, then submit")

    def describe(self) -> Json:
        """Setting and state. ``argv`` is left out: it may hold what the driver wants to keep to itself."""
        shown = {key: value for key, value in self._setting.items() if key != "argv"}
        due = self._due_in() if self._state in (ARMED, FAILING) else None
        return {**shown, "state": self._state, "reason": self._reason, "due_in_s": due}

    def idle_for(self) -> float:
        """Seconds since the last activity; 0 while there is some."""
        if self._queue.active or self.holds:
            return 0.0
        return max(0.0, self._services.clock.time() - self._active_at)

    # -- watching ------------------------------------------------------------------------------------------------

    def begin(self, held: bool) -> None:
        """Go on where the last agent stopped. One whose cluster was ended (``held``: by the user) waits a little for
        word of a new start.
        """
        if self._state == STOPPING or (held and self._state != OFF):
            self._active_at = self._set_at = self._services.clock.time()
            self._state, self._reason = ARMED, ""
            self._retry_at = self._active_at + WORD_SECONDS
            self._remember()
        self._check_soon(0.0)

    def cluster_restarted(self) -> None:
        """The cluster was started again: who started it says anew when it is to end."""
        if self._state != OFF:
            self.cancel()

    def _job_changed(self, job: Job) -> None:
        self.touch()
        if job.terminal:
            self._remember()
            self._check_soon(0.0)

    def _check_soon(self, delay: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._services.loop.call_later(delay, self._check)

    def _check(self) -> None:
        if self._state == STOPPING:
            self._watch_end()
            return
        if self._state not in (ARMED, FAILING):
            return
        self._see_activity()
        due = self._due_in()
        if due <= 0 and self._services.clock.time() >= self._retry_at:
            self._fire()
            return
        self._check_soon(min(CHECK_SECONDS, max(due, 0.05)))

    def _watch_end(self) -> None:
        """What should have ended the cluster hangs, or did nothing: try again, and take jobs meanwhile."""
        if self._services.clock.time() - self._fired_at > END_LIMIT_SECONDS:
            self._failed(f"the cluster did not end within {END_LIMIT_SECONDS:.0f} s")
        else:
            self._check_soon(CHECK_SECONDS)

    def _see_activity(self) -> None:
        wait_for = self._setting.get("wait_for")
        now = self._services.clock.time()
        if wait_for == "none":
            return
        if self._queue.active or self.holds:
            self._active_at = now
        cluster = self._queue.cluster
        looks = wait_for == "jobs_and_ssh" and (cluster is None or cluster.watch_ssh)
        if looks and (not 0 <= now - self._ssh_at < SSH_CHECK_SECONDS or self._due_in() <= 0):
            self._ssh_at = now
            if ssh_sessions():
                self._active_at = now

    def _due_in(self) -> float:
        since = self._set_at if self._setting.get("wait_for") == "none" else self._active_at
        busy = self._setting.get("wait_for") != "none" and bool(self._queue.active or self.holds)
        minutes = self._setting.get("idle_minutes", 0.0)
        wait = float(minutes) * 60 if isinstance(minutes, (int, float)) else 0.0
        now = self._services.clock.time()
        return max(wait, CHECK_SECONDS) if busy else since + wait - now

    # -- acting --------------------------------------------------------------------------------------------------

    def _fire(self) -> None:
        self._services.failpoints.hit("agent.autostop.before_fire")
        self._state = STOPPING
        self._remember()
        log = os.path.join(self._services.folder, "autostop.log")
        env = {
            b"PATH": os.fsencode(os.environ.get("PATH") or SANE_PATH),
            b"HOME": os.fsencode(_home()),
            b"LANG": b"C.UTF-8",
        }
        argv = [str(word) for word in values.items(self._setting, "argv")]
        try:
            pid = self._services.children.spawn(_resolved(argv), env, log, self._ended)
        except OSError as error:
            self._failed(f"{argv[0]}: {error.strerror}")
            return
        self._services.kept.add(pid)
        self._fired_at = self._services.clock.time()
        self._check_soon(CHECK_SECONDS)

    def _ended(self, code: int | None) -> None:
        if code and self._state == STOPPING:
            self._failed(f"exit code {code}{_last_line(os.path.join(self._services.folder, 'autostop.log'))}")

    def _failed(self, reason: str) -> None:
        self._services.journal.say(f"autostop failed: {reason}")
        self._state, self._reason = FAILING, f"failing: {reason}"
        self._retry_at = self._services.clock.time() + self._retry_pause
        self._retry_pause = min(self._retry_pause * 2, LAST_RETRY_SECONDS)
        self._remember()
        self._check_soon(0.0)

    # -- memory --------------------------------------------------------------------------------------------------

    def _keep(self, setting: Json, state: str, set_at: float, active_at: float) -> None:
        record = {"setting": setting, "state": state, "set_at": set_at, "active_at": active_at, "reason": self._reason}
        self._services.store.set_meta("autostop", json.dumps(record))

    def _remember(self) -> None:
        if not self._setting:
            return
        try:
            self._keep(self._setting, self._state, self._set_at, self._active_at)
        except AgentError as error:
            self._services.journal.say(f"autostop: {error}")

    def _load(self) -> None:
        try:
            record = json.loads(self._services.store.meta("autostop") or "{}")
            self._setting = values.mapping(record, "setting")
            self._state = values.text(record, "state", OFF)
            self._reason = values.text(record, "reason", "")
            self._set_at = values.number(record, "set_at", self._set_at)
            self._active_at = values.number(record, "active_at", self._active_at)
        except (ValueError, AgentError):
            self._services.journal.say("the stored autostop setting can't be read; it is off")


def _home() -> str:
    return os.path.expanduser("~")


def _resolved(argv: list[str]) -> list[str]:
    """``argv`` with its program as a path."""
    if "/" in argv[0]:
        return argv
    for folder in (os.environ.get("PATH") or SANE_PATH).split(":"):
        place = os.path.join(folder, argv[0])
        if os.access(place, os.X_OK):
            return [place, *argv[1:]]
    return argv


def _last_line(path: str) -> str:
    try:
        lines = read_bytes(path, 1 << 20).decode("utf-8", "replace").strip().splitlines()
    except OSError:
        return ""
    return f": {lines[-1][:300]}" if lines else ""
