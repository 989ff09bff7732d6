"""Launch jobs on any cloud. ``Session`` is the embedding API; plugin authors import ``skyx_core.api``."""

from __future__ import annotations

TYPE_CHECKING = False  # not from typing: this module is on the way of every command's first instant
if TYPE_CHECKING:
    from skyx_core.session import Session as Session
    from skyx_core.task import Task as Task
    from skyx_core.task import load as load
    from skyx_core.task import loads as loads

__version__ = "0.1.0"
__all__ = ["Session", "Task", "__version__", "load", "loads"]


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> object:
    if name == "Session":
        from skyx_core.session import Session

        return Session
    if name in ("Task", "load", "loads"):
        import skyx_core.task

        return getattr(skyx_core.task, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
