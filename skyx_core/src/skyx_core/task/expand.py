"""From ``resources`` to requests: alternatives with what they inherit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skyx_core.models.offers import Request
from skyx_core.task.infra import Location
from skyx_core.task.resources import ResourceEntry, Resources

if TYPE_CHECKING:
    from skyx_core.task.task import Task

PLACE = ("infra", "cloud", "region", "zone")


def _place(base: Location, entry: ResourceEntry) -> Location:
    """The entry's place over the inherited one: ``infra`` replaces it, a wider name clears the narrower ones."""
    if entry.infra is not None:
        return entry.location()
    if entry.cloud is not None and entry.cloud != base.cloud:
        base = Location(cloud=entry.cloud)
    if entry.region is not None and entry.region != base.region:
        base = Location(cloud=base.cloud, region=entry.region)
    return base.model_copy(update={"zone": entry.zone}) if entry.zone is not None else base


def _inherit(base: Resources, entry: ResourceEntry) -> ResourceEntry:
    """``entry`` over ``base``; a field that the entry names, even as null, is the entry's."""
    place = _place(base.location(), entry)
    own = {name: getattr(entry, name) for name in entry.model_fields_set if name not in PLACE}
    values = {name: getattr(base, name) for name in ResourceEntry.model_fields if name not in PLACE}
    fields = {**values, **own, "cloud": place.cloud, "region": place.region, "zone": place.zone}
    return ResourceEntry.model_construct(**fields)


def alternatives(resources: Resources) -> tuple[ResourceEntry, ...]:
    """Every entry with what it inherits; without entries, ``resources`` itself."""
    entries = resources.any_of or resources.ordered
    return tuple(_inherit(resources, entry) for entry in entries) or (resources,)


def requests(task: Task) -> tuple[Request, ...]:
    """One request per alternative and choice of accelerator, duplicates left out."""
    return tuple(request for request, _ in _numbered(task))


def order(task: Task) -> bool | tuple[int, ...]:
    """See ``Task.order``."""
    return tuple(number for _, number in _numbered(task)) if task.resources.ordered else task.ordered


def _numbered(task: Task) -> list[tuple[Request, int]]:
    """With a number that is equal for what one entry leaves open, and grows along the file otherwise."""
    seen: set[str] = set()
    pairs: list[tuple[Request, int]] = []
    rule, number = task.resources.autostop, 0
    update = {"autostop": rule is not None, "autostop_down": rule is not None and rule.down}
    for entry in alternatives(task.resources):
        choices = entry.accelerators.choices if entry.accelerators else (None,)
        for choice in choices:
            request = _request(entry, choice, task.num_nodes).model_copy(update=update)
            text = request.model_dump_json()
            if text not in seen:
                seen.add(text)
                pairs.append((request, number))
            number += bool(entry.accelerators and entry.accelerators.ordered)
        number += 1
    return pairs


def _request(entry: ResourceEntry, choice: tuple[str, float] | None, num_nodes: int) -> Request:
    place = entry.location()
    image = entry.image_id
    return Request(
        num_nodes=num_nodes,
        cloud=place.cloud,
        region=place.region,
        zone=place.zone,
        instance_type=entry.instance_type,
        cpus=entry.cpus,
        memory_gb=entry.memory,
        accelerators=dict([choice] if choice else []),
        accelerator_args=entry.accelerator_args or {},
        use_spot=bool(entry.use_spot),
        disk_size_gb=entry.disk_size,
        disk_tier=None if entry.disk_tier == "none" else entry.disk_tier,
        network_tier=entry.network_tier,
        local_disk=entry.local_disk,
        image_id=image if isinstance(image, str) else None,
        images_by_region=image if isinstance(image, dict) else {},
        ports=entry.ports or (),
        labels=entry.labels or {},
        max_hourly_cost=entry.max_hourly_cost,
    )
