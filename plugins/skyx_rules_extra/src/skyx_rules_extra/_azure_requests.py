"""Error rules: azure, sizes and settings that don't go together, throttles, and faults of the service."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import (
    BRIEF,
    BUSY,
    CONFIG,
    MINUTE,
    PATIENT,
    RATE_LIMIT,
    REGION,
    TRANSIENT,
    TYPE,
    UNSUPPORTED,
    USER_ERROR,
    ZONE,
    Rows,
)

_SIZE = Rows("azure", "learn.microsoft.com: VM size, zone and image errors, read 2026-11-30")
_ARM = Rows(
    "azure", "learn.microsoft.com: common Azure Resource Manager and Compute errors, throttling, read 2026-11-30"
)

_BAD = (
    r"InvalidParameter|BadRequest|InvalidRequest\w*|OperationNotAllowed|NotSupported|Conflict|InvalidTemplateDeployment"
)

SIZES: tuple[ErrorRule, ...] = (
    _SIZE.block(
        "zone.unsupported",
        UNSUPPORTED,
        ZONE,
        code=r"AvailabilityZoneNotSupported|InvalidAvailabilityZone|ZoneNotAllowed\w*|ZonesNot\w+|InvalidZone\w*",
        hint="{region} has no zone {zone} for this; drop the zone",
    ),
    _SIZE.block(
        "zone.unsupported-told",
        UNSUPPORTED,
        ZONE,
        code=_BAD,
        message=r"availability zones? .{0,80}not supported|zone\(s\) .{0,120}not supported",
        hint="{region} has no zone {zone} for this; drop the zone",
    ),
    _SIZE.block(
        "size.generation",
        USER_ERROR,
        TYPE,
        code=_BAD,
        message=r"hypervisor generation|cannot boot|security ?type|TrustedLaunch|confidential",
        hint="the image's generation or security type does not fit {instance_type}; choose another image or size",
    ),
    _SIZE.block(
        "size.architecture",
        USER_ERROR,
        TYPE,
        code=_BAD,
        message=r"(?:cpu )?architecture|arm64",
        hint="the image is not built for the CPU of {instance_type}; choose another image or size",
    ),
    _SIZE.block(
        "size.unknown",
        UNSUPPORTED,
        TYPE,
        code=_BAD,
        message=r"vm ?size .{0,120}(?:is invalid|not valid|not found|not recognized)|valid sizes are",
        hint="{region} does not know the size {instance_type}; check the name",
    ),
    _SIZE.block(
        "size.unsupported",
        UNSUPPORTED,
        TYPE,
        code=r"VMSize(?:Not|Doesnt|DoesNot|IsNot).*|SkuNotSupported\w*|.*NotSupportedForVMSize|.*NotSupportedFor(?:Sku"
        r"|Size)\w*|FeatureNotSupportedForSku|SizeNotSupported\w*",
        hint="{instance_type} is not offered so in {region}; choose another size or region",
    ),
    _SIZE.block(
        "size.disk",
        UNSUPPORTED,
        TYPE,
        code=_BAD,
        message=r"(?:not supported|not allowed|cannot be used|exceeds?|too (?:many|small)"
        r"|maximum number).{0,120}VM ?size|(?:storage account type|ephemeral|data ?disks).{0,160}VM ?size",
        hint="{instance_type} does not take these disks; change them, or choose another size",
    ),
    _SIZE.block(
        "size.feature",
        UNSUPPORTED,
        TYPE,
        code=r"OperationNotAllowed|NotSupported|BadRequest|InvalidParameter|.*NotSupported",
        message=r"(?:vm ?size|\bsku\b|Standard_\w+).{0,160}(?:not|n.t) (?:be )?(?:support|allow|permit|available)"
        r"|not supported .{0,100}(?:vm ?size|sku)",
        hint="{instance_type} does not support what is asked for; choose another size",
    ),
    _SIZE.abort(
        "image.disk-size",
        code=_BAD + "|ResizeDiskError|DiskSize\\w*",
        message=r"(?:disk size|size of the disk|diskSizeGB).{0,200}(?:smaller|less than)"
        r"|smaller than the size of the .{0,80}image",
        hint="the disk is smaller than the image; raise disk_size",
    ),
)

REQUESTS: tuple[ErrorRule, ...] = (
    _ARM.again(
        "throttled",
        RATE_LIMIT,
        REGION,
        PATIENT,
        code=r"TooManyRequests\w*|.*Throttled|.*Throttling\w*|.*RequestLimit\w*|SubscriptionRequests\w*"
        r"|RequestRateTooLarge",
        hint="Azure takes no more calls for now; tried again",
    ),
    _ARM.again(
        "throttled-told",
        RATE_LIMIT,
        REGION,
        PATIENT,
        message=r"too many requests|is being throttled|request rate",
        hint="Azure takes no more calls for now; tried again",
    ),
    _ARM.again("retryable", TRANSIENT, TYPE, BRIEF, code="RetryableError\\w*", hint="Azure asks to try again"),
    _ARM.again(
        "busy.network-card",
        TRANSIENT,
        TYPE,
        BUSY,
        code=r"NicReservedFor\w+|NicInUse|NetworkInterface\w*InUse|.*ReservedForAnotherVM",
        hint="the network card is held for 180 s after its machine; it is waited for",
    ),
    _ARM.again(
        "busy.change",
        TRANSIENT,
        TYPE,
        BUSY,
        code=r"AnotherOperationInProgress|OperationPreempted|OperationCancel\w+|Conflicting\w+|Concurrent\w+"
        r"|CanceledAndSuperseded\w+|ReferencedResourceNotProvisioned|ResourceNotReady|ResourceNotProvisioned"
        r"|.*BeingDeleted|.*InProgress"
        r"|DeploymentActive\w*|InUse\w*CannotBe\w+|.*MarkedForDeletion|AttachDiskWhileBeingDetached"
        r"|DiskBlobPendingCopy\w*|PrivateIPAddress(?:InUse|IsAllocated\w*)|PreconditionFailed|EtagMismatch"
        r"|ResourceGroupDeleting|ResourceExistsError|RequestConflict",
        hint="another change is under way on that resource; it is waited for",
    ),
    _ARM.again(
        "busy.told",
        TRANSIENT,
        TYPE,
        BUSY,
        code=_BAD + "|",
        message=r"(?:being (?:deleted|deallocated|updated|modified)|is (?:deallocating|deleting|updating|starting"
        r"|stopping))|deprovisioning|another operation|in progress"
        r"|marked for deletion|reserved for another|not in succeeded state|currently being|try again later"
        r"|please retry",
        hint="another change is under way on that resource; it is waited for",
    ),
    _ARM.block(
        "name.taken",
        CONFIG,
        REGION,
        code=r"DnsRecordInUse|StorageAccountAlready\w+|.*NameAlready\w+|.*NameNotAvailable|PublicIPAddressInUse"
        r"|.*AlreadyInUse",
        hint="a name or address is in use in {region} already; choose another",
    ),
    _ARM.block(
        "boot.slow",
        TRANSIENT,
        TYPE,
        code=r"(?:OSProvisioning|VMStart|VMCreate|VMExtension|Provisioning|VMExtensionProvisioning)\w*(?:TimedOut"
        r"|Timeout|Error|Failed)|VMExtension\w+|VMAgentStatus\w+|.*NotReportingStatus",
        ttl=5 * MINUTE,
        hint="the machine did not finish booting; it is removed and another is tried",
    ),
    _ARM.again(
        "server",
        TRANSIENT,
        TYPE,
        BRIEF,
        code=r"Internal\w*Error|InternalExecutionError|.*Internal\w*Error|ServerTimeout|.*ServiceUnavailable"
        r"|ServerBusy|OperationTimedOut|GatewayTimeout|RequestTimeout|BadGateway|StorageFailure\w*"
        r"|Disk\w*InternalError|NetworkingInternal\w+"
        r"|ServiceRequestError|ServiceResponse\w*Error|IncompleteReadError|ResourceDeploymentTimeout|Unknown(?:Error)?",
        hint="Azure has trouble; tried again",
    ),
    _ARM.abort(
        "request.invalid",
        code=r"InvalidParameter\w*|InvalidTemplate|InvalidRequest\w*|InvalidResource(?:Name|Type)\w*|InvalidContent\w*"
        r"|InvalidJson|InvalidDeployment\w*|PropertyChangeNotAllowed|MaxPrice\w+|EvictionPolicy\w+"
        r"|LinkedInvalidPropertyId"
        r"|InvalidApiVersion\w*|InvalidDomainName\w*|InvalidUserName|.*RequestFormat|ReservedResourceName"
        r"|RequestContent\w*|InvalidDiskSize\w*|ResizeDiskError|UnsupportedMediaType|MissingRequired\w*"
        r"|.*ValidationFailed|ValidationError",
        hint="Azure refuses the request; see the message for the field",
    ),
    _ARM.block(
        "request.bad", USER_ERROR, TYPE, code="BadRequest|400", hint="Azure refuses the request; see the message"
    ),
    _ARM.block(
        "request.not-allowed",
        CONFIG,
        TYPE,
        code="OperationNotAllowed|OperationNotSupported|NotSupported|MethodNotAllowed",
        hint="Azure does not allow this here; see the message",
    ),
    _ARM.again(
        "conflict",
        TRANSIENT,
        TYPE,
        BUSY,
        code="Conflict|409|ResourceConflict",
        hint="another change is under way on that resource; it is waited for",
    ),
    _ARM.block(
        "deployment.failed",
        TRANSIENT,
        TYPE,
        code=r"DeploymentFailed|ResourceDeploymentFailure|InvalidTemplateDeployment|MultipleErrorsOccurred"
        r"|ProvisioningState\w*|Failed",
        ttl=5 * MINUTE,
        hint="the deployment failed and Azure gives no reason; see its record in the portal",
    ),
)
