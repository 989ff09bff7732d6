"""Two fake clouds in a process of their own, one VM-like and one pod-like, and drivers for them.

Names load when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyx_core.testing.fakecloud.ledger import LedgerNode as LedgerNode
    from skyx_core.testing.fakecloud.ledger import read_ledger as read_ledger
    from skyx_core.testing.fakecloud.pod import FakePodDriver as FakePodDriver
    from skyx_core.testing.fakecloud.process import FakeCloud as FakeCloud
    from skyx_core.testing.fakecloud.settings import FakeCloudSettings as FakeCloudSettings
    from skyx_core.testing.fakecloud.vm import FakeVmDriver as FakeVmDriver

_HOME = {
    "FakeCloud": "process",
    "FakeCloudSettings": "settings",
    "FakePodDriver": "pod",
    "FakeVmDriver": "vm",
    "LedgerNode": "ledger",
    "read_ledger": "ledger",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(_HOME)
