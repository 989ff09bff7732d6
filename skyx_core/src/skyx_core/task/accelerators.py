"""``accelerators`` in all its shapes, as one list of choices."""

import math
import re
from collections.abc import Mapping

from skyx_core.models.base import Model
from skyx_core.task.aliases import ACCELERATORS, SPELLING
from skyx_core.task.mistakes import BadValue, gather, kind_of, shown

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._/+-]{0,58}[A-Za-z0-9+])?", re.ASCII)
_COUNT = re.compile(r"\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}", re.ASCII)


class Accelerators(Model):
    """``choices``: (canonical name, number per node), one of which is to be had; in the user's order if ``ordered``."""

    choices: tuple[tuple[str, float], ...]
    ordered: bool = False

    def plain(self) -> str | list[str] | dict[str, None]:
        """As a task file writes it."""
        texts = [f"{name}:{count:g}" if count != 1 else name for name, count in self.choices]
        if self.ordered:
            return texts
        return texts[0] if len(texts) == 1 else dict.fromkeys(texts)


def canonical(name: str) -> str:
    """The usual spelling: ``a10g`` -> ``A10G``, ``A100-40GB`` -> ``A100``. Unknown names stay as written."""
    key = name.strip().lower()
    if key in ACCELERATORS:
        return ACCELERATORS[key]
    return SPELLING.get(key) or (key if key.startswith("tpu-") else name.strip())


def _count(value: object, text: object) -> float:
    number = math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = float(min(value, 10**9))
    elif isinstance(value, str) and _COUNT.fullmatch(value.strip()):
        number = float(value)
    if not (math.isfinite(number) and 0 < number < 10**6):
        raise BadValue(f"expected a number of accelerators above 0, such as H100:8, got {shown(text)}")
    return number


def _choice(text: object, count: object = None) -> tuple[str, float]:
    if not isinstance(text, str):
        raise BadValue(f"expected an accelerator such as H100:8, got {kind_of(text)}")
    name, colon, number = text.partition(":")
    if not _NAME.fullmatch(name.strip()):
        raise BadValue(f"expected an accelerator such as H100:8, got {shown(text)}")
    if colon and count is not None:
        raise BadValue("the number of accelerators is given twice")
    if not colon and count is None:
        return canonical(name), 1.0
    return canonical(name), _count(number if colon else count, text if colon else count)


def _item(value: object) -> tuple[str, float]:
    if isinstance(value, Mapping) and len(value) == 1:
        return _choice(*next(iter(value.items())))
    return _choice(value)


def accelerators(value: object) -> Accelerators | None:
    """Text = one, mapping = any of, list = one of in this order; None if nothing is asked for."""
    if value is None or isinstance(value, Accelerators):
        return value
    if isinstance(value, Mapping):
        choices = gather(value.items(), _choice)
    elif isinstance(value, list | tuple):
        choices = gather(enumerate(value), lambda _, item: _item(item))
    elif isinstance(value, set | frozenset):
        choices = [_choice(item) for item in sorted(value, key=str)]
    elif isinstance(value, str):
        choices = [_choice(value)]
    else:
        raise BadValue(f"expected accelerators such as H100:8, got {shown(value)}")
    unique = tuple(dict.fromkeys(choices))
    if not unique:
        return None
    return Accelerators(choices=unique, ordered=isinstance(value, list | tuple) and len(unique) > 1)
