"""AWS: throttling, faults of the service, and what is only not visible or not done yet. All are retried a few times."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Retry, Scope
from skyx_rules_extra.aws_codes import BOTOCORE, COMMON, EC2, SPOT_STATUS, STATE_REASON, codes, raised

_throttle = partial(
    ErrorRule,
    category=Category.RATE_LIMIT,
    retry=Retry(max=6, wait=5, growth=2),
    block_after=Scope.REGION,
    source=COMMON,
)
_fault = partial(
    ErrorRule,
    category=Category.TRANSIENT,
    retry=Retry(max=4, wait=5, growth=2),
    block_after=Scope.INSTANCE_TYPE_IN_ZONE,
    source=EC2,
)
_PROFILE = r"iam ?instance ?profile"

RATES = (
    _throttle(
        id="aws.rate.api",
        code=codes(
            "RequestLimitExceeded",
            "Throttling(?:Exception|Error)?",
            "Throttled(?:Exception)?",
            "RequestThrottled(?:Exception)?",
            "EC2Throttled(?:Exception)?",
            "TooManyRequests(?:Exception)?",
            "ProvisionedThroughputExceededException",
            "BandwidthLimitExceeded",
            "\\w*RateExceeded(?:Exception)?",
            "SlowDown",
        ),
        hint="AWS takes no more calls from this account in {region} for now; fewer launches at once help",
    ),
)

NOT_YET = (
    _fault(
        id="aws.transient.instance-profile",
        code=codes("InvalidParameter(?:Value|Combination)?", r"InvalidIamInstanceProfile\w*(?:\.\w+)?", "InvalidInput"),
        message=_PROFILE,
        retry=Retry(max=6, wait=5, growth=1.5),
        block_after=Scope.CLOUD,
        hint="EC2 doesn't know the instance profile (yet): a new one takes some seconds; if it stays, check its name",
    ),
    _fault(
        id="aws.transient.new-instance",
        code=codes(r"InvalidInstanceID(?:\.(?:NotFound|NotLinkable))?", r"InvalidSpotInstanceRequestID\.NotFound"),
        retry=Retry(max=6, wait=3, growth=1.5),
        hint="AWS hasn't published the new instance yet",
        source="EC2 API, eventual consistency, docs.aws.amazon.com/AWSEC2, read 2026-11-30",
    ),
    _fault(
        id="aws.transient.there-already",
        code=codes(
            r"Invalid\w+\.(?:Duplicate|AlreadyExists\w*)",
            r"(?:Entity|Route|Resource)AlreadyExists\w*",
            "AlreadyExistsException",
        ),
        block_after=Scope.REGION,
        hint="another launch made it first; it is looked up again and used",
    ),
    _fault(
        id="aws.transient.busy",
        code=codes(
            "Incorrect(?:Instance)?State",
            r"Invalid\w+\.(?:InUse|Locked|InvalidState)",
            r"Invalid(?:Instance|Volume|Attachment)State",
            "VolumeInUse",
            "DependencyViolation",
            "DeleteConflict(?:Exception)?",
            r"Resource\.AlreadyA(?:ssociated|ssigned)",
            "ResourceInUse(?:Exception)?",
            "ConcurrentModification(?:Exception)?",
            "ConcurrentTagAccess",
            "OperationAborted",
            "ResourceNotReady",
            "TransactionInProgressException",
        ),
        retry=Retry(max=6, wait=10, growth=1.5),
        hint="a part of it is still being stopped, deleted or changed",
    ),
    _fault(
        id="aws.transient.token-reused",
        code=codes("IdempotentParameterMismatch", "IdempotentParameterMismatchException"),
        retry=Retry(max=1, wait=1),
        hint="the token of an earlier, different request was sent again; a new one is used",
    ),
    _fault(
        id="aws.transient.spot-pending",
        code=codes("pending-(?:evaluation|fulfillment)", "not-scheduled-yet", "request-canceled-and-instance-running"),
        retry=Retry(max=6, wait=10, growth=1.5),
        hint="AWS is still looking at the spot request",
        source=SPOT_STATUS,
    ),
    _fault(
        id="aws.transient.ended-itself",
        code=r"Client\.InstanceInitiatedShutdown|Server\.InstanceRebooted|Client\.InstanceTerminated",
        retry=Retry(max=1, wait=5),
        hint="the instance shut itself down while it was starting; look at the image and the start script",
        source=STATE_REASON,
    ),
)

FAULTS = (
    _fault(
        id="aws.transient.unavailable",
        code=codes("Unavailable", "ServiceUnavailable(?:Exception|Error)?", "ServiceFailure(?:Exception)?"),
        block_after=Scope.REGION,
        hint="the AWS API in {region} doesn't serve now",
    ),
    _fault(
        id="aws.transient.internal",
        code=codes(
            "Internal(?:Error|Failure|ServerError|ServerException|ServiceError|ServiceException|FailureException)",
            "ServerInternal",
            "ServerException",
            "RequestTimeout(?:Exception)?",
            "PriorRequestNotComplete",
            "system-error",
        ),
        hint="AWS had an internal fault",
    ),
    _fault(
        id="aws.transient.unreachable",
        code=raised(
            "(?:Endpoint|Proxy)ConnectionError",
            "(?:Connect|Read)TimeoutError",
            "Connection(?:Closed)?Error",
            "HTTPClientError",
            "SSLError",
            "IncompleteReadError",
            "ResponseStreamingError",
            "EndpointProviderError",
        ),
        block_after=Scope.REGION,
        hint="can't reach AWS in {region}: check network, proxy and name service",
        source=BOTOCORE,
    ),
    ErrorRule(
        id="aws.transient.wait-failed",
        code=raised("WaiterError", "WaitTimeout\\w*"),
        category=Category.TRANSIENT,
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="the instance did not come up in time in {zone}",
        source=BOTOCORE,
    ),
)

FAULT_TEXTS = (
    _throttle(
        id="aws.rate.told",
        message=r"\brate exceeded\b|request limit exceeded",
        hint="AWS takes no more calls from this account in {region} for now",
    ),
    _fault(
        id="aws.transient.unreachable-told",
        message=r"could not connect to the endpoint url|(?:connect|read) timeout on endpoint url"
        r"|connection was closed before we received|failed to connect to proxy",
        block_after=Scope.REGION,
        hint="can't reach AWS in {region}: check network, proxy and name service",
        source=BOTOCORE,
    ),
)
