"""What must not be tried, beyond the launch that learned it."""

from __future__ import annotations

import gc
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skyx_core.state.listing import Row, Table, Warn, build_rows, fetch
from skyx_core.state.rows import storable

if TYPE_CHECKING:
    from skyx_core.models import Block, BlockKey

KEPT_S = 3 * 3600.0  # after its end, so that what comes again can be told from what is new
_COLUMNS = "key, cloud, rule, reason, category, since, until, grows_to, repeats, fingerprint, account, nodes"
_PUT = f"""INSERT INTO blocks ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key, account, fingerprint) DO UPDATE SET
    nodes = CASE WHEN blocks.until > excluded.since THEN min(blocks.nodes, excluded.nodes) ELSE excluded.nodes END,
    cloud = excluded.cloud, rule = excluded.rule, reason = excluded.reason, category = excluded.category,
    since = excluded.since, grows_to = excluded.grows_to, repeats = excluded.repeats,
    until = CASE WHEN typeof(blocks.until) IN ('real', 'integer') THEN max(excluded.until, blocks.until)
    ELSE excluded.until END
    WHERE excluded.until > blocks.until OR typeof(blocks.until) NOT IN ('real', 'integer')
    OR excluded.nodes < blocks.nodes"""  # noqa: S608 - constants


class BlockTable(Table):
    """See ``Store``. One row per pattern, account and credentials. Losing the last rows to a power cut costs attempts,
    nothing else.
    """

    def add_blocks(self, blocks: Sequence[Block]) -> None:
        """Remember those that end at some time ahead. Of two with the same pattern, account and credentials the one
        that lasts longer stays, for the smaller number of nodes. Safe to repeat.
        """
        now = self._clock.time()
        rows = [_from_block(block) for block in blocks if block.until is not None and now < block.until < math.inf]
        if not rows:
            return
        with self._db.write(durable=False) as con:
            con.execute("DELETE FROM blocks WHERE until < ?", (now - KEPT_S,))
            con.executemany(_PUT, rows)

    def blocks(self, clouds: Sequence[str] | None = None, *, now: float, ended_within: float = 0.0) -> list[Block]:
        """Those that hold at ``now`` or ended at most ``ended_within`` seconds before, in the order in which
        their patterns were first met.

        ``clouds``: of these, and those of any cloud. A row that can't be read is left out with a warning.
        """
        if not self._db.exists():
            return []
        condition, values = _of_clouds(clouds)
        select = f"SELECT {_COLUMNS} FROM blocks WHERE +until > ? {condition} ORDER BY rowid"  # noqa: S608 - constants
        with self._db.read() as con:
            rows = fetch(con, select, (now - ended_within, *values))
        return _to_blocks(rows, self._warn)

    def others_wrote(self) -> int:
        """A number that changes when another process writes to the record."""
        if not self._db.exists():
            return 0
        with self._db.read() as con:
            return int(con.execute("PRAGMA data_version").fetchone()[0])

    def clear_blocks(self, cloud: str | None = None) -> int:
        """Forget all, or those of one cloud; how many of them still held. Repeating it is harmless."""
        if not self._db.exists():
            return 0
        now = self._clock.time()
        condition, values = ("", ()) if cloud is None else (" AND cloud = ?", (storable(cloud),))
        with self._db.write(durable=False) as con:
            held = con.execute(f"SELECT count(*) FROM blocks WHERE until > ?{condition}", (now, *values))  # noqa: S608
            count = int(held.fetchone()[0])
            con.execute(f"DELETE FROM blocks WHERE 1{condition}", values)  # noqa: S608
        return count


def canonical(key: BlockKey) -> str:
    """The same text for the same pattern."""
    return json.dumps(key.model_dump(mode="json", exclude_none=True), sort_keys=True, separators=(",", ":"))


def _of_clouds(clouds: Sequence[str] | None) -> tuple[str, Sequence[str]]:
    if clouds is None:
        return "", ()
    return f"AND cloud IN ({', '.join('?' * (len(clouds) + 1))})", ("", *map(storable, clouds))


def _from_block(block: Block) -> Row:
    b = block
    return (
        canonical(b.key), b.key.cloud or "", storable(b.rule), storable(b.reason), b.category.value, b.since, b.until,
        b.grows_to, b.repeats, b.fingerprint, storable(b.account), b.nodes,
    )  # fmt: skip


def _to_blocks(rows: Sequence[Row], warn: Warn) -> list[Block]:
    """Thousands of small objects that stay: the collector would look at all of them again and again, for nothing."""
    from pydantic import ValidationError

    from skyx_core.models import Block, BlockKey

    def build(row: Row) -> Block:
        key, _, rule, reason, category, since, until, grows_to, repeats, fingerprint, account, nodes = row
        try:
            return Block.model_validate(
                {
                    "key": BlockKey.model_validate_json(key if isinstance(key, str) else b""),
                    "rule": rule,
                    "reason": reason,
                    "category": category,
                    "since": since,
                    "until": until,
                    "grows_to": grows_to,
                    "repeats": repeats,
                    "fingerprint": fingerprint,
                    "account": account,
                    "nodes": nodes,
                }
            )
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise ValueError(f"{'.'.join(map(str, first['loc'])) or 'key'}: {first['msg']}") from error

    with _collector_paused():
        return build_rows(rows, build, warn)


@contextmanager
def _collector_paused() -> Iterator[None]:
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
