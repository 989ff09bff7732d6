"""``accelerators`` in all its shapes, as one list of choices."""

import math
import re
from collections.abc import Mapping

from skyx_core.models.base import Model
from skyx_core.task.aliases import (
    ACCELERATOR_MAKERS,
    ACCELERATOR_WORDS,
    ACCELERATORS,
    MEMORY_GB,
    TPU_VERSIONS,
)
from skyx_core.task.mistakes import BadValue, gather, kind_of, shown

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._/+-]{0,58}[A-Za-z0-9+])?", re.ASCII)
_SEPARATORS = re.compile(r"[\s_-]+")
_GB = re.compile(r"([1-9][0-9]{0,3})(?:g|gb|gib)")
_BLANK_GB = re.compile(r"(?<=\d)\s+(?=gi?b?\b)")
_TPU = re.compile(r"tpu[ _-]?(v\d[a-z]*)((?:[ _-][a-z0-9]+)*)", re.ASCII)
_BARE_TPU = re.compile(r"(v[2-9](?:e|p|lite|litepod)?)(-\d{1,5})", re.ASCII)
_BY_KEY = {name.lower().replace("-", ""): name for name in MEMORY_GB} | ACCELERATORS
USUAL_ACCELERATORS = frozenset(_BY_KEY.values())  # names that are known whatever is installed
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
    """The usual spelling, for task files and catalogues alike: case, blanks and hyphens, makers and ways of mounting
    don't matter (``nvidia-tesla-t4`` -> ``T4``, ``NVIDIA A100 80GB PCIe`` -> ``A100-80GB``), nor does an amount of
    memory that goes without saying (``A100-40GB`` -> ``A100``). Unknown names stay as written. Idempotent.
    """
    text = name.strip()
    return _known(text.lower()) or text


def _known(text: str) -> str:
    """From lower case; "" if it is none that we know."""
    owner, slash, rest = text.rpartition("/")
    if slash and "." in owner:  # the name of a resource: nvidia.com/a100
        text = rest
    tpu = _TPU.fullmatch(text) or _BARE_TPU.fullmatch(text)
    if tpu:
        return f"tpu-{TPU_VERSIONS.get(tpu[1], tpu[1])}{_SEPARATORS.sub('-', tpu[2])}"
    if text.startswith("tpu-"):
        return text
    words = [word for word in _SEPARATORS.split(_BLANK_GB.sub("", text)) if word]
    while words and words[0] in ACCELERATOR_MAKERS and len(words) > 1:
        if "".join(words) in _BY_KEY:
            break
        words = words[1:]
    words = [word for word in words if word not in ACCELERATOR_WORDS]
    return _named(words) or _named([word for word in words if word != "sxm"])


def _named(words: list[str]) -> str:
    return _BY_KEY.get("".join(words)) or _by_memory(words)


def _by_memory(words: list[str]) -> str:
    """``a100 sxm4 80gb`` in any order: the model, and its memory unless that goes without saying."""
    sizes = [found for found in map(_GB.fullmatch, words) if found]
    if len(sizes) != 1 or not words:
        return ""
    rest = [word for word in words if not _GB.fullmatch(word)]
    name, size = _BY_KEY.get("".join(rest), ""), int(sizes[0][1])
    if not name or size in MEMORY_GB.get(name, ()):
        return name
    model, sxm, _ = name.partition("-SXM")
    return f"{model}-{size}GB{sxm}"


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
