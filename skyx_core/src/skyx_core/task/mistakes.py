"""A value that can't be right, said once and placed later: values know what is wrong, the loader knows where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Key = str | int
K = TypeVar("K", bound=Key)
V = TypeVar("V")
R = TypeVar("R")
LONGEST_SHOWN = 60
MOST_MISTAKES = 100


class BadValue(ValueError):
    """``at``: the path below the field that is being read. ``suggestion``: the nearest valid spelling.

    ``on_key``: the name is wrong, not the value.
    """

    def __init__(self, message: str, *, suggestion: str = "", at: Sequence[Key] = (), on_key: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion
        self.at = tuple(at)
        self.on_key = on_key

    def below(self, key: Key) -> BadValue:
        """The same mistake, seen from one level up."""
        return BadValue(self.message, suggestion=self.suggestion, at=(key, *self.at), on_key=self.on_key)


class BadValues(ValueError):
    """Several mistakes inside one field."""

    def __init__(self, mistakes: Sequence[BadValue]) -> None:
        super().__init__("; ".join(mistake.message for mistake in mistakes))
        self.mistakes = tuple(mistakes)


def gather(items: Iterable[tuple[K, V]], read: Callable[[K, V], R]) -> list[R]:
    """``read`` of each item; all that go wrong, up to a limit, are raised together."""
    results: list[R] = []
    mistakes: list[BadValue] = []
    for key, value in items:
        try:
            results.append(read(key, value))
        except BadValue as mistake:
            mistakes.append(mistake.below(key))
            if len(mistakes) >= MOST_MISTAKES:
                break
    if mistakes:
        raise BadValues(mistakes)
    return results


def kind_of(value: object) -> str:
    """What a user calls this value."""
    names: list[tuple[type | tuple[type, ...], str]] = [
        (bool, "true or false"),
        ((int, float), "a number"),
        (str, "text"),
        (dict, "a mapping"),
        ((list, tuple), "a list"),
    ]
    if value is None:
        return "nothing"
    return next((name for types, name in names if isinstance(value, types)), f"a {type(value).__name__}")


def shown(value: object) -> str:
    """A value for a message: short, on one line; composed values by their kind."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, dict | list | tuple | set):
        return kind_of(value)
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


def nearest(word: str, names: Iterable[str]) -> str:
    """The valid name that was probably meant, or ''."""
    if len(word) > LONGEST_SHOWN:
        return ""
    from difflib import get_close_matches

    by_key = {name.lower().replace("-", "_"): name for name in sorted(names)}
    found = get_close_matches(word.lower().replace("-", "_"), by_key, n=1, cutoff=0.6)
    return by_key[found[0]] if found else ""
