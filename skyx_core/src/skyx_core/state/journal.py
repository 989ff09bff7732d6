"""What happened (events) and what is about to be made (intents)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from skyx_core.errors import NotFoundError, StateStoreError
from skyx_core.failpoints import failpoint
from skyx_core.state.listing import Table, Warn, build_rows, fetch
from skyx_core.state.rows import SELECT_INTENT, from_intent, storable, to_intent

if TYPE_CHECKING:
    from skyx_core.state.records import EventRecord, IntentRecord

_PAGE = 500
NewEvent = tuple[str, str, str, float, str]  # cluster uid, name, kind, time, JSON text


class Journal(Table):
    """See ``Store``."""

    def add_event(self, cluster_uid: str, name: str, kind: str, json_text: str) -> int:
        """Its ``seq``. Survives ``kill -9``; a power cut may take the last events."""
        return self.add_events([(cluster_uid, name, kind, self._clock.time(), json_text)])[0]

    def add_events(self, rows: Sequence[NewEvent]) -> list[int]:
        """Many at once, all or none of them; their ``seq``, in order."""
        if not rows:
            return []
        with self._db.write(durable=False) as con:
            insert = "INSERT INTO events (uid, name, kind, time, json) VALUES (?, ?, ?, ?, ?)"
            return [con.execute(insert, (*row[:4], storable(row[4]))).lastrowid or 0 for row in rows]

    def events(self, uid_or_name: str, after: int = 0) -> Iterator[EventRecord]:
        """Events of a cluster, also of one that is gone, from ``seq`` ``after`` on, in order.

        By name: those of all clusters that had it. Read in pages: nothing is held open between them.
        """
        while page := self._page(uid_or_name, after):
            yield from page
            after = page[-1].seq

    def events_of(self, kinds: Sequence[str]) -> Iterator[EventRecord]:
        """Events of these kinds, of every cluster that ever was, in order. Read in pages, like ``events``."""
        marks = ", ".join("?" * len(kinds))
        after = 0
        while page := self._select_events(f"kind IN ({marks}) AND seq > ?", (*kinds, after)):
            yield from page
            after = page[-1].seq

    def _page(self, key: str, after: int) -> Sequence[EventRecord]:
        return self._select_events("(uid = ?1 OR name = ?1) AND seq > ?2", (key, after))

    def _select_events(self, condition: str, values: Sequence[object]) -> Sequence[EventRecord]:
        """``condition`` is a constant of this module."""
        from skyx_core.state.records import EventRecord

        if not self._db.exists():
            return ()
        select = f"SELECT seq, uid, name, kind, time, json FROM events WHERE {condition} ORDER BY seq LIMIT {_PAGE}"  # noqa: S608
        with self._db.read() as con:
            rows = fetch(con, select, values)
        return build_rows(rows, lambda row: EventRecord(*row), self._warn)  # type: ignore[arg-type]

    def add_intent(self, intent: IntentRecord, generation: int | None = None) -> IntentRecord:
        """Commit it to disk before the call it stands for. ``generation``: refused (``StateStoreError``) when
        another command has taken the cluster over.
        """
        stored = replace(intent, created_at=intent.created_at or self._clock.time(), state="in_flight", ended_at=None)
        with self._db.write() as con:
            if generation is not None:
                _check_fence(con, intent.cluster_uid, generation)
            con.execute("INSERT INTO intents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", from_intent(stored))
            failpoint("state.intent.before_commit")
        failpoint("state.intent.after_commit")
        return stored

    def intent_made(self, intent_id: str, ids: Sequence[str]) -> None:
        """The call returned these. Safe to repeat."""
        self._end(intent_id, "made", ids=ids)

    def intent_failed(self, intent_id: str, error: str) -> None:
        """The call answered with an error. Safe to repeat. Losing it to a power cut costs one more look."""
        self._end(intent_id, "failed", error=error, durable=False)

    def intent_gone(self, intent_id: str, reason: str) -> None:
        """Looked up for good: it made nothing, or that is gone. Safe to repeat."""
        self._end(intent_id, "gone", error=reason)

    def _end(
        self, intent_id: str, state: str, ids: Sequence[str] = (), error: str = "", *, durable: bool = True
    ) -> None:
        with self._db.write(durable=durable) as con:
            changed = con.execute(
                "UPDATE intents SET state = ?, ids = CASE ? WHEN '[]' THEN ids ELSE ?2 END, error = ?, ended_at = ?"
                " WHERE id = ?",
                (state, json.dumps(list(ids)), storable(error), self._clock.time(), intent_id),
            ).rowcount
            if not changed:
                raise NotFoundError(f"no intent with the id {intent_id}")
            failpoint("state.intent_ended.before_commit")
        failpoint("state.intent_ended.after_commit")

    def intents(self, cluster_uid: str, open_only: bool = False) -> list[IntentRecord]:
        """In the order in which they were made."""
        where = "WHERE uid = ? AND state = 'in_flight'" if open_only else "WHERE uid = ?"
        return self._find(where, (cluster_uid,))

    def find_open(self, cluster_uid: str, kind: str, digest: str) -> IntentRecord | None:
        """The same call with the same body that never returned: repeat it with this token."""
        found = self._find(
            "WHERE uid = ? AND kind = ? AND body_digest = ? AND state = 'in_flight'", (cluster_uid, kind, digest)
        )
        return found[0] if found else None

    def _find(self, where: str, values: Sequence[object]) -> list[IntentRecord]:
        if not self._db.exists():
            return []
        with self._db.read() as con:
            return _intents(con, where, values, self._warn)


def _intents(con: sqlite3.Connection, where: str, values: Sequence[object], warn: Warn) -> list[IntentRecord]:
    return build_rows(fetch(con, f"{SELECT_INTENT} {where} ORDER BY created_at, rowid", values), to_intent, warn)


def _check_fence(con: sqlite3.Connection, uid: str, generation: int) -> None:
    row = con.execute("SELECT generation FROM clusters WHERE uid = ?", (uid,)).fetchone()
    if row is None or row[0] != generation:
        raise StateStoreError(
            "nothing may be created for this cluster any more",
            why="it is gone" if row is None else f"generation {row[0]} took it over from {generation}",
            hint="'skyx status' shows what became of it",
        )
