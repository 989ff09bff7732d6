"""Error rules: scaleway."""

from __future__ import annotations

from skyx_rules_extra._rows import (
    AUTH,
    BRIEF,
    BUSY,
    CAPACITY,
    CLOUD,
    CONFIG,
    NOT_FOUND,
    PATIENT,
    PERMISSION,
    QUOTA,
    RATE_LIMIT,
    REGION,
    TRANSIENT,
    TYPE,
    UNSUPPORTED,
    ZONE_TYPE,
    Rows,
)
from skyx_rules_extra._usual import MONEY, table

_API = Rows("scaleway", "Scaleway developer reference: standard errors, organisation quotas, read 2026-11-30")
_QUOTA = r"quotas?_exceeded|invalid_request_error"

TABLE = table(
    (
        _API.block(
            "stock",
            CAPACITY,
            ZONE_TYPE,
            code=r"out_of_stock|resource_exhausted",
            hint="Scaleway has no {instance_type} in {zone} now",
        ),
        _API.block(
            "stock-told",
            CAPACITY,
            ZONE_TYPE,
            message=r"out of stock|shortage|no stock",
            hint="Scaleway has no {instance_type} in {zone} now",
        ),
        _API.block(
            "quota.objects",
            QUOTA,
            REGION,
            code=_QUOTA,
            message=r"^(?=.*quota)(?=.*(?:volume|storage|\bips?\b|address|snapshot|network))",
            hint="a Scaleway quota on disks or addresses is used up; ask for more",
        ),
        _API.block(
            "quota",
            QUOTA,
            TYPE,
            code=r"quotas?_exceeded",
            hint="the quota for {instance_type} is used up, or the type is not sold any more",
        ),
        _API.block(
            "quota-told",
            QUOTA,
            TYPE,
            code=_QUOTA + "|",
            message=r"quotas? ?(?:is |are )?exceeded",
            hint="the quota for {instance_type} is used up, or the type is not sold any more",
        ),
        _API.again(
            "throttled",
            RATE_LIMIT,
            REGION,
            PATIENT,
            code=r"too_many_requests|rate_limit\w*",
            hint="Scaleway takes no more calls for now; tried again",
        ),
        _API.block(
            "key",
            AUTH,
            CLOUD,
            code=r"denied_authentication|invalid_auth|unauthorized|authentication_\w+|expired_token",
            hint="renew the Scaleway API key",
        ),
        _API.block("money", CONFIG, CLOUD, message=MONEY, hint="Scaleway wants the account or its bill put in order"),
        _API.block(
            "right",
            PERMISSION,
            CLOUD,
            code=r"permissions?_denied|insufficient_permissions|forbidden|unauthorized_\w+",
            hint="the Scaleway key lacks a right (InstancesFullAccess) in the project",
        ),
        _API.block(
            "type.absent",
            UNSUPPORTED,
            ZONE_TYPE,
            message=r"(?:commercial.?type|server type).{0,80}(?:not (?:available|supported|found|valid|one of)|unknown"
            r"|invalid|deprecated|end of)",
            hint="{zone} does not offer {instance_type}",
        ),
        _API.block(
            "absent",
            NOT_FOUND,
            REGION,
            code=r"not_found|unknown_resource|resource_expired|.*_not_found",
            hint="an image, address or group of the request does not exist in {region}",
        ),
        _API.again(
            "busy",
            TRANSIENT,
            ZONE_TYPE,
            BUSY,
            code=r"transient_state|resource_(?:locked|still_in_use|in_transient_state)|conflict|precondition_failed"
            r"|already_exists",
            hint="the Scaleway resource is busy; it is waited for",
        ),
        _API.again(
            "server",
            TRANSIENT,
            REGION,
            BRIEF,
            code=r"internal_error|internal\w*|unavailable|service_unavailable|timeout|temporarily_\w+",
            hint="Scaleway has trouble; tried again",
        ),
        _API.abort(
            "request",
            code=r"invalid_arguments?|invalid_request_error|bad_request|validation_\w+",
            hint="Scaleway refuses the request; see the message for the field",
        ),
    ),
    _API,
    REGION,
    zones=True,
    without=("money-told",),
)
