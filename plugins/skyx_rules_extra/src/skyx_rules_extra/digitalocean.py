"""Error rules: digitalocean."""

from __future__ import annotations

from skyx_rules_extra._rows import (
    AUTH,
    BRIEF,
    BUSY,
    CAPACITY,
    CLOUD,
    CONFIG,
    HOUR,
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
    Rows,
)
from skyx_rules_extra._usual import MONEY, table

_API = Rows("digitalocean", "docs.digitalocean.com API reference: error ids, droplet limits, read 2026-11-30")
_REFUSED = r"unprocessable_entity|bad_request|422|invalid_\w+|validation_\w+|"

TABLE = table(
    (
        _API.again(
            "throttled",
            RATE_LIMIT,
            CLOUD,
            PATIENT,
            code=r"too_many_requests",
            hint="DigitalOcean takes no more calls for now; tried again",
        ),
        _API.block(
            "limit",
            QUOTA,
            CLOUD,
            code=_REFUSED,
            message=r"droplet limit|limit .{0,40}droplets|gpu (?:droplet )?limit",
            hint="the account's droplet limit is reached; destroy some or ask for more",
        ),
        _API.block(
            "money",
            CONFIG,
            CLOUD,
            code=_REFUSED + "|forbidden|payment_required",
            message=MONEY,
            hint="DigitalOcean wants the account or its bill put in order",
        ),
        _API.block(
            "size.restricted",
            PERMISSION,
            CLOUD,
            code=_REFUSED + "|forbidden",
            message=r"restricted|not (?:enabled|permitted) for (?:your|this) account|additional payment"
            r"|contact support",
            hint="this size is closed to the account; ask DigitalOcean to open it",
        ),
        _API.block(
            "image.elsewhere",
            NOT_FOUND,
            REGION,
            code=_REFUSED,
            message=r"image .{0,80}not available|snapshot .{0,80}not available",
            hint="the image is not in {region}; transfer it there",
        ),
        _API.block(
            "size.stock",
            CAPACITY,
            TYPE,
            code=_REFUSED,
            message=r"size .{0,80}(?:not available|unavailable|sold out)|not available in (?:this|the \w+) region"
            r"|capacity|out of stock",
            ttl=HOUR,
            hint="{instance_type} is not on offer in {region}; try another region",
        ),
        _API.block(
            "region.closed",
            CAPACITY,
            REGION,
            code=_REFUSED,
            message=r"region .{0,60}(?:not available|unavailable|disabled|not accept)",
            ttl=HOUR,
            hint="{region} takes no new droplets now",
        ),
        _API.block(
            "size.unknown",
            UNSUPPORTED,
            TYPE,
            code=_REFUSED,
            message=r"(?:invalid|unknown) size|size .{0,60}(?:invalid|not valid|does not exist)",
            hint="DigitalOcean has no size {instance_type}",
        ),
        _API.block(
            "image.small",
            USER_ERROR,
            TYPE,
            code=_REFUSED,
            message=r"disk .{0,60}(?:small|larger|smaller)|minimum disk",
            hint="the image needs a size with a larger disk",
        ),
        _API.abort(
            "named",
            code=_REFUSED,
            message=r"(?:invalid|not (?:a )?valid|unknown).{0,60}(?:image|ssh|key|name|tag|user.?data)|(?:image|ssh"
            r"|key|name|tag).{0,60}(?:invalid|not valid|only valid)",
            hint="DigitalOcean does not know an image, key or name of the request",
        ),
        _API.block("key", AUTH, CLOUD, code=r"unauthorized", hint="set a valid DigitalOcean token"),
        _API.block(
            "right", PERMISSION, CLOUD, code=r"forbidden", hint="the DigitalOcean token lacks a scope (droplet:create)"
        ),
        _API.block("absent", NOT_FOUND, REGION, code=r"not_found", hint="what is named does not exist in {region}"),
        _API.again(
            "busy",
            TRANSIENT,
            TYPE,
            BUSY,
            code=r"conflict|locked|precondition_failed",
            hint="the droplet is busy; it is waited for",
        ),
        _API.again(
            "server",
            TRANSIENT,
            REGION,
            BRIEF,
            code=r"server_error|internal_server_error|service_unavailable|gateway_timeout",
            hint="DigitalOcean has trouble; tried again",
        ),
        _API.block(
            "refused",
            USER_ERROR,
            TYPE,
            code=r"unprocessable_entity|bad_request|invalid_\w+|validation_\w+",
            hint="DigitalOcean refuses the request; see the message",
        ),
    ),
    _API,
)
