"""What stands for credentials and settings."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from skyx_core.cluster.fingerprints import account_fingerprint, holds
from skyx_core.errors import CloudError, PluginTimeoutError
from skyx_core.models import Block, BlockKey


class Settings:
    def __init__(self, **values: Any) -> None:
        self.values = values

    def cloud(self, name: str) -> dict[str, Any]:
        return self.values if name == "mars" else {}


class Driver:
    def __init__(self, said: Any) -> None:
        self.said = said

    def fingerprint(self) -> str:
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


def cloud(name: str = "mars", said: Any = "") -> Any:
    told: list[str] = []
    return SimpleNamespace(
        name=name, driver=Driver(said), warn=told.append, call=lambda _what, fn, **_: fn(), told=told
    )


def test_it_changes_with_each_part_and_with_nothing_else() -> None:
    same = [account_fingerprint(cloud(), Settings(url="u", depth={"b": 1, "a": [1]})) for _ in range(2)]
    assert same[0] == same[1] == account_fingerprint(cloud(), Settings(depth={"a": [1], "b": 1}, url="u"))
    others = [
        account_fingerprint(cloud("venus"), Settings(url="u", depth={"b": 1, "a": [1]})),
        account_fingerprint(cloud(), Settings(url="u", depth={"b": 1, "a": [2]})),
        account_fingerprint(cloud(said="key-1"), Settings(url="u", depth={"b": 1, "a": [1]})),
        account_fingerprint(cloud(said="key-2"), Settings(url="u", depth={"b": 1, "a": [1]})),
    ]
    assert len({same[0], *others}) == 5


def test_it_is_sixteen_hex_digits_and_holds_no_secret() -> None:
    found = account_fingerprint(cloud(said="ß\udcff"), Settings(token="hunter2", odd="ß\udcff"))
    assert re.fullmatch("[0-9a-f]{16}", found)


@pytest.mark.parametrize("error", [CloudError("mars", "sts", message="down"), PluginTimeoutError("slow", plugin="m")])
def test_a_driver_that_cannot_tell_is_warned_about(error: Exception) -> None:
    broken = cloud(said=error)
    assert account_fingerprint(broken, Settings(url="u")) == account_fingerprint(cloud(), Settings(url="u"))
    (warning,) = broken.told
    assert "credentials of mars" in warning
    assert "down" in warning or "slow" in warning


def block(cloud_name: str | None, fingerprint: str) -> Block:
    return Block(key=BlockKey(cloud=cloud_name), rule="r", reason="x", fingerprint=fingerprint)


def test_blocks_hold_as_long_as_what_they_were_met_with_is_in_use() -> None:
    kept = [block("a", ""), block("a", "now"), block("b", "x"), block(None, "x")]
    assert all(holds(each, {"a": "now"}) for each in kept)
    assert not holds(block("a", "before"), {"a": "now"})
