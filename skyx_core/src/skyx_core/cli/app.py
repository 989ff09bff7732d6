"""What one run of the command line carries along: streams, flags, and the session once a command asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from skyx_core.cli.shown import in_field
from skyx_core.errors import NotConfirmedError, UsageError

if TYPE_CHECKING:
    from skyx_core.cli.ports import OnEvent, SessionFactory, SessionPort
    from skyx_core.cli.streams import Streams
    from skyx_core.clock import Clock


def real_session(
    *,
    environ: Mapping[str, str],
    cwd: str,
    flags: Mapping[str, object],
    scan_plugins: bool,
    on_event: OnEvent | None,
    command: str,
) -> SessionPort:
    """The session of this release."""
    from pathlib import Path

    from skyx_core.session import Session

    session: SessionPort = Session(
        environ=environ,
        cwd=Path(cwd),
        flags=flags,
        scan_plugins=scan_plugins,
        on_event=on_event,
        command=command,
    )
    return session


class App:
    """State of one command. ``flags``: common flags that were given (``output``, ``color``, ...), nothing else."""

    def __init__(
        self,
        streams: Streams,
        *,
        environ: Mapping[str, str],
        cwd: str,
        command: str = "",
        make_session: SessionFactory = real_session,
    ) -> None:
        self.streams = streams
        self.environ = environ
        self.cwd = cwd
        self.command = command
        self.flags: dict[str, object] = {}
        self._make_session = make_session
        self.begun: Callable[[], None] = lambda: None  # told once, when Ctrl-C has something to tidy up
        self._session: SessionPort | None = None

    @property
    def clock(self) -> Clock:
        """The process's clock; its module isn't needed for help."""
        from skyx_core.clock import clock_from

        return clock_from(self.environ)

    @property
    def json(self) -> bool:
        """Whether stdout is for a program."""
        return self.flags.get("output") == "json"

    @property
    def scan_plugins(self) -> bool:
        """Whether plugins of third parties may be looked for."""
        return not self.flags.get("no_plugins")

    @property
    def can_prompt(self) -> bool:
        """Whether a question can be shown and answered."""
        if self.flags.get("no_input") or self._setting("input") in {False, "0", "false", "no", "off"}:
            return False
        return self.streams.in_tty and self.streams.err_tty

    def color(self, *, tty: bool) -> bool:
        """Whether to colour what goes to a stream that is (not) a terminal. Flag, then variables, then the stream."""
        mode = self.flags.get("color") or self._setting("color") or "auto"
        if mode in {"always", "never"}:
            return mode == "always"
        if self.environ.get("NO_COLOR"):
            return False
        if self.environ.get("FORCE_COLOR") or self.environ.get("CLICOLOR_FORCE"):
            return True
        return tty and self.environ.get("TERM") != "dumb"

    def progress_mode(self) -> str:
        """auto, plain, json or quiet."""
        return str(self.flags.get("progress") or self._setting("progress") or "auto")

    @property
    def quiet(self) -> bool:
        """Whether only errors, warnings and questions are wanted on stderr."""
        return self.progress_mode() == "quiet"

    def on_interrupt(self, flag: str | None) -> str:
        """cleanup, keep or ask; never ask where nothing can be asked."""
        mode = str(flag or self._setting("on_interrupt") or "ask")
        return mode if mode != "ask" or self.can_prompt else "cleanup"

    def _setting(self, key: str) -> object:
        """From the settings once there is a session; before, variables alone (so that errors can be shown early)."""
        if self._session is not None:
            return self._session.settings.get(key)
        return self.environ.get(f"SKYX_{key.upper()}")

    def session(self, on_event: OnEvent | None = None) -> SessionPort:
        """The session; made at the first call, which alone decides who hears the events."""
        if self._session is None:
            self._session = self._make_session(
                environ=self.environ,
                cwd=self.cwd,
                flags=self._setting_flags(),
                scan_plugins=self.scan_plugins,
                on_event=on_event,
                command=self.command,
            )
            self.begun()
        return self._session

    def _setting_flags(self) -> dict[str, object]:
        flags: dict[str, object] = {key: self.flags[key] for key in ("color", "progress") if key in self.flags}
        if self.flags.get("no_input"):
            flags["input"] = False
        return flags

    def close(self) -> None:
        """Let go of the session, if there is one. Safe to repeat."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def note(self, text: str, *, painted: bool = False) -> None:
        """Lines for a human, on stderr. ``painted``: with colours of ours."""
        self.streams.note(text, painted=painted)

    def ask(self, question: str, *, instead: str) -> bool:
        """Yes or no, default no. Without a terminal: UsageError that names ``instead``, the flag to pass."""
        if not self.can_prompt:
            raise UsageError(
                f"The question {question!r} can't be shown here",
                why="there is no terminal, or --no-input was given",
                hint=f"pass {instead} to go on without a question",
            )
        self.streams.raw_note(f"{in_field(question)} [y/N] ".encode())
        return self.streams.read_line().strip().lower() in {"y", "yes"}

    def confirm(self, question: str, *, yes: bool) -> None:
        """Go on only with the user's yes; SkyxError otherwise."""
        if not yes and not self.ask(question, instead="-y"):
            raise NotConfirmedError("not confirmed; nothing was changed")
