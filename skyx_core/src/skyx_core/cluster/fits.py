"""Does a request fit a cluster that is already there? Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skyx_core.errors import MismatchError
from skyx_core.models import Request
from skyx_core.state.records import ClusterRecord


def check_fit(record: ClusterRecord, requests: Sequence[Request]) -> None:
    """One fitting alternative is enough; else ``MismatchError`` names the first field that doesn't."""
    problems = [next(_misfits(record, request), None) for request in requests]
    first = problems[0] if problems else None
    if first is None or None in problems:
        return
    field, wanted, there = first
    raise MismatchError(
        f"the task doesn't fit cluster {record.name!r}",
        where=field,
        why=f"it asks for {wanted}, the cluster has {there}",
        hint="launch it under another name, or change the request",
    )


Misfit = tuple[str, object, object]  # field, what is asked for, what is there


def _misfits(record: ClusterRecord, request: Request) -> Iterator[Misfit]:
    plain: tuple[Misfit, ...] = (
        ("cloud", request.cloud, record.cloud),
        ("region", request.region, record.region),
        ("zone", request.zone, record.zone),
        ("instance_type", request.instance_type, record.instance_type),
    )
    for field, wanted, there in plain:
        if wanted is not None and wanted != there:
            yield field, wanted, there
    if request.use_spot and not record.use_spot:
        yield "use_spot", "spot", "on-demand"
    yield from _size_misfits(record, request)
    yield from _made_misfits(record, request)


def _size_misfits(record: ClusterRecord, request: Request) -> Iterator[Misfit]:
    if request.num_nodes > record.num_nodes:
        yield "num_nodes", request.num_nodes, record.num_nodes
    cluster = record.cluster
    size = cluster.data if cluster else {}
    for field, amount in (("cpus", request.cpus), ("memory_gb", request.memory_gb)):
        if amount is not None and field in size and amount.value > float(size[field]):
            yield field, amount, size[field] if float(size[field]) else "none reserved"
    for name, count in sorted(request.accelerators.items()):
        have = record.accelerators.get(name, 0)
        if count > have:
            yield "accelerators", f"{name}:{count:g}", f"{name}:{have:g}" if have else "none"


def _made_misfits(record: ClusterRecord, request: Request) -> Iterator[Misfit]:
    """What was settled when the nodes were made."""
    made = Request.model_validate_json(record.request_json) if record.request_json != "{}" else Request()
    fixed: tuple[Misfit, ...] = (
        ("image_id", request.image_id, made.image_id),
        ("disk_tier", request.disk_tier, made.disk_tier),
        ("network_tier", request.network_tier, made.network_tier),
    )
    for field, wanted, there in fixed:
        if wanted is not None and wanted != there:
            yield field, wanted, there or "the default"
    if not set(request.ports) <= set(made.ports):
        yield "ports", ", ".join(request.ports), ", ".join(made.ports) or "none open"
