"""AWS: what is not there, and what is never offered."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Scope
from skyx_rules_extra.aws_codes import AUTOSCALING, COMMON, EC2, SPOT_STATUS, codes

_gone = partial(ErrorRule, category=Category.NOT_FOUND, block=Scope.REGION, source=EC2)
_never = partial(ErrorRule, category=Category.UNSUPPORTED, block=Scope.INSTANCE_TYPE_IN_REGION, source=EC2)

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
        message=r"instance ?types?\b.{0,60}(?:does not exist|do not exist|not supported|not valid|is invalid|unknown"
        r"|not available)|invalid (?:value .{0,60}for )?instance ?type",
        hint="{instance_type} does not exist in {region}",
    ),
    _never(
        id="aws.unsupported.image",
        code=_PARAMETER,
        message=r"instance types?\b.{0,60}not support\b|not supported (?:for|by|on|with) (?:\w+ ){0,3}instance ?type"
        r"|\barchitecture\b|virtuali[sz]ation type|enhanced networking|elastic network adapter|\bena\b"
        r"|boot mode|\buefi\b|\bnvme\b.{0,40}required|\btpm\b|nitro",
        hint="image or options do not go with {instance_type} (architecture, boot, network); choose another type",
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
        code=codes(r"(?:Invalid)?Capacity(?:Reservation|Block)\w*(?:\.\w+)?"),
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="the capacity reservation can't be used in {zone}: check its id, place and end date",
    ),
    _gone(
        id="aws.not-found.reservation-named",
        code=_PARAMETER,
        message=r"\bcapacity (?:reservation|block)s?\b.{0,80}(?:expired|ended|not exist|not found|not active|cancell)",
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
        id="aws.not-found.named",
        code=_PARAMETER,
        message=r"\b(?:group|subnet|key ?pair|image|vpc|snapshot|interface)\b.{0,80}"
        r"(?:does(?: not|n't) exist|not found|is unknown)",
        hint="what the request names is not in {region}; names and ids are regional",
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

REQUEST_TEXTS = (
    _never(
        id="aws.unsupported.zone-told-elsewhere",
        message=rf"(?:is not supported in your requested availability zone|no longer accepting).{{0,300}}{_PLACES}",
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
