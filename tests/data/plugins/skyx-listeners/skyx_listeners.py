"""A listener that works and two that can't be registered."""

from __future__ import annotations

from skyx_core.api import Event, hookimpl


class Watcher:
    """Keeps what it hears."""

    heard: list[str] = []  # noqa: RUF012 - read by tests

    @hookimpl
    def skyx_event(self, event: Event) -> None:
        self.heard.append(event.kind)


class Misspelt:
    """Means skyx_event."""

    @hookimpl
    def skyx_evnt(self, event: Event) -> None:
        raise AssertionError("called")


class StrangeArguments:
    """Takes an argument that the hook doesn't have."""

    @hookimpl
    def skyx_event(self, event: Event, weather: str) -> None:
        raise AssertionError("called")
