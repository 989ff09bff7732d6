"""Reading untrusted JSON: each reader returns the value in its type or raises a clear ``AgentError``."""

from __future__ import annotations

import time

from skyx_agent.errors import AgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Mapping, TypeVar

    Json = Dict[str, object]
    N = TypeVar("N", int, float)

NUL = "\0"
LARGEST = 1 << 62
LARGEST_NUMBER = 10**15


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
    if not isinstance(value, int) or isinstance(value, bool):
        raise bad(key, "a whole number", value)
    return _within(key, value, LARGEST, "2^62")


def _within(key: str, value: N, limit: N, shown: str) -> N:
    if not abs(value) <= limit:
        size = "too large" if value > 0 else "too small" if value < 0 else "not a number"
        raise AgentError("invalid", f"{key} is {size}: {shown} is the limit")
    return value


def job_number(data: Mapping[str, object], key: str) -> int:
    """Of any size: one that no job can have is an unknown job, not a wrong value."""
    value = data.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise bad(key, "a whole number", value)
    return value


def job_numbers(data: Mapping[str, object], key: str) -> list[int]:
    return [job_number({key: value}, key) for value in items(data, key)]


def number(data: Mapping[str, object], key: str, default: float | None = None) -> float:
    value = data.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise bad(key, "a number", value)
    return float(_within(key, value, LARGEST_NUMBER, "10^15"))  # not NaN nor Infinity either


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
        if not isinstance(value, int) or isinstance(value, bool):
            raise bad(key, "a list of whole numbers", value)
        found.append(_within(key, value, LARGEST, "2^62"))
    return found


def iso(moment: float | None) -> str | None:
    """Seconds since the epoch as ISO-8601 in UTC, to the millisecond."""
    if moment is None:
        return None
    whole_ms = int(moment * 1000)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole_ms // 1000))
    return f"{stamp}.{whole_ms % 1000:03d}Z"
