"""What a request names itself, apart from size and place: an error about that concerns no other request."""

from __future__ import annotations

import hashlib

from skyx_core.models import Request

_OWN = (
    "accelerator_args",
    "autostop",
    "disk_size_gb",
    "disk_tier",
    "image_id",
    "images_by_region",
    "labels",
    "local_disk",
    "network_tier",
    "ports",
)


def digest(request: Request) -> str:
    """16 hex digits; equal requests have equal ones."""
    fields = request.model_dump_json(include=set(_OWN))
    return hashlib.sha256(fields.encode()).hexdigest()[:16]
