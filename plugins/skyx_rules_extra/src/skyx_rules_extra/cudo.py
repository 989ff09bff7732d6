"""Error rules: cudo. Errors have the form of AIP-193: the reason may stand in ``details``."""

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
    Rows,
)
from skyx_rules_extra._usual import MONEY, THROTTLED, table

_API = Rows("cudo", "Cudo Compute API reference, google.aip.dev/193 and gRPC status codes, read 2026-11-30")

TABLE = table(
    (
        _API.block(
            "stock",
            CAPACITY,
            TYPE,
            code=r".*(?:MACHINE_TYPE|HOST|GPU|CAPACITY|DATA_?CENTER)\w*(?:UNAVAILABLE|NOT_AVAILABLE|EXHAUSTED|EXCEEDED"
            r"|INSUFFICIENT)\w*|.*INSUFFICIENT_(?:CAPACITY|RESOURCES)|OUT_OF_(?:STOCK|CAPACITY)|NO_(?:HOST"
            r"|CAPACITY)\w*",
            hint="Cudo has no such machine in {region} now",
        ),
        _API.block(
            "stock-told",
            CAPACITY,
            TYPE,
            message=r"no (?:machine type|host|gpus?|vm)\b.{0,40}available|(?:not|no) (?:enough )?(?:capacity"
            r"|gpus? available)",
            hint="Cudo has no such machine in {region} now",
        ),
        _API.again(
            "throttled",
            RATE_LIMIT,
            CLOUD,
            PATIENT,
            code=r"RATE_LIMIT\w*|RESOURCE_EXHAUSTED|8",
            message=THROTTLED,
            hint="Cudo takes no more calls for now; tried again",
        ),
        _API.block(
            "quota",
            QUOTA,
            TYPE,
            code=r".*QUOTA\w*|.*LIMIT_(?:EXCEEDED|REACHED)|RESOURCE_EXHAUSTED|8",
            message=r"\bquotas?\b|\blimit|exceed",
            hint="a Cudo quota is used up; ask for more",
        ),
        _API.block(
            "quota.code",
            QUOTA,
            TYPE,
            code=r".*QUOTA\w*|.*LIMIT_(?:EXCEEDED|REACHED)",
            hint="a Cudo quota is used up; ask for more",
        ),
        _API.block(
            "stock.exhausted",
            CAPACITY,
            TYPE,
            code=r"RESOURCE_EXHAUSTED|8",
            hint="Cudo has no such machine in {region} now",
        ),
        _API.block(
            "key", AUTH, CLOUD, code=r"UNAUTHENTICATED|.*API_KEY\w*|16|INVALID_TOKEN", hint="set a valid Cudo API key"
        ),
        _API.block(
            "money",
            CONFIG,
            CLOUD,
            code=r".*(?:BILLING|PAYMENT|BALANCE|CREDIT)\w*",
            hint="Cudo wants the billing account put in order",
        ),
        _API.block("money-told", CONFIG, CLOUD, message=MONEY, hint="Cudo wants the billing account put in order"),
        _API.block(
            "right",
            PERMISSION,
            CLOUD,
            code=r"PERMISSION_DENIED|FORBIDDEN|7",
            hint="the Cudo key lacks a right in the project",
        ),
        _API.block(
            "absent",
            NOT_FOUND,
            REGION,
            code=r"NOT_FOUND|.*_NOT_FOUND|5",
            hint="what is named (image, project, data centre) does not exist",
        ),
        _API.abort(
            "request",
            code=r"INVALID_ARGUMENT|BAD_REQUEST|.*_INVALID|OUT_OF_RANGE|3|11",
            hint="Cudo refuses the request; see the message",
        ),
        _API.again(
            "busy",
            TRANSIENT,
            TYPE,
            BUSY,
            code=r"ABORTED|ALREADY_EXISTS|FAILED_PRECONDITION|6|9|10",
            hint="the Cudo resource is busy; it is waited for",
        ),
        _API.again(
            "server",
            TRANSIENT,
            REGION,
            BRIEF,
            code=r"UNAVAILABLE|INTERNAL|DEADLINE_EXCEEDED|UNKNOWN|2|4|13|14",
            hint="Cudo has trouble; tried again",
        ),
    ),
    _API,
    without=("money-told",),
)
