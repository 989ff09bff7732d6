"""AWS: what is not there, what is never offered, and requests that can't work."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Scope
from skyx_rules_extra.aws_codes import AUTOSCALING, BOTOCORE, COMMON, EC2, SPOT_STATUS, codes

_gone = partial(ErrorRule, category=Category.NOT_FOUND, block=Scope.REGION, source=EC2)
_never = partial(ErrorRule, category=Category.UNSUPPORTED, block=Scope.INSTANCE_TYPE_IN_REGION, source=EC2)
_wrong = partial(ErrorRule, category=Category.USER_ERROR, block=Scope.NONE, abort=True, source=EC2)

_PARAMETER = codes("InvalidParameter(?:Value|Combination)?", "InvalidInput", "InvalidRequest")
_ZONE = r"[a-z]{2,}[a-z0-9-]*\d[a-z]"
_PLACES = rf"choosing (?P<places>{_ZONE}(?:,\s*(?:or\s+)?{_ZONE})*)"
_UNSUPPORTED = codes("Unsupported(?:Operation)?", "InvalidFleetConfig(?:uration)?")

UNSUPPORTED = (
    _never(
        id="aws.unsupported.zone-elsewhere",
        code=_UNSUPPORTED,
        message=_PLACES,
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="{zone} does not offer {instance_type} to this account; AWS names {places}, which are tried next",
    ),
    _never(
        id="aws.unsupported.zone",
        code=_UNSUPPORTED,
        message=r"\bavailability zone\b|no longer accepting|in (?:the|this|your requested) zone",
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="{zone} does not offer {instance_type} to this account",
    ),
    _never(
        id="aws.unsupported.spot",
        code=codes("Unsupported\\w*", "InvalidParameter\\w*", "InvalidInput"),
        message=r"(?:not support|unsupported|not available|cannot be used|isn't supported).{0,60}\bspot\b"
        r"|\bspot\b.{0,60}(?:not support|unsupported|not available|isn't supported)",
        hint="{instance_type} is not sold as spot in {region}; use on-demand",
    ),
    _never(
        id="aws.unsupported.type",
        code=codes("Unsupported\\w*", "InvalidInstanceType", "InstanceTypeNot\\w+"),
        hint="{instance_type} can't be had with these options in {region}; choose another type",
    ),
    _never(
        id="aws.unsupported.type-name",
        code=codes(
            "InvalidParameter(?:Value|Combination)?", "InvalidInstanceType", "ValidationError", "InvalidFleetConfig\\w*"
        ),
        message=r"instance ?types?\b.{0,60}(?:does not exist|do not exist|not support|not valid|is invalid|unknown"
        r"|not available)|invalid (?:value .{0,60}for )?instance ?type",
        hint="{instance_type} does not exist in {region}",
    ),
    _never(
        id="aws.unsupported.image",
        code=_PARAMETER,
        message=r"\barchitecture\b|virtuali[sz]ation type|enhanced networking|elastic network adapter|\bena\b"
        r"|boot mode|\buefi\b|\bnvme\b.{0,40}required|\btpm\b|nitro",
        hint="the image does not run on {instance_type}; choose an image for its architecture, or another type",
    ),
    _never(
        id="aws.unsupported.disk-tier",
        code=codes(r"UnknownVolumeType(?:\.\w+)?", "VolumeTypeNotAvailableIn(?:Zone|Region)", "InvalidVolumeType"),
        block=Scope.ZONE,
        hint="{zone} does not offer this kind of disk; use another disk tier",
    ),
    _never(
        id="aws.unsupported.spot-constraint",
        code=codes("constraint-not-fulfillable"),
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="the spot request can't be met in {zone}: one of its constraints doesn't hold there",
        source=SPOT_STATUS,
    ),
)

NOT_FOUND = (
    _gone(
        id="aws.not-found.reservation",
        code=codes(r"InvalidCapacityReservation\w*(?:\.\w+)?", r"InvalidCapacityBlock\w*(?:\.\w+)?"),
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="the capacity reservation can't be used in {zone}: check its id, place and end date",
    ),
    _gone(
        id="aws.not-found.zone",
        code=codes(r"InvalidZone\.NotFound", "InvalidAvailabilityZone"),
        block=Scope.ZONE,
        hint="there is no zone {zone} for this account",
    ),
    _gone(
        id="aws.not-found.zone-name",
        code=_PARAMETER,
        message=r"(?:invalid|unknown) (?:value .{0,60}for )?availability ?zone",
        block=Scope.ZONE,
        hint="there is no zone {zone} for this account",
    ),
    ErrorRule(
        id="aws.config.volume-elsewhere",
        code=codes(r"InvalidVolume\.ZoneMismatch", "InvalidVolumeZone\\w*"),
        category=Category.CONFIG,
        block=Scope.ZONE,
        hint="the volume lies in another zone than {zone}; launch where it is",
        source=EC2,
    ),
    _gone(
        id="aws.not-found.image",
        code=codes(r"InvalidAMIID\.(?:NotFound|Unavailable)", r"InvalidAMI\w*\.(?:NotFound|Unavailable)"),
        hint="the image is not in {region}: image ids are regional; name one for each region, or fix the region",
    ),
    _gone(
        id="aws.not-found.image-snapshot",
        code=codes(r"InvalidSnapshot(?:ID)?\.NotFound"),
        hint="the snapshot behind the image is gone or not shared in {region}; use another image",
    ),
    _gone(
        id="aws.not-found.key",
        code=codes(r"InvalidKeyPair\.NotFound"),
        hint="the key pair is not in {region}: key pairs are regional; import it there",
    ),
    _gone(
        id="aws.not-found.network",
        code=codes(
            r"Invalid(?:Subnet(?:ID|Id)?|Vpc(?:ID|Id)|Group(?:Id)?|SecurityGroup(?:ID|Id)?|NetworkInterface(?:ID|Id)?"
            r"|RouteTable(?:ID|Id)|InternetGateway(?:ID|Id)|AllocationID|Address|PlacementGroup(?:Id)?)"
            r"\.(?:NotFound|Unknown)"
        ),
        hint="a part of the network that the settings name is not in {region}; correct the settings",
    ),
    _gone(
        id="aws.not-found.identity",
        code=codes("NoSuchEntity(?:Exception)?"),
        block=Scope.CLOUD,
        hint="the IAM role or instance profile that the settings name does not exist",
        source=COMMON,
    ),
    _gone(
        id="aws.not-found.parameter",
        code=codes("ParameterNotFound", "ParameterVersionNotFound", "ResourceNotFound(?:Exception|Fault)?"),
        hint="what the settings name is not in {region} (for an image alias: it isn't published there)",
        source=COMMON,
    ),
    _gone(
        id="aws.not-found.other",
        code=codes(
            r"Invalid\w+\.(?:NotFound|Unknown|NotFoundException|VersionNotFound)",
            r"[A-Z]\w+NotFound(?:Exception|Fault)?",
        ),
        hint="what the request names is not in {region}; names and ids are regional",
    ),
)

USER_ERRORS = (
    _wrong(
        id="aws.user.disk-size",
        code=codes("InvalidBlockDeviceMapping", "InvalidParameter(?:Value|Combination)?", "InvalidVolume\\w*"),
        message=r"smaller than (?:the )?snapshot.*?(?:>=|at least)\s*(?P<size>\d+ ?[kmgt]i?b)",
        hint="disk_size must be at least {size} for this image",
    ),
    _wrong(
        id="aws.user.disk",
        code=codes("InvalidBlockDeviceMapping", "InvalidVolumeSize"),
        hint="the disk that is asked for does not fit the image; see disk_size and disk_tier",
    ),
    _wrong(
        id="aws.user.user-data",
        code=codes(r"InvalidUserData(?:\.\w+)?", "InvalidParameterValue"),
        message=r"user data",
        hint="the start script is too long or malformed for AWS (16 KB at most)",
    ),
    _wrong(
        id="aws.user.malformed",
        code=codes(
            r"Invalid\w+\.(?:Malformed|Format)",
            r"InvalidTagKey(?:\.\w+)?",
            "TagLimitExceeded",
            "InvalidKey",
            "InvalidSpotDatafeed",
        ),
        hint="a name, an id, a key or a label in the request is not as AWS wants it",
    ),
    _wrong(
        id="aws.user.request",
        code=codes(
            "InvalidParameter(?:Value|Combination|Dependency)?",
            "InvalidParameter(?:Value)?Exception",
            "MissingParameter",
            "UnknownParameter",
            "MissingAction",
            "InvalidAction",
            "InvalidInput",
            "InvalidInputException",
            "InvalidRequest",
            "InvalidCharacter",
            "InvalidFleetConfig(?:uration)?",
            "InvalidQueryParameter",
            "MissingInput",
            "MalformedQueryString",
            "MalformedPolicyDocument(?:Exception)?",
            "NoSuchVersion",
            "Validation(?:Error|Exception)",
            "InvalidDisk\\w*",
        ),
        hint="AWS refuses the request as it is; no place will take it: correct what the message names",
    ),
    _wrong(
        id="aws.user.client",
        code=r"ParamValidationError|UnknownParameterError|MissingParametersError|DataNotFoundError|UnknownServiceError",
        hint="the request was put together wrongly before it was sent; correct what the message names",
        source=BOTOCORE,
    ),
    _wrong(
        id="aws.user.spot-parameters",
        code=codes("bad-parameters"),
        hint="the spot request's parameters are not valid",
        source=SPOT_STATUS,
    ),
    _wrong(
        id="aws.user.ended",
        code=r"Client\.UserInitiatedShutdown|Client\.UserInitiatedHibernate",
        hint="someone ended the instance while it was starting",
        source="EC2 API, StateReason, docs.aws.amazon.com/AWSEC2, read 2026-11-30",
    ),
)

REQUEST_TEXTS = (
    _never(
        id="aws.unsupported.zone-told-elsewhere",
        message=rf"(?:is not supported in your requested availability zone|no longer accepting).*{_PLACES}",
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="{zone} does not offer {instance_type}; AWS names {places}, which are tried next",
        source=AUTOSCALING,
    ),
    _never(
        id="aws.unsupported.zone-told",
        message=r"is not supported in your requested availability zone",
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="{zone} does not offer {instance_type}",
        source=AUTOSCALING,
    ),
    _gone(
        id="aws.not-found.told",
        message=r"(?:image|subnet|vpc) id .{0,60}does(?: not|n't) exist"
        r"|(?:key pair|security group|launch template|snapshot).{0,80}(?:does(?: not|n't) exist|was not found)",
        hint="what the request names is not in {region}; names and ids are regional",
        source=AUTOSCALING,
    ),
)
