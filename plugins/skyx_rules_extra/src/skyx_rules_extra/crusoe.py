"""Error rules: crusoe."""

from __future__ import annotations

from skyx_rules_extra._rows import (
    AUTH,
    BRIEF,
    BUSY,
    CAPACITY,
    CLOUD,
    NOT_FOUND,
    PATIENT,
    PERMISSION,
    QUOTA,
    RATE_LIMIT,
    REGION,
    TRANSIENT,
    TYPE,
    UNSUPPORTED,
    Rows,
)
from skyx_rules_extra._usual import table

_API = Rows("crusoe", "docs.crusoecloud.com API reference and quotas, read 2026-11-30")

TABLE = table(
    (
        _API.block(
            "stock",
            CAPACITY,
            TYPE,
            code=r"out_of_stock|.*capacity\w*|resource_exhausted",
            hint="Crusoe has no {instance_type} in {region} now",
        ),
        _API.block(
            "quota",
            QUOTA,
            TYPE,
            code=r".*quota\w*|limit_exceeded",
            hint="the Crusoe quota for {instance_type} is used up; ask for more",
        ),
        _API.again(
            "throttled",
            RATE_LIMIT,
            CLOUD,
            PATIENT,
            code=r"rate_limit\w*|too_many_requests",
            hint="Crusoe takes no more calls for now; tried again",
        ),
        _API.block(
            "key",
            AUTH,
            CLOUD,
            code=r"unauthorized|unauthenticated|bad_credentials?|invalid_(?:token|signature|credentials?)",
            hint="renew the Crusoe access key",
        ),
        _API.block(
            "right",
            PERMISSION,
            CLOUD,
            code=r"forbidden|permission_denied",
            hint="the Crusoe key lacks a right in this project",
        ),
        _API.block(
            "type.absent",
            UNSUPPORTED,
            TYPE,
            message=r"(?:instance |vm )?(?:type|sku).{0,80}(?:not (?:available|supported|offered|found)|unsupported"
            r"|invalid)",
            hint="Crusoe does not offer {instance_type} in {region}",
        ),
        _API.block(
            "absent",
            NOT_FOUND,
            REGION,
            code=r"not_found|.*_not_found",
            hint="an image, key or network of the request does not exist in {region}",
        ),
        _API.abort(
            "request",
            code=r"bad_request|invalid_\w+|validation_\w+",
            hint="Crusoe refuses the request; see the message",
        ),
        _API.again(
            "busy",
            TRANSIENT,
            TYPE,
            BUSY,
            code=r"conflict|already_exists|failed_precondition",
            hint="the Crusoe resource is busy; it is waited for",
        ),
        _API.again(
            "server",
            TRANSIENT,
            REGION,
            BRIEF,
            code=r"internal_error|internal\w*|unavailable|service_unavailable|timeout|deadline_exceeded",
            hint="Crusoe has trouble; tried again",
        ),
    ),
    _API,
)
