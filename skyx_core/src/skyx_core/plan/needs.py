"""What a request needs from a cloud, said before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator

from skyx_core.models import Capability, Request

STOP = "stop"
SELF_END = "self_end"
PORTS = "ports"


def missing(request: Request, capabilities: frozenset[Capability], abilities: frozenset[str]) -> Iterator[str]:
    """Each feature that the request needs and the cloud doesn't have, as a phrase."""
    wanted = (
        (request.use_spot, Capability.SPOT, "spot instances"),
        (request.num_nodes > 1, Capability.MULTI_NODE, "clusters of several nodes"),
        (bool(request.disk_tier), Capability.DISK_TIER, "disk tiers"),
        (request.network_tier == "best", Capability.NETWORK_TIER, "network tiers"),
        (bool(request.labels), Capability.LABELS, "labels"),
    )
    for needed, capability, phrase in wanted:
        if needed and capability not in capabilities:
            yield phrase
    yield from _missing_image(request, capabilities)
    if request.ports and Capability.PORTS_AT_LAUNCH not in capabilities and PORTS not in abilities:
        yield "opening ports"
    if request.autostop and SELF_END not in abilities:
        yield "autostop"
    elif request.autostop and not request.autostop_down and STOP not in abilities:
        yield "stopping (autostop with --down would do)"


def _missing_image(request: Request, capabilities: frozenset[Capability]) -> Iterator[str]:
    images = [image for image in (request.image_id, *request.images_by_region.values()) if image]
    docker = [image for image in images if image.startswith("docker:")]
    if docker and Capability.DOCKER_IMAGE not in capabilities:
        yield "docker images"
    if len(images) > len(docker) and Capability.CUSTOM_IMAGE not in capabilities:
        yield "custom images"


def admits(request: Request, *, cpus: float, memory_gb: float, accelerators: dict[str, float]) -> bool:
    """Whether a machine of this size satisfies the request."""
    if request.cpus and not request.cpus.admits(cpus):
        return False
    if request.memory_gb and not request.memory_gb.admits(memory_gb):
        return False
    return all(_has(accelerators, name, count) for name, count in request.accelerators.items())


def _has(accelerators: dict[str, float], name: str, count: float) -> bool:
    have = accelerators.get(name, 0.0)
    return have == count or (count < 1 <= have)
