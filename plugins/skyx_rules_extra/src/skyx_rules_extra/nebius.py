"""Error rules: nebius. One gRPC code stands for stock and quota; the text tells them apart."""

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
    Rows,
)
from skyx_rules_extra._usual import MONEY, THROTTLED, table

_API = Rows("nebius", "docs.nebius.com: errors, quotas, not enough resources; gRPC status codes, read 2026-11-30")
_FULL = r"RESOURCE_EXHAUSTED|ResourceExhausted|8"

TABLE = table(
    (
        _API.again(
            "throttled",
            RATE_LIMIT,
            REGION,
            PATIENT,
            code=_FULL + "|TOO_MANY_REQUESTS|TooManyRequests",
            message=THROTTLED,
            hint="Nebius takes no more calls for now; tried again",
        ),
        _API.block(
            "quota.objects",
            QUOTA,
            REGION,
            code=_FULL + "|QuotaFailure|QUOTA_FAILURE|",
            message=r"quota.{0,300}(?:disk|storage|address|\bip|vpc|network|subnet)|(?:disk|address|network|storage).{0,300}quota",
            hint="a Nebius quota on disks or addresses in {region} is used up; ask for more",
        ),
        _API.block(
            "quota",
            QUOTA,
            TYPE,
            code=_FULL + "|FAILED_PRECONDITION|",
            message=r"quotas?\b|limit (?:is )?(?:exceeded|reached)|exceeds? .{0,40}limit",
            hint="a Nebius quota for {instance_type} in {region} is used up; ask for more",
        ),
        _API.block(
            "quota.code",
            QUOTA,
            TYPE,
            code=r"QuotaFailure|QUOTA_FAILURE|QuotaExceeded",
            hint="a Nebius quota for {instance_type} in {region} is used up; ask for more",
        ),
        _API.block(
            "stock",
            CAPACITY,
            TYPE,
            code=_FULL + "|NotEnoughResources|NOT_ENOUGH_RESOURCES",
            hint="Nebius has no {instance_type} in {region} now",
        ),
        _API.block(
            "stock.stopped",
            CAPACITY,
            TYPE,
            code=r"STOPPED|UnexpectedState|InstanceStopped",
            hint="Nebius stopped the instance while making it: no {instance_type} in {region} now",
        ),
        _API.block(
            "stock.stopped-told",
            CAPACITY,
            TYPE,
            message=r"creating.{0,40}(?:to|->|=>|then|became) ?stopped|(?:became|was|in state|status) stopped",
            hint="Nebius stopped the instance while making it: no {instance_type} in {region} now",
        ),
        _API.block(
            "key",
            AUTH,
            CLOUD,
            code=r"UNAUTHENTICATED|Unauthenticated|16|.*CredentialsError",
            hint="renew the Nebius token or service account key",
        ),
        _API.block(
            "money",
            CONFIG,
            CLOUD,
            code=r"FAILED_PRECONDITION|PERMISSION_DENIED|9|7",
            message=MONEY,
            hint="Nebius wants the account or its bill put in order",
        ),
        _API.block(
            "right",
            PERMISSION,
            REGION,
            code=r"PERMISSION_DENIED|PermissionDenied|7",
            hint="grant a role on the project of {region}",
        ),
        _API.block(
            "project",
            CONFIG,
            REGION,
            message=r"no project found|project .{0,60}(?:not found|does not exist)|project_id",
            hint="make a Nebius project in {region}, or set its id",
        ),
        _API.block(
            "platform",
            UNSUPPORTED,
            TYPE,
            code=r"INVALID_ARGUMENT|NOT_FOUND|FAILED_PRECONDITION|3|5|9",
            message=r"(?:platform|preset).{0,100}(?:not (?:available|supported|found|allowed)|unsupported|unknown"
            r"|invalid)",
            hint="Nebius does not offer {instance_type} in {region}",
        ),
        _API.block(
            "absent",
            NOT_FOUND,
            REGION,
            code=r"NOT_FOUND|NotFound|5",
            hint="something that is named does not exist in {region}",
        ),
        _API.abort(
            "request",
            code=r"INVALID_ARGUMENT|InvalidArgument|OUT_OF_RANGE|3|11|BadRequest",
            hint="Nebius refuses the request; see the message",
        ),
        _API.block(
            "unimplemented",
            UNSUPPORTED,
            REGION,
            code=r"UNIMPLEMENTED|12",
            hint="Nebius does not offer this call in {region}",
        ),
        _API.again(
            "busy",
            TRANSIENT,
            TYPE,
            BUSY,
            code=r"ABORTED|ALREADY_EXISTS|FAILED_PRECONDITION|6|9|10|Conflict",
            hint="the Nebius resource is changing; it is waited for",
        ),
        _API.again(
            "server",
            TRANSIENT,
            REGION,
            BRIEF,
            code=r"DEADLINE_EXCEEDED|UNAVAILABLE|INTERNAL|UNKNOWN|CANCELLED|DATA_LOSS|RequestError|Timeout\w*|1|2|4|13"
            r"|14|15",
            hint="Nebius did not answer well; tried again (what was made is looked up first)",
        ),
    ),
    _API,
    REGION,
)
