"""One attempt, as drivers see it: every creating call is recorded before it is made."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skyx_core.calls import Fence
from skyx_core.errors import AttemptCancelled, CloudError, PluginBrokenError
from skyx_core.failpoints import failpoint
from skyx_core.models import Candidate, ClusterHandle, Event, EventKind, Place
from skyx_core.state.records import IntentRecord

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services


class IntentRun:
    """A recorded creating call."""

    def __init__(self, services: Services, record: IntentRecord, handle: ClusterHandle, place: Place) -> None:
        self._services = services
        self._record = record
        self._handle = handle
        self.place = place
        self.returned = False

    @property
    def id(self) -> str:
        return self._record.id

    @property
    def token(self) -> str:
        return self._record.token

    @property
    def ranks(self) -> tuple[int, ...]:
        return self._record.ranks

    @property
    def tags(self) -> Mapping[str, str]:
        return {
            "skyx-owner": self._handle.owner,
            "skyx-cluster": self._handle.name,
            "skyx-cloud-name": self._handle.cloud_name,
            "skyx-uid": self._handle.uid,
            "skyx-intent": self._record.id,
        }

    def made(self, ids: Sequence[str]) -> None:
        failpoint("attempt.creating.before_made")
        self._services.store.intent_made(self._record.id, tuple(ids))
        self.returned = True
        failpoint("attempt.creating.after_made")


class AttemptRun:
    """Implements ``drivers.Attempt``. Thread-safe: drivers may create from several threads."""

    def __init__(
        self,
        services: Services,
        handle: ClusterHandle,
        candidate: Candidate,
        *,
        number: int,
        generation: int,
        limit: float,
        fence: Fence,
    ) -> None:
        self._services = services
        self._generation = generation
        self.handle = handle
        self.candidate = candidate
        self.number = number
        self.fence = fence
        self.deadline = services.clock.monotonic() + limit
        self._closed = Fence()
        self._lock = threading.Lock()
        self._under_way = 0
        self._suspect = False

    def close(self) -> None:
        """From now on a call that is still under way may create nothing more. Safe to repeat."""
        self._closed.set()

    @property
    def under_way(self) -> bool:
        """Whether a call that makes or starts nodes hasn't returned yet."""
        return self._under_way > 0

    @property
    def may_have_made(self) -> bool:
        """False only when every creating call said that it made nothing, or there was none."""
        return self._suspect

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Around each call that makes or starts nodes, in the thread that makes it."""
        with self._lock:
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1

    def check(self) -> None:
        if self.fence.cancelled or self._closed.cancelled:
            raise AttemptCancelled("the attempt was cancelled", where=self.handle.name)
        if self._services.clock.monotonic() > self.deadline:
            raise AttemptCancelled("the attempt is past its deadline", where=self.handle.name)

    def progress(self, message: str, done: int | None = None, total: int | None = None) -> None:
        self._services.emit(
            Event(
                kind=EventKind.PROGRESS,
                time=self._services.clock.time(),
                cluster=self.handle.name,
                cluster_uid=self.handle.uid,
                attempt=self.number,
                message=message,
                done=done,
                total=total,
            )
        )

    @contextmanager
    def creating(
        self, kind: str, place: Place, ranks: Sequence[int], body: Mapping[str, object]
    ) -> Iterator[IntentRun]:
        self.check()
        record = self._record(kind, place, tuple(ranks), body)
        failpoint("attempt.creating.after_intent")
        self.check()
        intent = IntentRun(self._services, record, self.handle, place)
        with self.calling():
            try:
                yield intent
            except CloudError as error:
                self._suspect = self._suspect or error.nodes_may_exist
                if not error.unanswered:
                    self._services.store.intent_failed(record.id, str(error))
                raise
            except BaseException:
                self._suspect = True
                raise
        self._suspect = True
        if not intent.returned:
            raise PluginBrokenError(
                f"the driver of {place.cloud!r} left a creating call without saying what it made",
                plugin=place.cloud,
                hint="call intent.made(ids) inside the with block",
            )

    def _record(self, kind: str, place: Place, ranks: tuple[int, ...], body: Mapping[str, object]) -> IntentRecord:
        text = json.dumps([kind, place.model_dump(mode="json"), list(ranks), dict(body)], sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        store, uid = self._services.store, self.handle.uid
        known = store.find_open(uid, kind, digest)
        if known is not None:
            return known
        intent_id = self._services.token(16)
        record = IntentRecord(
            id=intent_id,
            cluster_uid=uid,
            attempt=self.number,
            kind=kind,
            place_json=place.model_dump_json(),
            ranks=ranks,
            body_digest=digest,
            token=hashlib.sha256(f"{intent_id}:{digest}".encode()).hexdigest()[:32],
            created_at=self._services.clock.time(),
        )
        failpoint("attempt.creating.before_intent")
        return store.add_intent(record, self._generation)
