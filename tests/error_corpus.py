"""Errors of clouds as their documents tell of them, in our own words, with what should be done (tests/data/errors).

A line is ``{id, cloud, api, error, context, expect}``; ``accept`` may hold more right answers per field.
"""

from __future__ import annotations

import copy
import functools
import importlib
import importlib.metadata
import json
import re
from collections.abc import Iterator
from pathlib import Path

from skyx_core.failover.recorded import answer, parse
from skyx_core.failover.rules import Rulebook
from skyx_core.models import RuleTable, Verdict

FOLDER = Path(__file__).parent / "data" / "errors"
NOW = 1_000_000.0
_IDS = re.compile(r"\b(i|vol|subnet|ami|sg|vpc|cr|eni|snap|lt|h)-[0-9a-f]{6,}\b")
_NUMBERS = re.compile(r"(?<![\w.-])\d{4,}(?![\w.-])")


def clouds() -> list[str]:
    """Those with a corpus of our own."""
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def lines(cloud: str) -> list[dict]:
    text = (FOLDER / f"{cloud}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


@functools.cache
def table(cloud: str) -> RuleTable:
    """The table that ``skyx-rules-extra`` declares for a cloud."""
    found = [one for one in tables_declared() if one.name == cloud]
    return found[0].load()


def tables_declared() -> list[importlib.metadata.EntryPoint]:
    distribution = importlib.metadata.distribution("skyx-rules-extra")
    return [one for one in distribution.entry_points if one.group == "skyx.rules"]


@functools.cache
def book(cloud: str) -> Rulebook:
    return Rulebook([table(cloud)])


def verdict(line: dict) -> Verdict:
    recorded = parse(json.dumps(line))
    return book(line["cloud"]).classify(recorded.error, place=recorded.place, candidate=recorded.candidate, now=NOW)


def wrong(line: dict) -> dict[str, tuple[object, object]]:
    """Field -> (answer, what it should be); empty = right."""
    recorded = parse(json.dumps(line))
    found = verdict(line)
    given = answer(recorded, found)
    bad: dict[str, tuple[object, object]] = {}
    for name, right in line["expect"].items():
        got = after(found) if name == "after_retries_block" else given.get(name)
        if got != right and got not in line.get("accept", {}).get(name, ()):
            bad[name] = (got, right)
    return bad and bad | {"rule": (found.rule, "")}


def after(found: Verdict) -> str:
    """The scope that is blocked once the retries are used up."""
    if not found.blocks_after:
        return "none"
    key = found.blocks_after[0].key
    if key.instance_type:
        return "instance_type_in_zone" if key.zone else "instance_type_in_region"
    if key.accelerator:
        return "accelerator"
    if key.zone:
        return "zone"
    if key.use_spot and key.instance_type is None:
        return "spot"
    return "region" if key.region else "cloud"


def changed(line: dict, message) -> dict:
    """The line with every message in it changed."""
    new = copy.deepcopy(line)
    _change(new["error"], message)
    return new


def _change(value, message) -> None:
    if isinstance(value, list):
        for item in value:
            _change(item, message)
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, str) and key.lower().endswith("message"):
                value[key] = message(item)
            else:
                _change(item, message)


def loud(text: str) -> str:
    return text if "{" in text else text.upper()


def renumbered(text: str) -> str:
    """Other ids and other long numbers."""
    text = _IDS.sub(lambda found: f"{found[1]}-0fedcba9876543210", text)
    return _NUMBERS.sub(lambda found: "7" * len(found[0]), text)


def in_text(line: dict) -> dict | None:
    """The same error as a tool prints it: no code, but the code in the text. None where it is not one plain error."""
    error = dict(line["error"])
    if [{"code": error.get("code"), "message": error.get("message")}] == error.get("errors"):
        del error["errors"]
    if any(isinstance(value, dict | list) for value in error.values()) or not error.get("code"):
        return None
    told = {"message": f"{line['api']} failed ({error['code']}): {error.get('message', '')}"}
    return {**line, "error": told | ({"kind": error["kind"]} if "kind" in error else {})}


def forms(line: dict) -> Iterator[dict]:
    """All forms in which a line is tried."""
    yield line
    yield changed(line, loud)
    yield changed(line, renumbered)
    told = in_text(line)
    if told:
        yield told
