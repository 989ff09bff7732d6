"""``explain -o json`` as scripts read it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from builders import candidate
from cli_fakes import FakeSession, skyx
from skyx_core.models import Block, BlockKey, Category, Event, EventKind, Scope, Skipped, Verdict

KEYS = {"seq", "time", "kind", "candidate", "error", "rule", "blocks", "next"}
BLOCK = Block(key=BlockKey(cloud="c"), rule="r", reason="x", since=1e9, until=1e9 + 90.5)
TEXTS = {"since": "2001-09-09T01:46:40.000Z", "until": "2001-09-09T01:48:10.500Z"}
VERDICT = Verdict(category=Category.AUTH, block=Scope.CLOUD, rule="r", blocks=(BLOCK,), ttl=90.5)
EVENT = Event(
    kind=EventKind.ATTEMPT_FAILED,
    time=1e9,
    decided_at=1e9 + 0.25,
    blocks=(BLOCK,),
    verdict=VERDICT.model_copy(update={"blocks_after": (BLOCK,)}),
    skipped=(Skipped(candidate=candidate(), block=BLOCK),),
    seconds=1e9,
)


class Recorded(FakeSession):
    """Gives events as they are stored."""

    def explain(self, name: str) -> Iterator[dict[str, Any]]:
        del name
        yield {**json.loads(EVENT.model_dump_json(exclude_defaults=True)), "seq": 1}
        yield {"seq": 2, "kind": "progress", "time": 1e300}


def test_every_event_has_the_eight_keys() -> None:
    for event in skyx("explain", "a", "-o", "json", session=Recorded()).lines:
        assert set(event) >= KEYS
    assert {key: event[key] for key in KEYS - {"time"}} == {
        "seq": 2,
        "kind": "progress",
        "candidate": None,
        "error": "",
        "rule": "",
        "blocks": [],
        "next": "",
    }


def test_every_time_is_text_and_what_is_no_time_is_not() -> None:
    event, odd = skyx("explain", "a", "-o", "json", session=Recorded()).lines
    assert (event["time"], event["decided_at"]) == ("2001-09-09T01:46:40.000Z", "2001-09-09T01:46:40.250Z")
    verdict = event["verdict"]
    for block in (*event["blocks"], *verdict["blocks"], *verdict["blocks_after"], event["skipped"][0]["block"]):
        assert {key: block[key] for key in TEXTS} == TEXTS
    assert (event["seconds"], verdict["ttl"]) == (1e9, 90.5)
    assert odd["time"].startswith("9999-12-31")
