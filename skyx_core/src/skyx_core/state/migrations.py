"""The tables, as numbered steps. A step that was released is never edited; the next one mends it.

``clusters`` holds what lists show, and is small; the documents of a cluster are apart, so that listing ten
thousand clusters reads none of them.
"""

from __future__ import annotations

from collections.abc import Sequence

Migration = Sequence[str]

_FIRST: Migration = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "INSERT INTO meta VALUES ('owner', lower(hex(randomblob(8)))), ('generation', '0')",
    """CREATE TABLE clusters (
        name TEXT PRIMARY KEY, uid TEXT NOT NULL UNIQUE, generation INTEGER NOT NULL,
        status TEXT NOT NULL, reason TEXT NOT NULL, cloud TEXT NOT NULL, account TEXT NOT NULL,
        region TEXT, zone TEXT, instance_type TEXT, accelerators TEXT NOT NULL CHECK (json_valid(accelerators)),
        use_spot INTEGER NOT NULL, num_nodes INTEGER NOT NULL, hourly_usd REAL NOT NULL,
        autostop TEXT CHECK (autostop IS NULL OR json_valid(autostop)),
        created_at REAL NOT NULL, updated_at REAL NOT NULL, refreshed_at REAL,
        head TEXT, ever_up INTEGER NOT NULL, executor TEXT, config_hash TEXT NOT NULL)""",
    """CREATE TABLE documents (
        uid TEXT PRIMARY KEY, handle TEXT NOT NULL, cluster TEXT, place TEXT,
        request TEXT NOT NULL, task_yaml TEXT NOT NULL, command TEXT NOT NULL)""",
    """CREATE TABLE history (
        uid TEXT PRIMARY KEY, name TEXT NOT NULL, cloud TEXT NOT NULL, region TEXT, zone TEXT, instance_type TEXT,
        num_nodes INTEGER NOT NULL, use_spot INTEGER NOT NULL, created_at REAL NOT NULL, ended_at REAL NOT NULL,
        hourly_usd REAL NOT NULL, reason TEXT NOT NULL, command TEXT NOT NULL, task_yaml TEXT NOT NULL)""",
    "CREATE INDEX history_name ON history (name, ended_at)",
    """CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL, name TEXT NOT NULL,
        kind TEXT NOT NULL, time REAL NOT NULL, json TEXT NOT NULL)""",
    "CREATE INDEX events_uid ON events (uid, seq)",
    "CREATE INDEX events_name ON events (name, seq)",
    """CREATE TABLE intents (
        id TEXT PRIMARY KEY, uid TEXT NOT NULL, attempt INTEGER NOT NULL, kind TEXT NOT NULL, place TEXT NOT NULL,
        ranks TEXT NOT NULL, body_digest TEXT NOT NULL, token TEXT NOT NULL, created_at REAL NOT NULL,
        state TEXT NOT NULL, ids TEXT NOT NULL, error TEXT NOT NULL, ended_at REAL)""",
    "CREATE INDEX intents_uid ON intents (uid, state)",
)

_BLOCKS: Migration = (
    """CREATE TABLE blocks (
        key TEXT NOT NULL, cloud TEXT NOT NULL, rule TEXT NOT NULL, reason TEXT NOT NULL, category TEXT NOT NULL,
        since REAL NOT NULL, until REAL NOT NULL, grows_to REAL, repeats INTEGER NOT NULL,
        fingerprint TEXT NOT NULL, account TEXT NOT NULL, nodes INTEGER NOT NULL,
        PRIMARY KEY (key, account, fingerprint))""",
    "CREATE INDEX blocks_until ON blocks (until)",
)

MIGRATIONS: tuple[Migration, ...] = (_FIRST, _BLOCKS)
"""Step n (from 1) brings a database of version n-1 to version n (``PRAGMA user_version``)."""

TABLES = ("meta", "clusters", "documents", "history", "events", "intents", "blocks")
