"""Error rules: ibm."""

from __future__ import annotations

from skyx_rules_extra._rows import (
    AUTH,
    BRIEF,
    BUSY,
    CAPACITY,
    CLOUD,
    CONFIG,
    MINUTE,
    NOT_FOUND,
    PATIENT,
    PERMISSION,
    QUOTA,
    RATE_LIMIT,
    REGION,
    TRANSIENT,
    TYPE,
    UNSUPPORTED,
    ZONE,
    ZONE_TYPE,
    Rows,
)
from skyx_rules_extra._usual import table

_STATUS = Rows("ibm", "cloud.ibm.com: VPC instance status reasons, read 2026-11-30")
_API = Rows("ibm", "cloud.ibm.com: VPC API error codes and quotas, IAM token errors, read 2026-11-30")

TABLE = table(
    (
        _STATUS.block(
            "start.stock",
            CAPACITY,
            ZONE_TYPE,
            code=r"cannot_start_(?:capacity|reservation\w*)|insufficient_capacity|.*out_of_capacity|capacity_\w+",
            hint="IBM has no {instance_type} in {zone} now",
        ),
        _STATUS.block(
            "start.placement",
            CONFIG,
            ZONE_TYPE,
            code=r"cannot_start_placement_group",
            ttl=5 * MINUTE,
            hint="the placement group leaves no host in {zone}",
        ),
        _STATUS.block(
            "start.address",
            CONFIG,
            ZONE,
            code=r"cannot_start_(?:ip_address|network)",
            ttl=10 * MINUTE,
            hint="the subnet in {zone} gives no address or network",
        ),
        _STATUS.block(
            "start.failed",
            TRANSIENT,
            ZONE_TYPE,
            code=r"cannot_start\w*|stopped_\w*host_failure|failed|status_failed",
            ttl=5 * MINUTE,
            hint="IBM could not start the instance; another place is tried",
        ),
        _STATUS.block(
            "key.deleted",
            CONFIG,
            REGION,
            code=r"encryption_key_(?:deleted|disabled|suspended)",
            hint="the encryption key of a volume is gone; restore it or use another",
        ),
        _API.block(
            "stock.told",
            CAPACITY,
            ZONE_TYPE,
            message=r"insufficient (?:\w+ )?capacity|out of capacity|no capacity|not enough (?:\w+ )?(?:capacity"
            r"|resources)",
            hint="IBM has no {instance_type} in {zone} now",
        ),
        _API.again(
            "throttled",
            RATE_LIMIT,
            REGION,
            PATIENT,
            code=r"rate_limit\w*|too_many_requests|throttl\w*",
            hint="IBM takes no more calls for now; tried again",
        ),
        _API.block(
            "quota.objects",
            QUOTA,
            REGION,
            code=r".*over_quota\w*|.*quota\w*|.*limit_exceeded",
            message=r"floating|address|volume|storage|vpcs?\b|subnet|security group|total|vcpu|\bcores?\b"
            r"|instances? (?:in|per) (?:this |the )?(?:region|account)",
            hint="an IBM quota in {region} is used up; delete what is unused or ask for more",
        ),
        _API.block(
            "quota",
            QUOTA,
            TYPE,
            code=r".*over_quota\w*|.*quota\w*|.*limit_exceeded",
            hint="an IBM quota for {instance_type} in {region} is used up; ask for more",
        ),
        _API.block(
            "key",
            AUTH,
            CLOUD,
            code=r"not_authenticated|invalid_token|token_expired|invalid_api_?key|unauthenticated|unauthorized"
            r"|BXNIM\w+|IAM\w*",
            hint="renew the IBM Cloud API key",
        ),
        _API.block(
            "key-told",
            AUTH,
            CLOUD,
            message=r"BXNIM\d+|API key could not be found|token (?:is |has )?(?:expired|invalid)",
            hint="renew the IBM Cloud API key",
        ),
        _API.block(
            "right",
            PERMISSION,
            CLOUD,
            code=r"not_authorized\w*|forbidden|insufficient_permission\w*|access_denied",
            hint="the identity lacks an IAM action on VPC infrastructure services",
        ),
        _API.block(
            "account",
            CONFIG,
            CLOUD,
            code=r"account_\w+|payment_\w+|.*billing\w*|trial_\w+",
            hint="IBM wants the account or its bill put in order",
        ),
        _API.block(
            "profile.absent",
            UNSUPPORTED,
            ZONE_TYPE,
            message=r"profile.{0,100}(?:not (?:available|found|supported|valid)|unavailable|does not exist|unsupported"
            r"|invalid)",
            hint="{zone} does not offer {instance_type}",
        ),
        _API.block(
            "absent",
            NOT_FOUND,
            REGION,
            code=r".*not_found",
            hint="something that is named (image, subnet, key) does not exist in {region}",
        ),
        _API.abort(
            "request",
            code=r"bad_(?:field|request)|invalid_\w+|validation_\w+|missing_\w+|unsupported_\w+|field_\w+|value_\w+"
            r"|.*name_duplicate",
            hint="IBM refuses the request; see the message for the field",
        ),
        _API.again(
            "busy",
            TRANSIENT,
            ZONE_TYPE,
            BUSY,
            code=r"conflict\w*|.*in_use|.*_pending|resource_locked|invalid_state",
            hint="the IBM resource is changing; it is waited for",
        ),
        _API.again(
            "server",
            TRANSIENT,
            REGION,
            BRIEF,
            code=r"internal_\w+|service_\w+|server_\w+|.*timeout|.*unavailable",
            hint="IBM has trouble; tried again",
        ),
    ),
    _API,
    REGION,
    zones=True,
)
