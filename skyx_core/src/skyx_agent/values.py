"""Reading untrusted JSON: each reader returns the value in its type or raises a clear ``AgentError``."""

from __future__ import annotations

import time

from skyx_agent.errors import AgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Mapping

    Json = Dict[str, object]

NUL = "\0"
LARGEST = 1 << 62


def bad(key: str, want: str, value: object) -> AgentError:
    """The error for a value of the wrong kind; the value itself is never shown (it may be secret)."""
    return AgentError("invalid", f"{key} must be {want}, not {type(value).__name__}")


def text(data: Mapping[str, object], key: str, default: str | None = None) -> str:
    value = data.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise bad(key, "a text", value)
    return value


def maybe_text(data: Mapping[str, object], key: str) -> str | None:
    value = data.get(key)
    if value is not None and not isinstance(value, str):
        raise bad(key, "a text or null", value)
    return value


def whole(data: Mapping[str, object], key: str, default: int | None = None) -> int:
    value = data.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > LARGEST:
        raise bad(key, "a whole number below 2^62", value)
    return value


def number(data: Mapping[str, object], key: str, default: float | None = None) -> float:
    value = data.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not abs(value) < 1e15:  # NaN, Infinity
        raise bad(key, "a number", value)
    return float(value)


def flag(data: Mapping[str, object], key: str) -> bool:
    value = data.get(key, False)
    if not isinstance(value, bool):
        raise bad(key, "true or false", value)
    return value


def mapping(data: Mapping[str, object], key: str) -> Json:
    value = data.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise bad(key, "a mapping", value)
    return value


def texts(data: Mapping[str, object], key: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in mapping(data, key).items():
        if not isinstance(value, str):
            raise bad(f"{key}.{name}", "a text", value)
        found[name] = value
    return found


def items(data: Mapping[str, object], key: str) -> list[object]:
    value = data.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise bad(key, "a list", value)
    return value


def words(data: Mapping[str, object], key: str) -> list[str]:
    found = []
    for value in items(data, key):
        if not isinstance(value, str):
            raise bad(key, "a list of texts", value)
        found.append(value)
    return found


def wholes(data: Mapping[str, object], key: str) -> list[int]:
    found = []
    for value in items(data, key):
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > LARGEST:
            raise bad(key, "a list of whole numbers below 2^62", value)
        found.append(value)
    return found


def iso(moment: float | None) -> str | None:
    """Seconds since the epoch as ISO-8601 in UTC, to the millisecond."""
    if moment is None:
        return None
    whole_ms = int(moment * 1000)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole_ms // 1000))
    return f"{stamp}.{whole_ms % 1000:03d}Z"
