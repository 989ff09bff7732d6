"""From whatever a plugin did wrong to the one error that names it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from skyx_core.errors import CloudError, PluginBrokenError, SkyxError, storable

_WHY_LENGTH = 500
_HINT = "this is a fault of the plugin: report it to its authors"
T = TypeVar("T")


@dataclass(frozen=True)
class Operation:
    """What is asked of which plugin. ``distribution``: "name version", "" = passed in by the program."""

    what: str
    plugin: str
    distribution: str = ""

    def __str__(self) -> str:
        return f"{self.what} of plugin {self.plugin!r}"

    def broken(self, problem: str, *, why: str = "", hint: str = _HINT) -> PluginBrokenError:
        """The error that says ``problem`` of this operation."""
        return PluginBrokenError(
            f"{self} {problem}", plugin=self.plugin, distribution=self.distribution, why=why, hint=hint
        )

    def checked(self, value: T, expected: type | tuple[type, ...] | None) -> T:
        """``value``, or ``PluginBrokenError`` when the contract doesn't allow its type."""
        if expected is None or isinstance(value, expected):
            return value
        kinds = expected if isinstance(expected, tuple) else (expected,)
        names = " or ".join(kind.__name__ for kind in kinds)
        raise self.broken(f"returned {type(value).__name__} instead of {names}")

    def items(self, items: Iterable[T], expected: type | tuple[type, ...] | None, most: int) -> Iterator[T]:
        """The items one by one, each checked; more than ``most`` is an error."""
        for number, item in enumerate(self.checked(items, Iterable)):
            if number == most:
                raise self.broken(f"gave more than {most} items")
            yield self.checked(item, expected)


def describe_exception(error: BaseException) -> str:
    """``Type: message`` on one line of at most 500 characters, also when its own ``__str__`` raises."""
    try:
        text = " ".join(str(error).split())
    except BaseException as second:
        text = f"(its message can't be shown: {type(second).__name__})"
    text, name = storable(text), type(error).__name__
    return (f"{name}: {text}" if text else name)[:_WHY_LENGTH]


def as_plugin_error(error: BaseException, operation: Operation) -> Exception:
    """The error to raise for what a plugin raised: ``CloudError`` and ``SkyxError`` as they are, anything else as a
    ``PluginBrokenError`` with the cause chained.
    """
    if isinstance(error, CloudError | SkyxError):
        return error
    broken = operation.broken("failed", why=describe_exception(error), hint=f"{_HINT} (SKYX_DEBUG=1 shows where)")
    broken.__cause__ = error
    return broken
