"""Error rules: openstack."""

from __future__ import annotations

from skyx_rules_extra._rows import (
    AUTH,
    BRIEF,
    BUSY,
    CAPACITY,
    CLOUD,
    CONFIG,
    MINUTE,
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
    ZONE,
    ZONE_TYPE,
    Rows,
)
from skyx_rules_extra._usual import THROTTLED, table

_NOVA = Rows("openstack", "docs.openstack.org: nova, neutron and cinder exceptions and faults, read 2026-11-30")

TABLE = table(
    (
        _NOVA.block(
            "stock",
            CAPACITY,
            ZONE_TYPE,
            code=r"NoValidHost|MaxRetriesExceeded|ComputeResourcesUnavailable|NoHostAvailable|InsufficientFreeMemory",
            hint="OpenStack finds no host for {instance_type} in {zone}",
        ),
        _NOVA.block(
            "stock-told",
            CAPACITY,
            ZONE_TYPE,
            message=r"no valid host|not enough hosts|exhausted all hosts|insufficient compute resources",
            hint="OpenStack finds no host for {instance_type} in {zone}",
        ),
        _NOVA.again(
            "throttled",
            RATE_LIMIT,
            REGION,
            PATIENT,
            code=r"OverLimit\w*|413|429|TooManyRequests",
            message=THROTTLED + "|rate",
            hint="OpenStack takes no more calls for now; tried again",
        ),
        _NOVA.block(
            "quota.device",
            QUOTA,
            TYPE,
            message=r"(?:quota|limit).{0,80}(?:gpu|pci|flavor|accelerator)",
            hint="the project's quota for such machines in {region} is used up",
        ),
        _NOVA.block(
            "quota.told",
            QUOTA,
            REGION,
            message=r"quota exceeded for (?P<what>[\w, ]+)|quota .{0,60}exceeded|exceeds? .{0,60}quota",
            hint="the project's quota in {region} is used up ({what}); delete what is unused or ask for more",
        ),
        _NOVA.block(
            "quota",
            QUOTA,
            REGION,
            code=r".*Quota\w*|.*LimitExceeded|OverQuota|OverLimit\w*|413|TooManyInstances",
            hint="the project's quota in {region} is used up; delete what is unused or ask for more",
        ),
        _NOVA.block(
            "addresses",
            CONFIG,
            REGION,
            code=r"NoMoreFixedIps|FixedIpNotFound\w*|NoMoreFloatingIps|IpAddressGenerationFailure\w*"
            r"|ExternalIpAddressExhausted",
            ttl=10 * MINUTE,
            hint="the network in {region} has no free addresses",
        ),
        _NOVA.block(
            "addresses-told",
            CONFIG,
            REGION,
            message=r"no (?:more )?(?:fixed |floating |free )?ip ?(?:addresses)? ?(?:are )?available"
            r"|no more ip addresses",
            ttl=10 * MINUTE,
            hint="the network in {region} has no free addresses",
        ),
        _NOVA.block(
            "key",
            AUTH,
            CLOUD,
            code=r"Unauthorized|AuthorizationFailure|MissingAuthPlugin|MissingRequiredOptions|AuthPluginOptionsMissing"
            r"|EmptyCatalog",
            hint="renew the OpenStack credentials (clouds.yaml)",
        ),
        _NOVA.block(
            "zone.absent",
            UNSUPPORTED,
            ZONE,
            message=r"availability zone.{0,60}(?:not available|invalid|not found|does not exist)",
            hint="{region} has no zone {zone}",
        ),
        _NOVA.block(
            "flavor.small",
            USER_ERROR,
            TYPE,
            code=r"FlavorDisk\w*|FlavorMemory\w*|.*TooSmall\w*",
            hint="{instance_type} is too small for the image; choose a larger one",
        ),
        _NOVA.block(
            "flavor.small-told",
            USER_ERROR,
            TYPE,
            message=r"flavor.s (?:disk|memory) is too small",
            hint="{instance_type} is too small for the image; choose a larger one",
        ),
        _NOVA.block(
            "flavor.absent",
            UNSUPPORTED,
            TYPE,
            code=r"FlavorNotFound|InvalidFlavor\w*",
            hint="{region} has no flavor {instance_type}",
        ),
        _NOVA.block(
            "flavor.absent-told",
            UNSUPPORTED,
            TYPE,
            message=r"flavor .{0,80}(?:not be found|not found|disabled|does not exist)",
            hint="{region} has no flavor {instance_type}",
        ),
        _NOVA.block(
            "named.absent",
            NOT_FOUND,
            REGION,
            code=r".*NotFound|ResourceNotFound|KeypairNotFound|ImageNotActive",
            hint="an image, key, network or group of the request does not exist in {region}",
        ),
        _NOVA.block(
            "named.absent-told",
            NOT_FOUND,
            REGION,
            message=r"invalid key_name|image .{0,60}(?:not active|unacceptable)|(?:security group|network|image"
            r"|volume type) .{0,80}(?:not be found|not found)",
            hint="an image, key, network or group of the request does not exist in {region}",
        ),
        _NOVA.block(
            "network.several",
            CONFIG,
            REGION,
            code=r"NetworkAmbiguous|.*Ambiguous",
            hint="{region} has several networks; name one",
        ),
        _NOVA.block(
            "network.several-told",
            CONFIG,
            REGION,
            message=r"multiple possible networks|more specific",
            hint="{region} has several networks; name one",
        ),
        _NOVA.block(
            "right",
            PERMISSION,
            CLOUD,
            code=r"Forbidden|PolicyNotAuthorized|NotAuthorized",
            hint="the user lacks a role in the project",
        ),
        _NOVA.again(
            "busy",
            TRANSIENT,
            ZONE_TYPE,
            BUSY,
            code=r"Conflict\w*|InstanceInUse|.*InUse|InstanceInvalidState|PortInUse|BuildAbortException",
            hint="the OpenStack resource is busy; it is waited for",
        ),
        _NOVA.again(
            "server",
            TRANSIENT,
            REGION,
            BRIEF,
            code=r"InternalServerError|ServiceUnavailable|ConnectFailure|ConnectTimeout|GatewayTimeout|BadGateway"
            r"|MessagingTimeout|BuildError|VirtualInterfaceCreateException|PortBindingFailed|RescheduledException",
            hint="OpenStack has trouble; tried again",
        ),
        _NOVA.abort(
            "request",
            code=r"BadRequest\w*|Invalid\w*|HTTPBadRequest|ValidationError",
            hint="OpenStack refuses the request; see the message",
        ),
    ),
    _NOVA,
    REGION,
    zones=True,
)
