"""An attempt whose journal is in memory, to call a driver in a test without the rest of skyx."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from skyx_core.api import AttemptCancelled, Candidate, Clock, ClusterHandle, Place


@dataclass
class RecordedIntent:
    """A creating call. ``made_ids`` None: it has not returned (yet)."""

    id: str
    kind: str
    place: Place
    ranks: tuple[int, ...]
    digest: str
    tags: Mapping[str, str]
    made_ids: tuple[str, ...] | None = None

    @property
    def token(self) -> str:
        return hashlib.sha256(f"{self.id}:{self.digest}".encode()).hexdigest()[:32]

    def made(self, ids: Sequence[str]) -> None:
        if len(ids) != len(self.ranks):
            raise ValueError(f"{len(self.ranks)} ranks, but ids {list(ids)}")
        self.made_ids = tuple(ids)


@dataclass
class RecordingAttempt:
    """Keeps every intent, and everything shown. ``cancelled``: as if it had been fenced. ``intents`` may be handed on
    to the next attempt, as the journal is.
    """

    handle: ClusterHandle
    candidate: Candidate
    clock: Clock
    deadline: float
    intents: list[RecordedIntent] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    cancelled: bool = False

    @contextmanager
    def creating(
        self, kind: str, place: Place, ranks: Sequence[int], body: Mapping[str, object]
    ) -> Iterator[RecordedIntent]:
        """See ``Attempt.creating``: an unfinished call with the same body is the same intent again."""
        self.check()
        key = json.dumps([kind, place.model_dump(), list(ranks), body], sort_keys=True)
        digest = hashlib.sha256(key.encode()).hexdigest()
        intent = next((i for i in self.intents if i.digest == digest and i.made_ids is None), None)
        if intent is None:
            intent = self._new(kind, place, ranks, digest)
        yield intent

    def _new(self, kind: str, place: Place, ranks: Sequence[int], digest: str) -> RecordedIntent:
        made = secrets.token_hex(8)
        tags = {
            "skyx-owner": self.handle.owner,
            "skyx-cluster": self.handle.name,
            "skyx-uid": self.handle.uid,
            "skyx-intent": made,
        }
        intent = RecordedIntent(made, kind, place, tuple(ranks), digest, tags)
        self.intents.append(intent)
        return intent

    def check(self) -> None:
        if self.cancelled or self.clock.monotonic() > self.deadline:
            raise AttemptCancelled(
                "the attempt is over", why="it was cancelled" if self.cancelled else "of its deadline"
            )

    def progress(self, message: str, done: int | None = None, total: int | None = None) -> None:
        self.shown.append(message if done is None else f"{message} {done}/{total}")
