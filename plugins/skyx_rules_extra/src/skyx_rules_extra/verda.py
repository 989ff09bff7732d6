"""Error rules: verda (formerly DataCrunch)."""

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
from skyx_rules_extra._usual import MONEY, STOCK, table

_API = Rows("verda", "Verda public API reference: error codes, read 2026-11-30")

TABLE = table(
    (
        _API.block(
            "stock",
            CAPACITY,
            TYPE,
            message=rf"{STOCK}|not available (?:in|at|right now)|no availability|currently (?:not available"
            r"|unavailable)",
            hint="Verda has no {instance_type} in {region} now",
        ),
        _API.block(
            "money",
            CONFIG,
            CLOUD,
            code=r"insufficient_(?:funds|balance|credits?)|payment_\w+|account_\w+",
            hint="add funds to the Verda account",
        ),
        _API.block("money-told", CONFIG, CLOUD, message=MONEY, hint="add funds to the Verda account"),
        _API.block(
            "key",
            AUTH,
            CLOUD,
            code=r"unauthorized_request|unauthorized\w*|invalid_(?:token|grant|client\w*)|token_expired",
            hint="renew the Verda client id and secret",
        ),
        _API.block("right", PERMISSION, CLOUD, code=r"forbidden\w*", hint="the Verda key lacks a right"),
        _API.again(
            "throttled",
            RATE_LIMIT,
            CLOUD,
            PATIENT,
            code=r"too_many_requests|rate_limit\w*",
            hint="Verda takes no more calls for now; tried again",
        ),
        _API.block(
            "limit",
            QUOTA,
            CLOUD,
            code=r".*limit_(?:exceeded|reached)|quota\w*",
            hint="the account's limit at Verda is reached",
        ),
        _API.block(
            "absent",
            NOT_FOUND,
            REGION,
            code=r"not_found|.*_not_found",
            hint="an image, key or volume of the request does not exist",
        ),
        _API.again(
            "busy",
            TRANSIENT,
            TYPE,
            BUSY,
            code=r"conflict|locked|invalid_state",
            hint="the Verda resource is busy; it is waited for",
        ),
        _API.abort(
            "request",
            code=r"invalid_request|bad_request|validation_\w+|invalid_\w+",
            hint="Verda refuses the request; see the message",
        ),
        _API.again(
            "server",
            TRANSIENT,
            REGION,
            BRIEF,
            code=r"service_unavailable|internal_\w+|server_error|timeout",
            hint="Verda has trouble; tried again",
        ),
    ),
    _API,
    without=("money-told", "stock"),
)
