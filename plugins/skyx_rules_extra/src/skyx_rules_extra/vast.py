"""Error rules: vast."""

from __future__ import annotations

from skyx_rules_extra._rows import (
    AUTH,
    BRIEF,
    CAPACITY,
    CLOUD,
    CONFIG,
    NOT_FOUND,
    PATIENT,
    PERMISSION,
    QUOTA,
    RATE_LIMIT,
    TYPE,
    Rows,
)
from skyx_rules_extra._usual import MONEY, table

_API = Rows("vast", "docs.vast.ai API, and its public command line client, read 2026-11-30")

TABLE = table(
    (
        _API.again(
            "offer.taken",
            CAPACITY,
            TYPE,
            BRIEF,
            code=r"no_such_ask|ask_not_found|.*not_available|offer_\w+",
            hint="another took the offer; the next one is searched",
        ),
        _API.again(
            "offer.taken-told",
            CAPACITY,
            TYPE,
            BRIEF,
            message=r"(?:no_such_ask|(?:ask|offer|instance type by id)\b.{0,60}(?:not available|no longer|unavailable"
            r"|already rented|gone))",
            hint="another took the offer; the next one is searched",
        ),
        _API.block(
            "offer.none",
            CAPACITY,
            TYPE,
            message=r"(?:not find|no|0|zero) (?:an |any )?(?:\w+ )?offers?|could not find an offer",
            hint="no offer for {instance_type} in {region} now; relax disk or CPU, or the region",
        ),
        _API.block(
            "offer.outbid",
            CAPACITY,
            TYPE,
            message=r"\bbid\b|outbid|min_bid",
            hint="the bid is under the market; raise it, or use on-demand",
        ),
        _API.block(
            "key",
            AUTH,
            CLOUD,
            code=r"auth_error|invalid_(?:user_)?key|not_authenticated|unauthorized",
            hint="set a valid Vast API key",
        ),
        _API.again(
            "throttled",
            RATE_LIMIT,
            CLOUD,
            PATIENT,
            code=r"too_many_requests|rate_limit\w*",
            hint="Vast takes no more calls for now; tried again",
        ),
        _API.block(
            "money",
            CONFIG,
            CLOUD,
            code=r"insufficient_(?:credit|funds|balance)s?|lack_\w*credit|no_credit|email_\w+|.*unverified|.*verif\w+",
            hint="add credit to the Vast account, or verify it",
        ),
        _API.block("money-told", CONFIG, CLOUD, message=MONEY, hint="add credit to the Vast account, or verify it"),
        _API.block(
            "right",
            PERMISSION,
            CLOUD,
            code=r"forbidden|permission_denied|not_allowed",
            hint="the Vast key lacks a right",
        ),
        _API.block(
            "limit",
            QUOTA,
            CLOUD,
            code=r".*limit_exceeded|instance_limit\w*|quota\w*",
            hint="the account's limit at Vast is reached",
        ),
        _API.block(
            "absent",
            NOT_FOUND,
            TYPE,
            code=r"no_such_(?:instance|image|template|volume)",
            hint="what is named does not exist at Vast",
        ),
        _API.abort("login.missing", message=r"registry.{0,60}no login", hint="the private registry needs its login"),
        _API.abort(
            "request",
            code=r"invalid_(?:args|argument|request|image|price)\w*|missing_\w+|bad_request",
            hint="Vast refuses the request; see the message",
        ),
    ),
    _API,
    without=("money-told",),
)
