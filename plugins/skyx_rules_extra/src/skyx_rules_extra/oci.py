"""Error rules: oci."""

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
    USER_ERROR,
    ZONE_TYPE,
    Rows,
)
from skyx_rules_extra._usual import table

_API = Rows("oci", "docs.oracle.com: API errors (apierrors), service limits, compute capacity, read 2026-11-30")

TABLE = table(
    (
        _API.block(
            "stock.told",
            CAPACITY,
            ZONE_TYPE,
            message=r"out of (?:host )?capacity|(?:host|shape) capacity|insufficient (?:host )?capacity",
            hint="OCI has no {instance_type} in {zone} now",
        ),
        _API.block(
            "stock",
            CAPACITY,
            ZONE_TYPE,
            code=r"OutOf(?:Host)?Capacity|InsufficientCapacity|CapacityNotAvailable",
            hint="OCI has no {instance_type} in {zone} now",
        ),
        _API.again(
            "throttled",
            RATE_LIMIT,
            REGION,
            PATIENT,
            code=r"TooManyRequests",
            hint="OCI takes no more calls of this user for now; tried again",
        ),
        _API.block(
            "limit.objects",
            QUOTA,
            REGION,
            code=r"LimitExceeded|QuotaExceeded",
            message=r"vcn|subnet|public-ip|volume|storage|vnic|boot|block",
            hint="an OCI limit on networks, addresses or disks in {region} is reached",
        ),
        _API.block(
            "limit",
            QUOTA,
            TYPE,
            code=r"LimitExceeded",
            message=r"exceeded:? (?P<limit>[a-z0-9.-]+(?:, ?[a-z0-9.-]+)*[a-z0-9])",
            hint="the OCI service limit {limit} in {region} is reached; ask for more",
        ),
        _API.block(
            "limit.other",
            QUOTA,
            TYPE,
            code=r"LimitExceeded|ServiceLimitExceeded|.*LimitExceeded",
            hint="an OCI service limit in {region} is reached; ask for more",
        ),
        _API.block(
            "quota",
            QUOTA,
            TYPE,
            code=r"QuotaExceeded|CompartmentQuotaExceeded",
            hint="a compartment quota is reached; ask the tenancy's administrator",
        ),
        _API.block(
            "key",
            AUTH,
            CLOUD,
            code=r"NotAuthenticated|InvalidConfig\w*|ConfigFileNotFound|InvalidPrivateKey|InvalidKeyFilePath"
            r"|InvalidSecurityToken|SignatureNotValid",
            hint="fix the keys in ~/.oci/config (and the clock)",
        ),
        _API.block(
            "right",
            PERMISSION,
            REGION,
            code=r"(?:Related\w*)?NotAuthorizedOr\w*NotFound|NotAuthorized\w*|NotAllowed|Forbidden|PolicyNotSatisfied",
            hint="OCI says neither whether it exists nor whether you may: check policy, compartment and id in {region}",
        ),
        _API.block(
            "sign-up",
            CONFIG,
            CLOUD,
            code=r"SignUpRequired|AccountNotActive|TenancyNotActive|TenantSuspended|PaymentRequired",
            hint="finish the sign-up or payment of the OCI tenancy",
        ),
        _API.block(
            "network",
            CONFIG,
            REGION,
            code=r"VcnSubnetNotFound|VcnNotFound|SubnetNotFound",
            hint="set oci.vcn_subnet for {region}",
        ),
        _API.block(
            "addresses",
            CONFIG,
            REGION,
            message=r"subnet .{0,120}(?:no (?:more )?available|exhausted|insufficient|full|out of)",
            ttl=600,
            hint="the subnet in {region} has no free addresses",
        ),
        _API.block(
            "shape.image",
            USER_ERROR,
            TYPE,
            code=r"InvalidParameter|CannotParseRequest",
            message=r"image.{0,120}(?:not (?:compatible|valid|supported)|incompatible)|(?:not compatible"
            r"|incompatible).{0,80}image",
            hint="the image does not run on {instance_type}; choose another image or shape",
        ),
        _API.block(
            "shape.unsupported",
            UNSUPPORTED,
            ZONE_TYPE,
            code=r"InvalidParameter|LimitExceeded|NotFound|InvalidParameters",
            message=r"shape|availability domain",
            hint="{zone} does not offer {instance_type}",
        ),
        _API.abort(
            "disk",
            message=r"(?:boot )?volume size.{0,120}(?:smaller|less than|at least|between)",
            hint="the boot volume is smaller than the image; raise disk_size",
        ),
        _API.abort(
            "request",
            code=r"InvalidParameters?|CannotParseRequest|MissingParameter|BadRequest|UnprocessableEntity"
            r"|InvalidParameterValue",
            hint="OCI refuses the request; see the message",
        ),
        _API.again(
            "busy",
            TRANSIENT,
            ZONE_TYPE,
            BUSY,
            code=r"IncorrectState|ExternalServerIncorrectState|Conflict|InvalidatedRetryToken"
            r"|NotAuthorizedOrResourceAlreadyExists|ResourceAlreadyExists|.*AlreadyExists|NoEtagMatch"
            r"|ConcurrentModification",
            hint="the OCI resource is changing; it is waited for",
        ),
        _API.block(
            "absent",
            NOT_FOUND,
            REGION,
            code=r"NotFound|.*NotFound",
            hint="something that is named does not exist in {region}",
        ),
        _API.again(
            "server",
            TRANSIENT,
            ZONE_TYPE,
            BRIEF,
            code=r"InternalError|InternalServerError|ServiceUnavailable|GatewayTimeout|BadGateway|RequestException"
            r"|ConnectTimeout|ReadTimeout",
            hint="OCI has trouble; tried again",
        ),
    ),
    _API,
    REGION,
    zones=True,
)
