"""What the fake cloud refuses with, and how it reads the bodies it is sent."""

from __future__ import annotations

from collections.abc import Mapping

Body = Mapping[str, object]


class Refusal(Exception):
    """An error answer: HTTP status, the cloud's code, and text."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def invalid(message: str) -> Refusal:
    """The caller's mistake."""
    return Refusal(400, "InvalidParameter", message)


def text(body: Body, key: str, default: str | None = None) -> str:
    """A string field; without a default it must be there and not empty."""
    value = body.get(key, default)
    if not isinstance(value, str) or (default is None and not value):
        raise invalid(f"{key!r} must be a string that isn't empty, not {value!r}")
    return value


def number(body: Body, key: str, default: float | None = None) -> float:
    """A number of 0 or more."""
    value = body.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise invalid(f"{key!r} must be a number of 0 or more, not {value!r}")
    return float(value)


def flag(body: Body, key: str) -> bool:
    """true or false; absent is false."""
    value = body.get(key, False)
    if not isinstance(value, bool):
        raise invalid(f"{key!r} must be true or false, not {value!r}")
    return value


def strings(body: Body, key: str) -> list[str]:
    """A list of strings; absent is empty."""
    value = body.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise invalid(f"{key!r} must be a list of strings, not {value!r}")
    return [str(item) for item in value]


def mapping(body: Body, key: str) -> dict[str, str]:
    """An object of strings; absent is empty."""
    return as_mapping(body.get(key, {}), key)


def as_mapping(value: object, key: str) -> dict[str, str]:
    """``value`` as an object of strings."""
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise invalid(f"{key!r} must be an object of strings, not {value!r}")
    return {str(name): str(item) for name, item in value.items()}


def mappings(body: Body, key: str) -> list[dict[str, str]]:
    """A list of objects of strings; absent is empty."""
    value = body.get(key, [])
    if not isinstance(value, list):
        raise invalid(f"{key!r} must be a list, not {value!r}")
    return [as_mapping(item, key) for item in value]
