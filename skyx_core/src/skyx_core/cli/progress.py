"""Progress on stderr: plain lines, a live line on a terminal, NDJSON, or nothing."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from skyx_core.cli.fitting import hanging
from skyx_core.cli.output import columns
from skyx_core.cli.phases import Line, Phases
from skyx_core.cli.shown import in_cell

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar

    from skyx_core.cli.app import App
    from skyx_core.models import Event

_BESIDE = 12  # columns that the spinner and the time take on the live line
_LOUD = frozenset({"!"})
_COLOR = {"-": "\033[2m", "+": "\033[32m", "!": "\033[33m"}


class Progress:
    """Hears events from any thread. As a context manager it removes the live line at its end."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._mode = ""
        self._phases = Phases()
        self._lock = threading.Lock()
        self._bar: Bar | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None) -> None:
        self.pause()

    def __call__(self, event: Event) -> None:
        """Show one event. Never raises for what an event holds."""
        with self._lock:
            self._mode = self._mode or self._choose()
            if self._mode == "json":
                self._app.note(event.model_dump_json(exclude_defaults=True, exclude_none=True))
                return
            for line in self._phases.feed(event):
                if self._mode != "quiet" or (line.mark in _LOUD and not line.repeated):
                    self._print(line)
            if self._mode == "live":
                self._show_current()

    def _choose(self) -> str:
        """At the first event: only then there is a session, and with it all settings."""
        mode = self._app.progress_mode()
        if mode != "auto":
            return mode
        return "live" if self._app.streams.err_tty and self._app.color(tty=True) else "plain"

    def pause(self) -> None:
        """Take the live line away, so that others can write or ask."""
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.stop()

    def _print(self, line: Line) -> None:
        text = hanging(line.render(), columns(self._app, tty=self._app.streams.err_tty))
        if self._mode != "live":
            self._app.note(text)
        elif line.mark != "-" or self._phases.current is None:
            self.pause()
            painted = "\n".join(f"{_COLOR[line.mark]}{one}\033[0m" for one in text.split("\n"))
            self._app.note(painted, painted=True)

    def _show_current(self) -> None:
        phase = self._phases.current
        if phase is None:
            self.pause()
            return
        text = in_cell(f"{phase.title} [{phase.detail}]" if phase.detail else phase.title)
        text = _one_line(text, (columns(self._app, tty=True) or 80) - _BESIDE)
        if self._bar is None:
            self._bar = _live_line()
            self._bar.add_task(text, total=None)
            self._bar.start()
        else:
            self._bar.update(self._bar.task_ids[0], description=text)


def _one_line(text: str, room: int) -> str:
    """A line that moves must not have two."""
    return text if len(text) <= room else f"{text[: max(room - 3, 0)]}..."


def _live_line() -> Bar:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn("line"), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    console = Console(stderr=True, force_terminal=True)
    return Bar(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
