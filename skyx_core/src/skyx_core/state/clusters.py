"""The clusters themselves: reserve, get, list, take, update, remove, and what became of those that are gone."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from skyx_core.errors import ClusterStateError, NotFoundError, StateStoreError
from skyx_core.failpoints import failpoint
from skyx_core.state.listing import Table, build_rows, fetch, where_names
from skyx_core.state.rows import (
    INFOS_JSON,
    PUT_CLUSTER,
    PUT_DOCUMENTS,
    SELECT_CLUSTER,
    SELECT_HISTORY,
    SELECT_INFO,
    from_cluster,
    from_documents,
    info_builder,
    storable,
    to_cluster,
    to_history,
)

if TYPE_CHECKING:
    from skyx_core.results import ClusterInfo
    from skyx_core.state.records import ClusterChanges, ClusterRecord, HistoryRecord

    Records = list[ClusterRecord]


class ClusterTable(Table):
    """See ``Store``."""

    @property
    def owner(self) -> str:
        """16 random hex digits, made once per state file; every node is tagged with it."""
        opened = self._db.read() if self._db.exists() else self._db.write()  # which makes the file
        with opened as con:
            return _meta(con, "owner")

    def reserve(self, record: ClusterRecord) -> ClusterRecord:
        """Store a new cluster; on disk when this returns. ``ClusterStateError`` if the name is taken."""
        now = self._clock.time()
        with self._db.write() as con:
            if con.execute("SELECT 1 FROM clusters WHERE name = ?", (record.name,)).fetchone():
                raise ClusterStateError(
                    f"a cluster {record.name!r} exists already",
                    hint=f"see 'skyx status {record.name}', or choose another name",
                )
            stored = replace(
                record, generation=_next_generation(con), created_at=record.created_at or now, updated_at=now
            )
            _put(con, stored)
            failpoint("state.reserve.before_commit")
        failpoint("state.reserve.after_commit")
        return stored

    def get(self, name: str) -> ClusterRecord | None:
        """None if there is no such cluster; ``StateStoreError`` if its row is damaged."""
        if not self._db.exists():
            return None
        with self._db.read() as con:
            return _one(con, name)

    def infos(self, patterns: Sequence[str] | None = None) -> list[ClusterInfo]:
        """What ``status`` shows, by name, from the last known state: no model is built, no document is read.

        A row that can't be read is left out with a warning.
        """
        rows = self._select(SELECT_INFO, "name", patterns)
        return build_rows(rows, info_builder(), self._warn)

    def infos_json(self) -> str:
        """``infos()`` as the text of a JSON array, one object a line, built inside SQLite."""
        if not self._db.exists():
            return "[]"
        try:
            with self._db.read() as con:
                text = con.execute(INFOS_JSON).fetchone()[0]
        except StateStoreError as error:
            if "malformed JSON" not in error.why and "UTF-8" not in error.why:
                raise
            import json

            from skyx_core.results import to_json

            return json.dumps([to_json(info) for info in self.infos()])  # leaves out the row that is damaged
        return f"[{text}]" if text else "[]"

    def armed(self) -> frozenset[str]:
        """Names of clusters that may have ended themselves since the record was written."""
        if not self._db.exists():
            return frozenset()
        with self._db.read() as con:
            rows = fetch(con, "SELECT name FROM clusters WHERE autostop IS NOT NULL")
        return frozenset(str(row[0]) for row in rows)

    def take(self, name: str) -> ClusterRecord:
        """For the new holder of the cluster's lock: updates of earlier holders are refused from now on."""
        with self._db.write() as con:
            record = replace(_must(con, name), generation=_next_generation(con))
            con.execute("UPDATE clusters SET generation = ? WHERE name = ?", (record.generation, name))
        return record

    def announce(self, name: str, generation: int, **changes: Unpack[ClusterChanges]) -> ClusterRecord:
        """As ``update``, for what is about to be tried: on disk no later than the intent of the first creating call,
        which syncs what was written before it.
        """
        return self._update(name, generation, changes, durable=False)

    def update(self, name: str, generation: int, **changes: Unpack[ClusterChanges]) -> ClusterRecord:
        """Change some fields; on disk when this returns. Repeating it is harmless.

        ``NotFoundError``: no such cluster. ``StateStoreError``: another command took it over meanwhile.
        """
        return self._update(name, generation, changes, durable=True)

    def _update(self, name: str, generation: int, changes: ClusterChanges, *, durable: bool) -> ClusterRecord:
        with self._db.write(durable=durable) as con:
            record = _must(con, name)
            _check_fence(record, generation)
            changed = replace(_changed(record, changes), updated_at=self._clock.time())
            _put(con, changed)
            failpoint("state.update.before_commit")
        failpoint("state.update.after_commit")
        return changed

    def remove(self, uid: str, generation: int, reason: str) -> None:
        """Move it to the history. Repeating it is harmless; errors like ``update``."""
        with self._db.write() as con:
            if con.execute("SELECT 1 FROM history WHERE uid = ?", (uid,)).fetchone():
                return
            row = con.execute("SELECT name FROM clusters WHERE uid = ?", (uid,)).fetchone()
            if row is None:
                raise NotFoundError(f"no cluster with the id {uid}")
            _check_fence(_must(con, row[0]), generation)
            con.execute(
                "INSERT INTO history SELECT c.uid, c.name, c.cloud, c.region, c.zone, c.instance_type, c.num_nodes,"
                " c.use_spot, c.created_at, ?, c.hourly_usd, ?, d.command, d.task_yaml"
                " FROM clusters c JOIN documents d ON d.uid = c.uid WHERE c.uid = ?",
                (self._clock.time(), storable(reason), uid),
            )
            con.execute("DELETE FROM clusters WHERE uid = ?", (uid,))
            con.execute("DELETE FROM documents WHERE uid = ?", (uid,))
            failpoint("state.remove.before_commit")
        failpoint("state.remove.after_commit")

    def history(self, name: str | None = None) -> list[HistoryRecord]:
        """Clusters that are gone, the latest first."""
        if not self._db.exists():
            return []
        with self._db.read() as con:
            rows = fetch(con, f"{SELECT_HISTORY} WHERE ?1 IS NULL OR name = ?1 ORDER BY ended_at DESC, uid", (name,))
        return build_rows(rows, to_history, self._warn)

    def list(self, patterns: Sequence[str] | None = None) -> Records:
        """Whole records by name; ``patterns`` are names or ``*`` and ``?`` patterns, None is all.

        A row that can't be read is left out with a warning.
        """
        return build_rows(self._select(SELECT_CLUSTER, "c.name", patterns), to_cluster, self._warn)

    def _select(self, select: str, column: str, patterns: Sequence[str] | None) -> Sequence[tuple[object, ...]]:
        if not self._db.exists():
            return []
        where, values = where_names(column, patterns)
        with self._db.read() as con:
            return fetch(con, f"{select} {where} ORDER BY {column}", values)


def _put(con: sqlite3.Connection, record: ClusterRecord) -> None:
    con.execute(PUT_CLUSTER, from_cluster(record))
    con.execute(PUT_DOCUMENTS, from_documents(record))


def _one(con: sqlite3.Connection, name: str) -> ClusterRecord | None:
    rows = fetch(con, f"{SELECT_CLUSTER} WHERE c.name = ?", (name,))
    try:
        return to_cluster(rows[0]) if rows else None
    except (ValueError, TypeError, KeyError) as error:
        raise StateStoreError(
            f"the record of cluster {name!r} is damaged",
            why=str(error),
            hint="its nodes may be running: look for them in the cloud's own console",
        ) from error


def _must(con: sqlite3.Connection, name: str) -> ClusterRecord:
    record = _one(con, name)
    if record is None:
        raise NotFoundError(f"no cluster {name!r}", hint="'skyx status' lists those there are")
    return record


def _check_fence(record: ClusterRecord, generation: int) -> None:
    if record.generation != generation:
        raise StateStoreError(
            f"cluster {record.name!r} was taken over by another command",
            why=f"this one has generation {generation}, and {record.generation} is the current one",
            hint=f"nothing was changed; see 'skyx status {record.name}'",
        )


def _changed(record: ClusterRecord, changes: ClusterChanges) -> ClusterRecord:
    from skyx_core.state.documents import encode

    plain: dict[str, object] = {}
    for key, value in changes.items():
        if key in ("cluster", "place"):
            plain[f"{key}_json"] = None if value is None else encode(value)  # type: ignore[arg-type]
        else:
            plain[key] = value
    plain["ever_up"] = record.ever_up or bool(changes.get("ever_up"))
    return replace(record, **plain)  # type: ignore[arg-type]


def _next_generation(con: sqlite3.Connection) -> int:
    """Never the same twice in a store, so that a new cluster of an old name has no old fences."""
    con.execute("UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'generation'")
    return int(_meta(con, "generation"))


def _meta(con: sqlite3.Connection, key: str) -> str:
    row = con.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise sqlite3.DatabaseError(f"malformed: {key} is missing")
    return str(row[0])
