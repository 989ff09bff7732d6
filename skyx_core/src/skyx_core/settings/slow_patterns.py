"""Regular expressions whose search can take forever: a repeat without a limit inside a repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import cast

HINT = "give the inner repeat or the outer one a limit of a few times, or don't let it give back: \\w++ instead of \\w+"
_FEW = 4  # times that an outer repeat may run
_ROOM = 16  # times that the inner one may run more or less often
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_GIVE_NOTHING_BACK = ("ATOMIC_GROUP", "POSSESSIVE_REPEAT", "ASSERT", "ASSERT_NOT")

Parsed = Iterable[tuple[object, object]]


def can_take_forever(pattern: str) -> bool:
    """Whether a text may be divided among the runs of two nested repeats in more and more ways; each of them is tried
    before a search fails. Raises what ``re.compile`` raises.
    """
    parser = import_module("re._parser")
    return _nested(cast("Parsed", parser.parse(pattern)), inside=False)


def _nested(items: Parsed, *, inside: bool) -> bool:
    for operation, value in items:
        kind = str(operation)
        within = inside and kind not in _GIVE_NOTHING_BACK
        if kind in _REPEATS:
            least, most, _ = cast("tuple[int, int, object]", value)
            if inside and most - least > _ROOM:
                return True
            within = inside or most > _FEW
        if any(_nested(body, inside=within) for body in _bodies(value)):
            return True
    return False


def _bodies(value: object) -> Iterator[Parsed]:
    """The parts of one item that are patterns themselves."""
    if hasattr(value, "getwidth"):  # what the parser makes of a pattern
        yield cast("Parsed", value)
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _bodies(part)
