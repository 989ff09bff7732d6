"""How each cloud words its refusals, so that the real tables of rules have something real to read.

Facts (codes and phrases) as the clouds' references and public reports of their errors show them, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skyx_core.api import CloudError


@dataclass(frozen=True)
class Refused:
    """A request as it is refused. ``zone`` "" = the region as a whole. ``limit``: of the quota, in nodes."""

    cloud: str
    region: str
    zone: str
    instance_type: str
    spot: bool
    nodes: int
    bucket: str = ""
    limit: int = 0

    @property
    def place(self) -> str:
        return self.zone or self.region


Answer = tuple[str, int, str]  # code, HTTP status (0 = none), message; {name} stands for a field above
Wording = Mapping[str, Answer]
CAPACITY, SPOT_CAPACITY, QUOTA, SPOT_QUOTA = "capacity", "spot_capacity", "quota", "spot_quota"
THROTTLED, EXPIRED = "throttled", "expired"

_AWS: Wording = {
    CAPACITY: (
        "InsufficientInstanceCapacity",
        500,
        "We currently do not have sufficient {instance_type} capacity in the Availability Zone you requested "
        "({place}).",
    ),
    SPOT_CAPACITY: (
        "InsufficientInstanceCapacity",
        500,
        "There is no Spot capacity available that matches your request.",
    ),
    QUOTA: (
        "VcpuLimitExceeded",
        400,
        "You have requested more vCPU capacity than your current vCPU limit of {limit} allows for the instance bucket "
        "that the specified instance type belongs to.",
    ),
    SPOT_QUOTA: ("MaxSpotInstanceCountExceeded", 400, "Max spot instance count exceeded"),
    THROTTLED: ("RequestLimitExceeded", 503, "Request limit exceeded."),
    EXPIRED: ("ExpiredToken", 400, "The security token included in the request is expired"),
}
_GCP: Wording = {
    CAPACITY: (
        "ZONE_RESOURCE_POOL_EXHAUSTED",
        0,
        "The zone 'projects/sim/zones/{place}' does not have enough resources available to fulfill the request.",
    ),
    QUOTA: ("QUOTA_EXCEEDED", 403, "Quota '{bucket}' exceeded.  Limit: {limit}.0 in region {region}."),
    THROTTLED: (
        "rateLimitExceeded",
        403,
        "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of service 'compute.googleapis.com'.",
    ),
    EXPIRED: ("UNAUTHENTICATED", 401, "Request had invalid authentication credentials."),
}
_KUBERNETES: Wording = {
    CAPACITY: ("FailedScheduling", 0, "0/8 nodes are available: 8 Insufficient nvidia.com/gpu."),
    QUOTA: ("Forbidden", 403, 'pods "sim-0" is forbidden: exceeded quota: {bucket}, limited: requests={limit}'),
    THROTTLED: (
        "TooManyRequests",
        429,
        "the server has received too many requests and has asked us to try again later",
    ),
    EXPIRED: ("Unauthorized", 401, "Unauthorized"),
}
_AZURE: Wording = {
    CAPACITY: (
        "ZonalAllocationFailed",
        409,
        "Allocation failed. We do not have sufficient capacity for the requested VM size in this zone.",
    ),
    QUOTA: (
        "OperationNotAllowed",
        409,
        "Operation could not be completed as it results in exceeding approved {bucket} Cores quota. "
        "Location: {region}, Current Limit: {limit}.",
    ),
    THROTTLED: ("TooManyRequests", 429, "The request is being throttled as the limit has been reached."),
    EXPIRED: ("ExpiredAuthenticationToken", 401, "The access token has expired."),
}
_LAMBDA: Wording = {
    CAPACITY: (
        "instance-operations/launch/insufficient-capacity",
        400,
        "Not enough capacity to fulfill launch request.",
    ),
    QUOTA: ("global/quota-exceeded", 400, "Quota exceeded."),
    THROTTLED: ("global/rate-limit", 429, "Too many requests."),
    EXPIRED: ("global/invalid-api-key", 401, "API key was invalid, expired, or deleted."),
}
_PLAIN: Wording = {
    CAPACITY: ("OutOfCapacity", 409, "no room for {nodes} x {instance_type} in {place}"),
    QUOTA: ("QuotaExceeded", 403, "quota {bucket} in {region} is used up: at most {limit} nodes"),
    THROTTLED: ("Throttled", 429, "too many requests"),
    EXPIRED: ("Unauthorized", 401, "the credentials have expired"),
}
_KINDS = {"kubernetes": {CAPACITY: "event"}}  # what sort of answer it is, where the cloud has several
_OTHERS = ("ibm", "scp", "oci", "runpod", "nebius", "vast", "digitalocean", "hetzner", "crusoe", "verda", "scaleway")
STYLES: Mapping[str, Wording] = {
    "sim": _PLAIN,
    "aws": _AWS,
    "gcp": _GCP,
    "kubernetes": _KUBERNETES,
    "azure": _AZURE,
    "lambda": _LAMBDA,
    **dict.fromkeys((*_OTHERS, "cudo", "openstack"), _PLAIN),
}


def refusal(style: str, what: str, request: Refused) -> CloudError:
    """The error of one cloud for one kind of refusal. Spot is worded apart where the cloud does so."""
    wording = STYLES.get(style, _PLAIN)
    spot = wording.get(f"spot_{what}") if request.spot else None
    code, status, text = spot or wording[what]
    facts = {name: getattr(request, name) for name in ("place", "region", "instance_type", "bucket", "limit", "nodes")}
    kind = _KINDS.get(style, {}).get(what, "api" if style == "kubernetes" else "")
    return CloudError(
        request.cloud,
        "create",
        code=code,
        message=text.format_map(facts),
        status=status,
        data={"kind": kind} if kind else {},
        nodes_may_exist=False,
    )
