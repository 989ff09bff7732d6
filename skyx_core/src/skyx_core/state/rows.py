"""Between records and rows of SQLite. Column lists are written once, here."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from skyx_core.results import ClusterStatus

if TYPE_CHECKING:
    from skyx_core.results import ClusterInfo, Json
    from skyx_core.state.records import ClusterRecord, HistoryRecord, IntentRecord

SELECT_CLUSTER = """SELECT c.name, c.uid, d.handle, c.cloud, c.account, c.region, c.zone, c.instance_type,
    c.accelerators, c.use_spot, c.num_nodes, c.hourly_usd, c.status, c.reason, c.autostop, c.head, c.ever_up,
    d.cluster, d.place, d.request, d.task_yaml, d.command, c.executor, c.config_hash, c.generation,
    c.created_at, c.updated_at, c.refreshed_at
    FROM clusters c JOIN documents d ON d.uid = c.uid"""
PUT_CLUSTER = """INSERT OR REPLACE INTO clusters
    (name, uid, cloud, account, region, zone, instance_type, accelerators, use_spot, num_nodes, hourly_usd, status,
    reason, autostop, head, ever_up, executor, config_hash, generation, created_at, updated_at, refreshed_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
PUT_DOCUMENTS = """INSERT OR REPLACE INTO documents (uid, handle, cluster, place, request, task_yaml, command)
    VALUES (?, ?, ?, ?, ?, ?, ?)"""
SELECT_INFO = """SELECT name, status, cloud, region, zone, instance_type, accelerators, use_spot, num_nodes,
    hourly_usd, autostop, strftime('%Y-%m-%dT%H:%M:%SZ', created_at, 'unixepoch'), head, reason FROM clusters"""
INFOS_JSON = """SELECT group_concat(json_object('name', name, 'status', status, 'cloud', cloud, 'region', region,
    'zone', zone, 'instance_type', instance_type, 'accelerators', json(accelerators),
    'use_spot', json(CASE use_spot WHEN 0 THEN 'false' ELSE 'true' END), 'num_nodes', num_nodes,
    'hourly_usd', CAST(hourly_usd AS REAL), 'autostop', json(autostop),
    'created_at', strftime('%Y-%m-%dT%H:%M:%SZ', created_at, 'unixepoch'), 'head', head, 'reason', reason), ',\n')
    FROM (SELECT * FROM clusters ORDER BY name)"""
SELECT_HISTORY = """SELECT uid, name, cloud, region, zone, instance_type, num_nodes, use_spot, created_at, ended_at,
    hourly_usd, reason, command, task_yaml FROM history"""
SELECT_INTENT = """SELECT id, uid, attempt, kind, place, ranks, body_digest, token, created_at, state, ids, error,
    ended_at FROM intents"""
_STATUSES = {status.value: status for status in ClusterStatus}
Row = Sequence[object]


def to_cluster(row: tuple[object, ...]) -> ClusterRecord:
    """Raises ``ValueError``, ``KeyError`` or ``TypeError`` for a row that can't be."""
    from skyx_core.state.records import ClusterRecord

    values: list[object] = list(row)
    values[8] = _accelerators(values[8])
    values[9], values[16] = bool(values[9]), bool(values[16])
    values[12] = _STATUSES[str(values[12])]
    values[14] = _mapping(values[14])
    record = ClusterRecord(*values)  # type: ignore[arg-type]
    if not isinstance(record.num_nodes, int) or not isinstance(record.created_at, float):
        raise TypeError("a number is damaged")
    return record


def from_cluster(record: ClusterRecord) -> tuple[object, ...]:
    """The parameters of ``PUT_CLUSTER``."""
    r = record
    return (
        r.name, r.uid, r.cloud, r.account, r.region, r.zone, r.instance_type, _dump(r.accelerators), int(r.use_spot),
        r.num_nodes, r.hourly_usd, r.status.value, storable(r.reason),
        None if r.autostop is None else _dump(r.autostop),
        r.head, int(r.ever_up), r.executor, r.config_hash, r.generation, r.created_at, r.updated_at, r.refreshed_at,
    )  # fmt: skip


def from_documents(record: ClusterRecord) -> tuple[object, ...]:
    """The parameters of ``PUT_DOCUMENTS``."""
    r = record
    return (
        r.uid,
        r.handle_json,
        r.cluster_json,
        r.place_json,
        r.request_json,
        storable(r.task_yaml),
        storable(r.command),
    )


def info_builder() -> Callable[[tuple[object, ...]], ClusterInfo]:
    """For many rows: the few different texts of accelerators and autostop are parsed once each."""
    from skyx_core.results import ClusterInfo

    parsed: dict[object, dict[str, Json] | None] = {}

    def mapping(text: object) -> dict[str, Json] | None:
        if text not in parsed:
            parsed[text] = _mapping(text)
        value = parsed[text]
        return None if value is None else value.copy()

    def build(row: tuple[object, ...]) -> ClusterInfo:
        name, status, cloud, region, zone, kind, gpus, spot, nodes, usd, autostop, created, head, reason = row
        if status not in _STATUSES or type(nodes) is not int or type(usd) is not float or type(created) is not str:
            raise ValueError(f"status {status!r}, nodes {nodes!r}, price {usd!r} or date {created!r} is damaged")
        counts = {} if gpus == "{}" else mapping(gpus) or {}
        stop = None if autostop is None else mapping(autostop)
        return ClusterInfo(
            name, status, cloud, region, zone, kind, counts, spot != 0, nodes, usd, stop, created, head, reason  # type: ignore[arg-type]
        )  # fmt: skip

    return build


def to_history(row: tuple[object, ...]) -> HistoryRecord:
    """Raises like ``to_cluster``."""
    from skyx_core.state.records import HistoryRecord

    values = list(row)
    values[7] = bool(values[7])
    return HistoryRecord(*values)  # type: ignore[arg-type]


def to_intent(row: tuple[object, ...]) -> IntentRecord:
    """Raises like ``to_cluster``."""
    from skyx_core.state.records import IntentRecord

    values = list(row)
    values[5] = tuple(int(rank) for rank in json.loads(str(values[5])))
    values[10] = tuple(str(made) for made in json.loads(str(values[10])))
    return IntentRecord(*values)  # type: ignore[arg-type]


def from_intent(intent: IntentRecord) -> tuple[object, ...]:
    """In the order of ``SELECT_INTENT``."""
    i = intent
    return (
        i.id, i.cluster_uid, i.attempt, i.kind, i.place_json, _dump(list(i.ranks)), i.body_digest, i.token,
        i.created_at, i.state, _dump(list(i.ids)), storable(i.error), i.ended_at,
    )  # fmt: skip


def storable(text: str) -> str:
    """Bytes of a command line or file that are not UTF-8 come as lone surrogates, which SQLite can't keep."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _mapping(text: object) -> dict[str, Json] | None:
    if text is None:
        return None
    value = json.loads(str(text))
    if not isinstance(value, dict):
        raise TypeError(f"{text!r} is not a mapping")
    return value


def _accelerators(text: object) -> dict[str, float]:
    value = _mapping(text) or {}
    if not all(isinstance(count, int | float) for count in value.values()):
        raise TypeError(f"{text!r} are not counts")
    return value  # type: ignore[return-value]
