"""Loading listeners into a pluggy manager, each guarded: one that can't be used is left out and reported."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skyx_core.errors import PluginBrokenError, SkyxError
from skyx_core.plugin_faults import Operation, as_plugin_error

if TYPE_CHECKING:
    import pluggy

    from skyx_core.calls import Caller
    from skyx_core.discovery import Plugins

LOAD_LIMIT_S = 5.0


@dataclass
class Registry:
    """A manager with everything in it that could be used. ``where``: "distribution version" by listener."""

    manager: pluggy.PluginManager
    where: dict[str, str] = field(default_factory=dict)

    def operation(self, what: str, listener: str) -> Operation:
        return Operation(what, listener, self.where.get(listener, ""))


def load_listeners(registry: Registry, plugins: Plugins, caller: Caller, report: Callable[[SkyxError], None]) -> None:
    """Load and register every listener that isn't disabled; ``report`` gets the error of each that is left out."""
    for name in plugins.names("listener"):
        registry.where[name] = plugins.where("listener", name)
        operation = registry.operation("the registration", name)
        try:
            caller.call(
                lambda name=name: _register(registry, name, plugins.listener(name)),
                limit=2 * LOAD_LIMIT_S,
                what=operation.what,
                plugin=name,
                distribution=operation.distribution,
            )
        except SkyxError as error:
            report(error)


def _register(registry: Registry, name: str, listener: object) -> None:
    manager = registry.manager
    instance = listener() if isinstance(listener, type) else listener
    try:
        manager.register(instance, name=name)
        manager.check_pending()  # a misspelt hook is otherwise accepted in silence
        _refuse_wrapped_watchers(registry, name)
    except BaseException:
        if manager.has_plugin(name):  # pluggy keeps what it could not register
            manager.unregister(name=name)
        raise


def _refuse_wrapped_watchers(registry: Registry, name: str) -> None:
    for hook in ("skyx_event", "skyx_check_launch"):
        for impl in getattr(registry.manager.hook, hook).get_hookimpls():
            if impl.plugin_name == name and (impl.wrapper or impl.hookwrapper):
                raise registry.operation(hook, name).broken("is a wrapper", why="only verbs can be wrapped")


def guilty(error: BaseException, hook: str, registry: Registry) -> PluginBrokenError:
    """The error that names the listener whose code raised ``error`` in a verb; all that implement it if none shows."""
    impls = [impl for impl in getattr(registry.manager.hook, hook).get_hookimpls() if impl.plugin_name != BUILTIN]
    by_code = {getattr(impl.function, "__code__", None): impl.plugin_name for impl in impls}
    name = " or ".join(sorted({impl.plugin_name for impl in impls})) or BUILTIN
    trace = error.__traceback__
    while trace is not None:
        name = by_code.get(trace.tb_frame.f_code, name)
        trace = trace.tb_next
    broken = as_plugin_error(error, registry.operation(hook, name))
    assert isinstance(broken, PluginBrokenError)
    return broken


BUILTIN = "core"


def milliseconds_since(start: float) -> float:
    """Of the performance counter, rounded for display."""
    return round((time.perf_counter() - start) * 1000, 3)
