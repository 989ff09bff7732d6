"""Error rules: lambda."""

from __future__ import annotations

from skyx_rules_extra._rows import (
    AUTH,
    BRIEF,
    CAPACITY,
    CLOUD,
    CONFIG,
    NOT_FOUND,
    PATIENT,
    QUOTA,
    RATE_LIMIT,
    REGION,
    TRANSIENT,
    TYPE,
    UNSUPPORTED,
    Rows,
)
from skyx_rules_extra._usual import table

_API = Rows("lambda", "Lambda Cloud API reference: error codes, read 2026-11-30")
_STOCK = r".*insufficient-capacity"

TABLE = table(
    (
        _API.block(
            "stock.elsewhere",
            CAPACITY,
            TYPE,
            code=_STOCK,
            message=r"capacity available:?\s*(?P<places>[\w-]+(?:,\s*[\w-]+)*)",
            hint="Lambda has no {instance_type} in {region} now, but says it has in {places}",
        ),
        _API.block("stock", CAPACITY, TYPE, code=_STOCK, hint="Lambda has no {instance_type} in {region} now"),
        _API.block(
            "stock.elsewhere-told",
            CAPACITY,
            TYPE,
            message=r"regions with capacity available:?\s*(?P<places>[\w-]+(?:,\s*[\w-]+)*)",
            hint="Lambda has no {instance_type} in {region} now, but says it has in {places}",
        ),
        _API.again(
            "throttled",
            RATE_LIMIT,
            CLOUD,
            PATIENT,
            code=r"rate_limit|.*rate-limit\w*|.*too-many-requests",
            hint="Lambda takes one launch in 12 s; tried again",
        ),
        _API.block(
            "key",
            AUTH,
            CLOUD,
            code=r"global/(?:invalid-api-key|unauthorized|unauthenticated)|.*invalid-api-key",
            hint="put a valid key into ~/.lambda_cloud/lambda_keys",
        ),
        _API.block(
            "account",
            CONFIG,
            CLOUD,
            code=r".*account-inactive|.*invalid-address|.*billing.*|.*payment.*",
            hint="Lambda wants the account or its billing address put in order",
        ),
        _API.block(
            "quota.size",
            QUOTA,
            TYPE,
            code=r".*quota-exceeded",
            message=r"instance type|gpu type|for (?:this )?(?:type|gpu_)",
            hint="Lambda's quota for {instance_type} is used up; ask for more",
        ),
        _API.block(
            "quota",
            QUOTA,
            CLOUD,
            code=r".*quota-exceeded",
            hint="the account's quota at Lambda is used up; end instances or ask for more",
        ),
        _API.block(
            "volume.elsewhere",
            CONFIG,
            REGION,
            code=r".*file-system-in-wrong-region",
            hint="the file system is not in {region}; choose its region",
        ),
        _API.block(
            "volume.unsupported",
            UNSUPPORTED,
            REGION,
            code=r".*file-systems-not-supported",
            hint="Lambda has no file systems in {region}",
        ),
        _API.block(
            "key-pair.absent",
            NOT_FOUND,
            CLOUD,
            code=r".*object-does-not-exist",
            message=r"ssh|key",
            hint="the SSH key is not registered at Lambda; add it",
        ),
        _API.block(
            "absent",
            NOT_FOUND,
            REGION,
            code=r".*object-does-not-exist|.*not-found",
            hint="something that is named does not exist at Lambda; see the message",
        ),
        _API.block(
            "key-pair.in-use", CONFIG, CLOUD, code=r"ssh-keys/.*", hint="the SSH key is in use or not valid at Lambda"
        ),
        _API.block(
            "type.absent",
            UNSUPPORTED,
            TYPE,
            code=r"global/invalid-parameters",
            message=r"instance[ _]type.{0,80}(?:invalid|not (?:found|valid|available|offered)|unknown|does not exist)",
            hint="Lambda does not offer {instance_type} in {region}",
        ),
        _API.abort(
            "request.count",
            code="global/invalid-parameters",
            message=r"too many instances|quantity",
            hint="Lambda launches one instance in a call",
        ),
        _API.abort(
            "request",
            code="global/invalid-parameters|.*invalid-parameters",
            hint="Lambda refuses the request; see the message",
        ),
        _API.again(
            "server",
            TRANSIENT,
            CLOUD,
            BRIEF,
            code=r"provider/.*|global/(?:unknown|internal-error|internal)|.*internal-unavailable|.*internal-error",
            hint="Lambda has trouble; tried again",
        ),
    ),
    _API,
)
