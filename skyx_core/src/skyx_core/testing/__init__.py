"""For tests of skyx and of its plugins: fake clouds and a clock that processes share. Not for use in programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.testing.attempt import RecordedIntent as RecordedIntent
    from skyx_core.testing.attempt import RecordingAttempt as RecordingAttempt
    from skyx_core.testing.clock import StepClock as StepClock
    from skyx_core.testing.clock import shared_clock as shared_clock
    from skyx_core.testing.fakecloud.pod import FakePodDriver as FakePodDriver
    from skyx_core.testing.fakecloud.process import FakeCloud as FakeCloud
    from skyx_core.testing.fakecloud.settings import FakeCloudSettings as FakeCloudSettings
    from skyx_core.testing.fakecloud.vm import FakeVmDriver as FakeVmDriver
    from skyx_core.testing.waiting import eventually as eventually
    from skyx_core.testing.waiting import process_lives as process_lives

_HOME = {
    "FakeCloud": "fakecloud.process",
    "FakeCloudSettings": "fakecloud.settings",
    "FakePodDriver": "fakecloud.pod",
    "FakeVmDriver": "fakecloud.vm",
    "RecordedIntent": "attempt",
    "RecordingAttempt": "attempt",
    "StepClock": "clock",
    "eventually": "waiting",
    "process_lives": "waiting",
    "shared_clock": "clock",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(_HOME)
