"""Google Cloud: what is not there, what is never offered, and requests that can't work."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Scope
from skyx_rules_extra.gcp_codes import COMPUTE, REFERENCE, RPC, raised

_gone = partial(ErrorRule, category=Category.NOT_FOUND, block=Scope.CLOUD, source=COMPUTE)
_never = partial(ErrorRule, category=Category.UNSUPPORTED, block=Scope.INSTANCE_TYPE_IN_ZONE, source=COMPUTE)
_wrong = partial(ErrorRule, category=Category.USER_ERROR, block=Scope.NONE, abort=True, source=COMPUTE)

_MISSING = r"(?:not found|do(?:es)?(?: not|n't) exist|cannot be found|could not be found|not exist in)"
_NOT_FOUND = "RESOURCE_NOT_FOUND|notFound|NOT_FOUND|resourceNotFound|5|404|" + raised("NotFound")
_REFUSED = (
    r"UNSUPPORTED_OPERATION|unsupportedOperation|UNSUPPORTED|unsupported|UNIMPLEMENTED|12|notImplemented|NOT_SUPPORTED"
)

_THING = (  # what a machine may lack; "the operation is not supported" alone says nothing of it
    r"\A(?=.*\b(?:machine|accelerator|gpu|disk|ssd|hyperdisk|family|platform|feature|maintenance|migration|network|nic"
    r"|image|confidential|spot|tenan\w+|type)s?\b)"
)

UNSUPPORTED = (
    _never(
        id="gcp.unsupported.network-profile",
        message=r"network profile only allows .{0,80}location (?P<places>[a-z]+-[a-z0-9-]+)",
        block=Scope.ZONE,
        hint="this kind of network is only in {places}; it is tried next",
        source="dstack, GCP backend, read 2026-11-30",
    ),
    _never(
        id="gcp.unsupported.location",
        message=r"location .{0,80}is not found or access is unauthori[sz]ed",
        block=Scope.ZONE,
        hint="{zone} is not open to this project",
        source=REFERENCE,
    ),
    _never(
        id="gcp.unsupported.location-code",
        code=r"LOCATION_ACCESS_DENIED|LOCATION_POLICY_VIOLATED|LOCATION_NOT_FOUND",
        block=Scope.ZONE,
        hint="{zone} is not open to this project",
        source=RPC,
    ),
    _never(
        id="gcp.unsupported.machine-type",
        message=rf"machine ?types?\b.{{0,160}}{_MISSING}|machine ?type.{{0,120}}not (?:available|supported|offered) in"
        r"|machinetypes/.{0,120}(?:not found|not exist|not available)",
        hint="{zone} does not offer {instance_type}",
    ),
    _never(
        id="gcp.unsupported.machine-code",
        code=r"MACHINE_TYPE_UNSUPPORTED|MACHINE_TYPE_NOT_FOUND|INVALID_MACHINE_TYPE",
        hint="{zone} does not offer {instance_type}",
    ),
    _never(
        id="gcp.unsupported.accelerator",
        message=rf"accelerator ?types?\b.{{0,200}}(?:{_MISSING}|not (?:available|supported|offered|found))"
        r"|permission to submit requests.{0,80}accelerator type",
        hint="{zone} does not offer this accelerator to the project in this form; try spot or another zone",
        source="Cloud TPU error glossary, docs.cloud.google.com/tpu, read 2026-11-30",
    ),
    _never(
        id="gcp.unsupported.disk-type",
        message=rf"disk ?types?\b.{{0,160}}(?:{_MISSING}|not (?:available|supported|offered) in)",
        block=Scope.ZONE,
        hint="{zone} does not offer this kind of disk; use another disk tier",
    ),
    _never(
        id="gcp.unsupported.platform",
        message=r"cpu platform.{0,120}not (?:available|supported|offered)|unsupported (?:min(?:imum)? )?cpu platform",
        hint="{zone} does not offer this CPU platform",
    ),
    _never(
        id="gcp.unsupported.combination",
        message=r"not compatible|incompatible (?:with )?(?:machine|instance|disk|accelerator)"
        r"|(?:accelerator|gpu)s?.{0,80}(?:invalid number|not supported|cannot be attached|is invalid)"
        r"|number of (?:accelerator|gpu).{0,80}(?:invalid|not valid|not allowed|must be)"
        r"|(?:spot|preemptible).{0,60}(?:not (?:be )?(?:supported|available|allowed))"
        r"|not support(?:ed)?.{0,60}\b(?:spot|preemptible)\b",
        block=Scope.INSTANCE_TYPE_IN_REGION,
        hint="{instance_type} does not go with the disk, accelerators or spot that are asked for; choose another type",
    ),
    _never(
        id="gcp.unsupported.zone-name",
        message=rf"the resource 'projects/[^/']+/zones/[^/']+'.{{0,20}}{_MISSING}"
        r"|unknown zone|invalid value for field 'zone'",
        block=Scope.ZONE,
        hint="there is no zone {zone} for this project",
    ),
    _never(
        id="gcp.unsupported.region-name",
        message=rf"the resource 'projects/[^/']+/regions/[^/']+'.{{0,20}}{_MISSING}|unknown region",
        block=Scope.REGION,
        hint="there is no region {region} for this project",
    ),
    _never(
        id="gcp.unsupported.in-zone",
        code=_REFUSED,
        message=_THING + r".*\bin (?:the |this )?(?:zone|location)\b",
        hint="{zone} does not offer {instance_type} in this form",
    ),
    _never(
        id="gcp.unsupported.form",
        code=_REFUSED,
        message=_THING + r".*(?:not support|unsupported|not allowed|cannot be (?:used|combined|enabled)|requires)",
        block=Scope.INSTANCE_TYPE_IN_REGION,
        hint="{instance_type} can't be had in this form; choose another type or other options",
    ),
    ErrorRule(
        id="gcp.capacity.taken-in-creation",
        code="UNSUPPORTED_OPERATION|unsupportedOperation",
        category=Category.CAPACITY,
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="the instance was most likely taken back while it was created in {zone}; another zone is tried",
        source=REFERENCE,
    ),
)

NOT_FOUND = (
    _gone(
        id="gcp.not-found.image",
        message=rf"(?:/images/|/machineimages/|/family/|\bimage (?:resource|family)?).{{0,160}}{_MISSING}",
        hint="the image does not exist or isn't shared with the project (images are global); name another",
    ),
    _gone(
        id="gcp.not-found.subnet",
        message=rf"subnetworks?\b.{{0,200}}{_MISSING}",
        block=Scope.REGION,
        hint="the subnet is not in {region}; correct the settings, or leave the region out",
    ),
    _gone(
        id="gcp.not-found.network",
        message=rf"\bnetworks?\b.{{0,200}}{_MISSING}",
        hint="the VPC does not exist in the project (VPCs are global); correct the settings",
    ),
    _gone(
        id="gcp.not-found.service-account",
        message=rf"service ?accounts?\b.{{0,160}}{_MISSING}|invalid service account",
        hint="the nodes' service account does not exist; create it, or name another",
    ),
    _gone(
        id="gcp.not-found.snapshot",
        message=rf"/global/\w+/.{{0,160}}{_MISSING}",
        hint="a thing that the request names does not exist in the project",
    ),
    _gone(
        id="gcp.not-found.disk",
        message=rf"/zones/[^/]+/disks/.{{0,160}}{_MISSING}",
        block=Scope.ZONE,
        hint="the disk is not in {zone}; launch where it is",
    ),
    _gone(
        id="gcp.not-found.other",
        code=_NOT_FOUND,
        block=Scope.REGION,
        hint="what the request names is not in {region}",
    ),
)

DISK_SIZES = (
    _wrong(
        id="gcp.user.disk-size",
        message=r"disk size cannot be smaller than the (?:\w+ )?(?:image|snapshot) ?(?:size )?\((?P<size>[^)]+)\)",
        hint="disk_size must be at least {size} for this image",
        source=REFERENCE,
    ),
    _wrong(
        id="gcp.user.disk",
        message=r"\bdisk\b.{0,60}(?:smaller|less) than.{0,40}(?:image|snapshot)|invalid .{0,40}disk ?size",
        hint="disk_size is too small for this image",
        source=REFERENCE,
    ),
)

USER_ERRORS = (
    _wrong(
        id="gcp.user.request",
        code=r"INVALID_FIELD_VALUE|invalid|invalidParameter|INVALID_ARGUMENT|3|badRequest|BAD_REQUEST|required"
        r"|MISSING_REQUIRED_FIELD|FIELD_SIZE_TOO_LARGE|INVALID_USAGE|invalidUsage|INVALID_RESOURCE_NAME"
        r"|INVALID_NAME|parseError|PARSE_ERROR|wrongUrlFormat|OUT_OF_RANGE|11|400|LABEL_\w+|INVALID_\w+|"
        + raised("BadRequest", "InvalidArgument", "OutOfRange"),
        hint="Google refuses the request as it is; no place will take it: correct what the message names",
    ),
)
