"""Error rules: hetzner."""

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
from skyx_rules_extra._usual import table

_API = Rows("hetzner", "docs.hetzner.cloud: error codes, limits, read 2026-11-30")

TABLE = table(
    (
        _API.again(
            "throttled",
            RATE_LIMIT,
            CLOUD,
            PATIENT,
            code=r"rate_limit_exceeded|limit_reached",
            hint="Hetzner takes 3600 calls an hour; tried again",
        ),
        _API.block(
            "stock.location",
            CAPACITY,
            REGION,
            code=r"resource_unavailable",
            message=r"location (?:is )?(?:disabled|unavailable|closed)",
            hint="{region} takes no new servers now",
        ),
        _API.block(
            "stock",
            CAPACITY,
            TYPE,
            code=r"resource_unavailable|placement_error",
            hint="Hetzner has no {instance_type} in {region} now",
        ),
        _API.block(
            "stock.disk",
            CAPACITY,
            REGION,
            code=r"no_space_left_in_location",
            hint="{region} has no room for volumes now",
        ),
        _API.block(
            "limit.dedicated",
            QUOTA,
            TYPE,
            code=r"resource_limit_exceeded",
            message=r"dedicated|core",
            hint="the account's limit of (dedicated) cores is reached; ask for more in the console",
        ),
        _API.block(
            "limit",
            QUOTA,
            CLOUD,
            code=r"resource_limit_exceeded",
            hint="a limit of the project is reached (servers, addresses); ask for more in the console",
        ),
        _API.block(
            "key",
            AUTH,
            CLOUD,
            code=r"unauthorized|invalid_token|token_\w*invalid",
            hint="set a valid Hetzner Cloud token",
        ),
        _API.block(
            "right",
            PERMISSION,
            CLOUD,
            code=r"forbidden|token_readonly|protected",
            hint="the Hetzner token may only read; make one that may write",
        ),
        _API.block(
            "support", CONFIG, CLOUD, code=r"resource_locked", hint="Hetzner locked the resource; ask its support"
        ),
        _API.block(
            "type.gone",
            UNSUPPORTED,
            TYPE,
            code=r"invalid_server_type|unsupported_error|deprecated\w*",
            hint="{instance_type} is not offered any more, or not in {region}",
        ),
        _API.block(
            "type.elsewhere",
            UNSUPPORTED,
            TYPE,
            code=r"invalid_input|unprocessable_entity",
            message=r"unsupported location|server type .{0,80}(?:not (?:available|supported|found)|deprecated"
            r"|unavailable)|location .{0,60}not (?:available|support)",
            hint="{instance_type} is not offered in {region}",
        ),
        _API.block(
            "network",
            CONFIG,
            REGION,
            code=r"no_subnet_available|ip_not_available|networks_overlap|incompatible_network_type",
            hint="the network has no free address in {region}",
        ),
        _API.block(
            "absent",
            NOT_FOUND,
            REGION,
            code=r"not_found|.*_not_found",
            hint="an image, key or network of the request does not exist",
        ),
        _API.again(
            "busy",
            TRANSIENT,
            REGION,
            BUSY,
            code=r"locked|conflict|maintenance|uniqueness_error|server_already_\w+|resource_in_use|server_not_stopped"
            r"|volume_already_attached",
            hint="the Hetzner resource is busy; it is waited for",
        ),
        _API.again(
            "server",
            TRANSIENT,
            REGION,
            BRIEF,
            code=r"service_error|unknown_error|server_error|robot_unavailable|unavailable|timeout|gateway_\w+"
            r"|bad_gateway",
            hint="Hetzner has trouble; tried again",
        ),
        _API.abort(
            "request",
            code=r"invalid_input|json_error|method_not_allowed|unprocessable_entity",
            hint="Hetzner refuses the request; see the message for the field",
        ),
    ),
    _API,
)
