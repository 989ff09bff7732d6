"""Google Cloud: TPU calls, faults of the service, and what is only not done yet."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Retry, Scope
from skyx_rules_extra.gcp_codes import AUTH, COMPUTE, REFERENCE, RPC, TERRAFORM, TPU, raised

_short = partial(ErrorRule, category=Category.CAPACITY, block=Scope.INSTANCE_TYPE_IN_ZONE, source=TPU)
_fault = partial(
    ErrorRule,
    category=Category.TRANSIENT,
    retry=Retry(max=4, wait=5, growth=2),
    block_after=Scope.INSTANCE_TYPE_IN_ZONE,
    source=COMPUTE,
)
_NOT_READY = r"RESOURCE_NOT_READY|resourceNotReady"

TPUS = (  # after quotas and reservations, whose texts stand beside the same numbers
    _short(
        id="gcp.capacity.tpu-taken",
        code="3|INVALID_ARGUMENT|9|FAILED_PRECONDITION",
        message=r"\bpreempted\b",
        hint="the TPU was taken back while it was created in {zone}",
        source=REFERENCE,
    ),
    _short(
        id="gcp.capacity.exhausted",
        code="8|RESOURCE_EXHAUSTED|" + raised("ResourceExhausted"),
        hint="no {instance_type} in {zone} now; another zone is tried",
    ),
    _short(
        id="gcp.capacity.reserved",
        code=r"9|FAILED_PRECONDITION|failedPrecondition",
        message=r"reserv|capacity",
        ttl=3600,
        hint="the reservation in {zone} is too small; ask for more, or use on-demand or spot",
    ),
)

UNREACHABLE = (  # before the other exceptions of the login library
    _fault(
        id="gcp.transient.unreachable",
        code=raised(
            "TransportError",
            "Timeout",
            "TimeoutError",
            "ServerNotFoundError",
            "ConnectionError",
            "ConnectionResetError",
            "SSLError",
        )
        + r"|socket\.timeout",
        block_after=Scope.REGION,
        hint="can't reach Google: check network, proxy and name service",
        source=AUTH,
    ),
)

NOT_YET = (
    _fault(
        id="gcp.transient.network-not-ready",
        code=_NOT_READY,
        message=r"networks?/|\bnetworks?\b",
        block_after=Scope.REGION,
        hint="the network is still being made",
        source=TERRAFORM,
    ),
    _fault(
        id="gcp.transient.not-ready",
        code=_NOT_READY,
        retry=Retry(max=6, wait=10, growth=1.5),
        hint="a part of it is still being made or stopped",
        source=REFERENCE,
    ),
    _fault(
        id="gcp.transient.not-visible",
        message=r"(?:/operations/|/firewalls/|\boperation ).{0,160}not found",
        hint="what was just made can't be seen yet; it is looked for again",
    ),
    _fault(
        id="gcp.transient.there-already",
        code=r"alreadyExists|RESOURCE_ALREADY_EXISTS|ALREADY_EXISTS|duplicate|6|DUPLICATE_RESOURCE|"
        + raised("AlreadyExists"),
        retry=Retry(max=2, wait=5, growth=2),
        hint="it exists already, from an attempt whose answer was lost or another launch; it is looked at and used",
    ),
    _fault(
        id="gcp.transient.in-use",
        code=r"RESOURCE_IN_USE_BY_ANOTHER_RESOURCE|resourceInUseByAnotherResource|RESOURCE_IN_USE|resourceInUse",
        retry=Retry(max=4, wait=10, growth=1.5),
        hint="a disk, address or network is still used by another resource",
    ),
    _fault(
        id="gcp.transient.changed-meanwhile",
        message=r"fingerprint|operation in progress|operationinprogress|another activation or deactivation"
        r"|is being (?:deleted|created|stopped)|concurrent (?:policy|modification)",
        hint="something else changes the same thing at this moment",
        source=TERRAFORM,
    ),
    _fault(
        id="gcp.transient.aborted",
        code=r"ABORTED|10|conflict|CONFLICT|OPERATION_CANCELED_BY_USER|operationInProgress|CANCELLED|"
        + raised("Aborted", "Conflict"),
        hint="another operation got in the way",
        source=RPC,
    ),
)

FAULTS = (
    _fault(
        id="gcp.transient.region-down",
        code=r"SERVICE_UNAVAILABLE_FOR_LOCATION|serviceUnavailableForLocation",
        block_after=Scope.REGION,
        hint="the service does not work in {region} now",
    ),
    _fault(
        id="gcp.transient.fault",
        code=r"backendError|BACKEND_ERROR|internalError|INTERNAL_ERROR|INTERNAL|13|UNAVAILABLE|14|SERVICE_UNAVAILABLE"
        r"|serviceUnavailable|DEADLINE_EXCEEDED|4|badGateway|gatewayTimeout|UNKNOWN|2|DATA_LOSS|15|500|502|503|504|"
        + raised("ServiceUnavailable", "InternalServerError", "GatewayTimeout", "DeadlineExceeded", "BadGateway"),
        hint="Google had an internal fault",
        source=RPC,
    ),
    _fault(
        id="gcp.transient.fault-told",
        message=r"internal error|service (?:is )?(?:currently )?unavailable|backend error|try again in 30 seconds",
        hint="Google had an internal fault",
    ),
    _fault(
        id="gcp.rate.status",
        status=429,
        category=Category.RATE_LIMIT,
        retry=Retry(max=6, wait=5, growth=2),
        block_after=Scope.REGION,
        hint="the project calls this API too often; fewer launches at once help",
        source=RPC,
    ),
)

LAST = (
    ErrorRule(
        id="gcp.transient.unmet",
        code="FAILED_PRECONDITION|9|failedPrecondition|CONDITION_NOT_MET|conditionNotMet|"
        + raised("FailedPrecondition", "PreconditionFailed"),
        category=Category.TRANSIENT,
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="something that the request needs is not so in {zone}",
        source=RPC,
    ),
    ErrorRule(
        id="gcp.transient.new-code",
        code=r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+",
        code_in_text=False,
        operation=r"instances\.\w+|.*bulkInsert|tpu\..*|.*[Oo]perations?\..*",
        category=Category.TRANSIENT,
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        ttl=180,
        hint="Google gave a code that skyx doesn't know yet; another zone is tried",
        source=REFERENCE,
    ),
)
