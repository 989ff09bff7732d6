"""Error rules: scp (Samsung Cloud Platform)."""

from __future__ import annotations

from skyx_core.api import Retry
from skyx_rules_extra._rows import AUTH, CAPACITY, CLOUD, CONFIG, REGION, TRANSIENT, TYPE, USER_ERROR, Rows
from skyx_rules_extra._usual import STOCK, table

_API = Rows("scp", "Samsung Cloud Platform open API, and its public clients, read 2026-11-30")

TABLE = table(
    (
        _API.block(
            "stock.elsewhere",
            CAPACITY,
            TYPE,
            message=r"regions with capacity available:?\s*(?P<places>[\w-]+(?:,\s*[\w-]+)*)",
            hint="SCP has no {instance_type} in {region} now, but says it has in {places}",
        ),
        _API.block(
            "stock",
            CAPACITY,
            TYPE,
            message=rf"{STOCK}|resource .{{0,30}}(?:not sufficient|lack)|no available (?:resource|host|server)",
            hint="SCP has no {instance_type} in {region} now",
        ),
        _API.again(
            "busy",
            TRANSIENT,
            REGION,
            Retry(max=50, wait=5),
            code=r"SCPOngoingRequestError|SCPOngoing\w*",
            hint="SCP still works on an earlier request; it is waited for",
        ),
        _API.again(
            "busy-told",
            TRANSIENT,
            REGION,
            Retry(max=50, wait=5),
            message=r"on-?going|in progress|already (?:being|requested)|not in a state",
            hint="SCP still works on an earlier request; it is waited for",
        ),
        _API.block(
            "key",
            AUTH,
            CLOUD,
            code=r"InvalidCloudCredentials|SCP\w*Credential\w*|.*InvalidCredentials",
            hint="fix ~/.scp/scp_credential",
        ),
        _API.block(
            "network",
            CONFIG,
            REGION,
            message=r"\bvpc\b|subnet|internet gateway|security group",
            hint="SCP's network in {region} is not set up: it needs a VPC with a public subnet and a gateway",
        ),
        _API.block(
            "create",
            CAPACITY,
            TYPE,
            code=r"SCPCreationFailError|.*CreationFail\w*",
            hint="SCP could not make the server in {region}",
        ),
        _API.block(
            "request",
            USER_ERROR,
            TYPE,
            code=r"SCPClientError",
            message=r"^\W*400|invalid (?:request|parameter)|bad request",
            hint="SCP refuses the request; see the message",
        ),
    ),
    _API,
    without=("stock",),
)
