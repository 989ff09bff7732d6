"""Error rules: runpod. Its errors come with HTTP 200, and mostly only the text tells them apart."""

from __future__ import annotations

from skyx_rules_extra._rows import (
    AUTH,
    BRIEF,
    CAPACITY,
    CLOUD,
    CONFIG,
    NOT_FOUND,
    PERMISSION,
    QUOTA,
    REGION,
    TRANSIENT,
    TYPE,
    UNSUPPORTED,
    Rows,
)
from skyx_rules_extra._usual import STOCK, table

_API = Rows("runpod", "docs.runpod.io GraphQL reference, and its client's public issues, read 2026-11-30")

TABLE = table(
    (
        _API.block(
            "stock.disk",
            CAPACITY,
            TYPE,
            message=r"(?:enough|sufficient) (?:disk|container|storage)",
            hint="no host in {region} has so much disk; lower disk_size",
        ),
        _API.block(
            "stock.bid",
            CAPACITY,
            TYPE,
            message=r"\bbid\b|outbid|spot price",
            hint="the bid is under RunPod's price; raise it, or use on-demand",
        ),
        _API.block(
            "stock",
            CAPACITY,
            TYPE,
            message=rf"{STOCK}|does not have the resources|no (?:gpus?|machines?) (?:found|left)|currently unavailable"
            r"|instances? available",
            hint="RunPod has no {instance_type} in {region} now",
        ),
        _API.block(
            "spending",
            QUOTA,
            CLOUD,
            message=r"spend(?:ing)? ?limit|max(?:imum)? (?:number of )?pods|pod limit",
            hint="RunPod's limit on pods or spending is reached; ask for a higher one",
        ),
        _API.block(
            "money", CONFIG, CLOUD, message=r"balance|funds|credits?\b|payment", hint="add funds to the RunPod account"
        ),
        _API.block(
            "key", AUTH, CLOUD, code=r"UNAUTHENTICATED|UNAUTHORIZED", hint="set a valid RunPod key ('runpod config')"
        ),
        _API.block("right", PERMISSION, CLOUD, code=r"FORBIDDEN", hint="the RunPod key lacks a right"),
        _API.block(
            "type.absent",
            UNSUPPORTED,
            TYPE,
            message=r"(?:gpu ?type|gpuTypeId|data ?center)[^.]{0,60}(?:invalid|not (?:found|supported|available|valid)"
            r"|unknown|does not)",
            hint="RunPod does not offer {instance_type} in {region}",
        ),
        _API.block(
            "volume.absent",
            NOT_FOUND,
            REGION,
            message=r"(?:network volume|template|registry auth)\b.{0,80}(?:not found|does not exist|invalid|different)",
            hint="the volume or template is not in {region}",
        ),
        _API.abort(
            "request",
            code=r"BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED|GRAPHQL_PARSE_FAILED",
            hint="RunPod refuses the request; see the message",
        ),
        _API.again(
            "server", TRANSIENT, TYPE, BRIEF, code=r"INTERNAL_SERVER_ERROR", hint="RunPod has trouble; tried again"
        ),
        _API.again(
            "server-told",
            TRANSIENT,
            TYPE,
            BRIEF,
            message=r"something went wrong|contact support",
            hint="RunPod has trouble; tried again",
        ),
    ),
    _API,
    without=("stock",),
)
