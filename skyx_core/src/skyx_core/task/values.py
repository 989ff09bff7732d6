"""Single values of a task file, brought to one normal form. Each function raises ``BadValue``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from skyx_core.models.offers import Amount
from skyx_core.task.mistakes import BadValue, gather, kind_of, shown

_AMOUNT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([kmgtp]i?b?)?\s*(\+?)\s*", re.IGNORECASE | re.ASCII)
_GB = {"k": 1 / 1024**2, "m": 1 / 1024, "g": 1.0, "t": 1024.0, "p": 1024.0**2}
_LARGEST = 1e9
_ENV_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DURATION = re.compile(r"(\d+)\s*([mhdw]?)", re.IGNORECASE | re.ASCII)
_MINUTES = {"": 1, "m": 1, "h": 60, "d": 1440, "w": 10080}
_PORT = re.compile(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", re.ASCII)


def _number(value: float) -> float:
    if not (math.isfinite(value) and 0 < value <= _LARGEST):
        raise BadValue(f"must be a number above 0 and at most {_LARGEST:g}, got {shown(value)}")
    return float(value)


def _amount(value: object, *, units: bool) -> Amount:
    if isinstance(value, Amount):
        return value
    example = "8, '8+' or '32GB+'" if units else "4, 0.5 or '4+'"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Amount(value=_number(min(value, 10**12)))
    match = _AMOUNT.fullmatch(value) if isinstance(value, str) and len(value) <= 40 else None
    if match is None or (match[2] and not units):
        raise BadValue(f"expected an amount such as {example}, got {shown(value)}")
    factor = _GB[match[2][0].lower()] if match[2] else 1.0
    return Amount(value=_number(float(match[1]) * factor), plus=bool(match[3]))


def cpus(value: object) -> Amount | None:
    """``4`` = exactly four, ``'4+'`` = at least four."""
    return None if value is None else _amount(value, units=False)


def memory(value: object) -> Amount | None:
    """GB; ``'32+'``, ``'32GB+'``, ``'512MB'``."""
    return None if value is None else _amount(value, units=True)


def disk_size(value: object) -> int | None:
    """Whole GB, rounded up; ``'1TB'`` = 1024."""
    if value is None:
        return None
    amount = _amount(value, units=True)
    if amount.plus:
        raise BadValue(f"expected an exact size such as 256 or '1TB', got {shown(value)}")
    return math.ceil(amount.value)


def _span(value: object) -> tuple[int, int]:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise BadValue(f"expected a port such as 8080 or a range such as '8000-8010', got {kind_of(value)}")
    match = _PORT.fullmatch(value if isinstance(value, str) else str(min(value, 10**9)))
    if match is None:
        raise BadValue(f"expected a port such as 8080 or a range such as '8000-8010', got {shown(value)}")
    first, last = int(match[1]), int(match[2] or match[1])
    if not (1 <= first <= 65535 and 1 <= last <= 65535):
        raise BadValue(f"ports are from 1 to 65535, got {shown(value)}")
    if last < first:
        raise BadValue(f"a range runs upwards, got {shown(value)}", suggestion=f"{last}-{first}")
    return first, last


def ports(value: object) -> tuple[str, ...] | None:
    """Sorted ports and ranges without overlaps."""
    if value is None:
        return None
    items = value if isinstance(value, list | tuple) else None
    spans = [_span(value)] if items is None else gather(enumerate(items), lambda _, item: _span(item))
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(str(first) if first == last else f"{first}-{last}" for first, last in merged)


def _image(value: object) -> str:
    if not isinstance(value, str):
        raise BadValue(f"expected the name of an image, got {kind_of(value)}")
    if not value.strip() or value.strip() == "docker:":
        raise BadValue("the name of the image is empty")
    return value.strip()


def image_id(value: object) -> str | dict[str, str] | None:
    """One image, or region -> image."""
    if value is None or isinstance(value, str):
        return None if value is None else _image(value)
    if not isinstance(value, Mapping):
        raise BadValue(f"expected an image, or a mapping of regions to images, got {kind_of(value)}")
    return dict(gather(value.items(), lambda region, image: (str(region), _image(image)))) or None


def scalar_text(value: object) -> str:
    """Text as YAML writes it: ``true``, not ``True``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str):
        raise BadValue(f"expected text, got {kind_of(value)}")
    if "\0" in value:
        raise BadValue("contains a NUL character, which no environment can hold")
    return value


def env_key(key: str) -> str:
    """The key itself if a shell can use it."""
    if not _ENV_KEY.fullmatch(key):
        better = re.sub(r"[^A-Za-z0-9_]", "_", key[:60], flags=re.ASCII)
        better = better if _ENV_KEY.fullmatch(better) else f"_{better}"
        raise BadValue(
            "names of variables hold letters, digits and '_', and don't start with a digit",
            suggestion=better,
            on_key=True,
        )
    return key


def variables(value: object) -> dict[str, str | None]:
    """Names and values of ``envs`` or ``secrets``; None = must be given."""
    if not isinstance(value, Mapping):
        raise BadValue(f"expected a mapping of names to values, got {kind_of(value)}")

    def one(key: object, item: object) -> tuple[str, str | None]:
        return env_key(str(key)), None if item is None else scalar_text(item)

    return dict(gather(value.items(), one))


def labels(value: object) -> dict[str, str] | None:
    """Free names and values, as text."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise BadValue(f"expected a mapping of names to values, got {kind_of(value)}")
    return dict(gather(value.items(), lambda key, item: (str(key), scalar_text(item))))


def idle_minutes(value: object) -> int:
    """``10``, ``'30m'``, ``'2h'``, ``'1d'``."""
    match = None
    if isinstance(value, int | str) and not isinstance(value, bool):
        match = _DURATION.fullmatch(str(value).strip()) if len(str(value)[:20]) < 20 else None
    if match is None:
        raise BadValue(f"expected whole minutes from 0, or text such as '30m' or '2h', got {shown(value)}")
    return int(match[1]) * _MINUTES[match[2].lower()]


def priority(value: object) -> int | str | None:
    """A whole number, or the name of a class."""
    if value is None or (isinstance(value, int | str) and not isinstance(value, bool)):
        return value
    raise BadValue(f"expected a whole number or a name, got {shown(value)}")


def _rate(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadValue(f"expected a number, got {shown(value)}")
    return _number(value)


def rates(value: object) -> float | dict[str, float] | None:
    """One rate, or accelerator -> rate."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        return dict(gather(value.items(), lambda key, item: (str(key), _rate(item))))
    return _rate(value)


def _argument(value: object) -> str | bool:
    if isinstance(value, bool | str):
        return value
    return scalar_text(value)


def arguments(value: object) -> dict[str, str | bool] | None:
    """Free names; text or true/false."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise BadValue(f"expected a mapping of names to values, got {kind_of(value)}")
    return dict(gather(value.items(), lambda key, item: (str(key), _argument(item))))
