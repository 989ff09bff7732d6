"""``infra``: where to run, as ``cloud/region/zone`` with ``*`` for any."""

import re

from skyx_core.models.base import Model
from skyx_core.task.aliases import CLOUDS, CONTEXT_CLOUDS
from skyx_core.task.mistakes import BadValue, kind_of, shown

_CLOUD = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}", re.ASCII)
_CONTEXT = re.compile(r"[^\s]{1,300}")


class Location(Model):
    """Unset = anywhere."""

    cloud: str | None = None
    region: str | None = None
    zone: str | None = None

    def plain(self) -> str:
        """As a task file writes it."""
        parts = [self.cloud, self.region, self.zone]
        while len(parts) > 1 and parts[-1] is None:
            parts.pop()
        return "/".join(part or "*" for part in parts)


def cloud_name(value: object) -> str | None:
    """Lower case, aliases resolved."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadValue(f"expected the name of a cloud, got {kind_of(value)}")
    name = value.strip().lower()
    if not _CLOUD.fullmatch(name):
        hint = "; write infra: cloud/region/zone for more than the cloud" if "/" in name else ""
        raise BadValue(f"expected the name of a cloud, got {shown(value)}{hint}")
    return CLOUDS.get(name, name)


def place_name(value: object) -> str | None:
    """The name of a region, zone or context."""
    if value is None:
        return None
    if not isinstance(value, str) or not _CONTEXT.fullmatch(value.strip()):
        raise BadValue(f"expected a name without spaces, got {shown(value)}")
    return value.strip()


def _parts(value: str) -> list[str]:
    head, slash, rest = value.partition("/")
    if slash and CLOUDS.get(head.lower(), head.lower()) in CONTEXT_CLOUDS:
        if not _CONTEXT.fullmatch(rest):
            raise BadValue(f"expected cloud/context, got {shown(value)}")
        return [head, rest]
    return value.split("/")


def infra(value: object) -> Location | None:
    """``cloud``, ``cloud/region``, ``cloud/region/zone``, ``cloud/*/zone``, ``cloud/context``."""
    if value is None or isinstance(value, Location):
        return value
    if not isinstance(value, str):
        raise BadValue(f"expected cloud/region/zone, got {kind_of(value)}")
    parts = _parts(value.strip())
    if len(parts) > 3 or not all(part == "*" or _CONTEXT.fullmatch(part) for part in parts):
        raise BadValue(f"expected cloud/region/zone with '*' for any, got {shown(value)}")
    cloud, region, zone = [None if part == "*" else part for part in [*parts, "*", "*"][:3]]
    return Location(cloud=cloud_name(cloud), region=region, zone=zone)
