"""Errors of clouds as their documents tell of them, in our own words, with what should be done (tests/data/errors).

A line is ``{id, cloud, api, error, context, expect}``; ``accept`` may hold more right answers per field; ``printed``
false: its code means nothing in a text.
"""

from __future__ import annotations

import copy
import functools
import importlib
import importlib.metadata
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skyx_core.failover.recorded import answer, parse
from skyx_core.failover.rules import Rulebook
from skyx_core.models import RuleTable, Verdict

FOLDER = Path(__file__).parent / "data" / "errors"
NOW = 1_000_000.0
_IDS = re.compile(r"\b(i|vol|subnet|ami|sg|vpc|cr|eni|snap|lt|h)-[0-9a-f]{6,}\b")
_PLAIN = re.compile(r"(?<![\w./-])[A-Za-z]?[a-z]+(?![\w./-])")
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


@dataclass(frozen=True)
class Answered:
    """One form of a line, what it was answered, and what is wrong with that: field -> (answer, what it should be)."""

    line: dict
    form: str
    verdict: Verdict
    wrong: dict[str, tuple[object, object]]

    def __str__(self) -> str:
        return f"{self.line['id']} {self.form}: {self.verdict.rule} {self.wrong}"


@functools.cache
def answered(cloud: str) -> tuple[Answered, ...]:
    """Every form of every line of a cloud."""
    return tuple(_answered(line, name, form) for line in lines(cloud) for name, form in forms(line))


def _answered(line: dict, name: str, form: dict) -> Answered:
    recorded = parse(json.dumps(form))
    found = book(line["cloud"]).classify(recorded.error, place=recorded.place, candidate=recorded.candidate, now=NOW)
    given = answer(recorded, found) | {"after_retries_block": after(found)}
    accepted = line.get("accept", {})
    bad = {
        field: (given.get(field), right)
        for field, right in line["expect"].items()
        if given.get(field) != right and given.get(field) not in accepted.get(field, ())
    }
    return Answered(line, name, found, bad)


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
    """In capitals, but for what may be a code."""
    return text if "{" in text else _PLAIN.sub(lambda found: found[0].upper(), text)


def renumbered(text: str) -> str:
    """Other ids and other long numbers."""
    text = _IDS.sub(lambda found: f"{found[1]}-0fedcba9876543210", text)
    return _NUMBERS.sub(lambda found: "7" * len(found[0]), text)


def in_text(line: dict) -> dict | None:
    """The same error as a tool prints it: no code, but the code in the text. None where it is not one plain error."""
    error = dict(line["error"])
    if [{"code": error.get("code"), "message": error.get("message")}] == error.get("errors"):
        del error["errors"]
    code = str(error.get("code") or "")
    if any(isinstance(value, dict | list) for value in error.values()) or code.isdigit() or not code:
        return None
    told = {"message": f"{line['api']} failed ({code}): {error.get('message', '')}"}
    return {**line, "error": told | ({"kind": error["kind"]} if "kind" in error else {})}


def forms(line: dict) -> Iterator[tuple[str, dict]]:
    """All forms in which a line is tried, by name."""
    yield "as it is", line
    yield "in capitals", changed(line, loud)
    yield "with other ids and numbers", changed(line, renumbered)
    told = in_text(line) if line.get("printed", True) else None
    if told:
        yield "with its code in the text only", told
