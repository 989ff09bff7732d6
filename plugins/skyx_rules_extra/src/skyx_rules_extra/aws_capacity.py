"""EC2: no hardware now, and limits of the account."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Scope
from skyx_rules_extra.aws_codes import AUTOSCALING, EC2, KARPENTER, SPOT_STATUS, STATE_REASON, codes

_HOUR = 3600.0
_PLACES = r"choosing (?P<places>[a-z]{2,}[a-z0-9-]*\d[a-z](?:,\s*(?:or\s+)?[a-z]{2,}[a-z0-9-]*\d[a-z])*)"

_short = partial(ErrorRule, category=Category.CAPACITY, block=Scope.INSTANCE_TYPE_IN_ZONE)
_quota = partial(ErrorRule, category=Category.QUOTA, block=Scope.REGION, source=EC2)

_ICE = codes(
    "InsufficientInstanceCapacity",
    "InsufficientCapacity(?:Exception|Error)?",
    "UnfulfillableCapacity",
    "InsufficientHostCapacity",
    "InsufficientCapacityOnHost",
    "InsufficientOutpostCapacity",
    "InsufficientReservedInstances?Capacity",
    "SpotCapacityNotAvailable",
)

CAPACITY = (
    _short(
        id="aws.capacity.elsewhere",
        code=_ICE,
        message=_PLACES,
        hint="no {instance_type} in {zone} now; AWS names {places}, which are tried next",
        source=EC2,
    ),
    _short(
        id="aws.capacity.instance",
        code=_ICE,
        hint="no {instance_type} in {zone} now; allow more zones or types, or use a reservation",
        source=EC2,
    ),
    _short(
        id="aws.capacity.reservation-full",
        code=codes("ReservationCapacityExceeded", "CapacityReservationFull", "InsufficientCapacityReservation"),
        hint="the capacity reservation is used up in {zone}; enlarge it or allow on-demand",
        source=KARPENTER,
    ),
    _short(
        id="aws.capacity.tasks",
        code=r"RESOURCE:(?:CPU|MEMORY|GPU|ENI|PORTS|FARGATE)",
        hint="the container cluster has no room in {zone}",
        source="ECS API, RunTask failure reasons, docs.aws.amazon.com/AmazonECS, read 2026-11-30",
    ),
    _short(
        id="aws.capacity.volumes",
        code=codes("InsufficientVolumeCapacity"),
        block=Scope.ZONE,
        hint="EBS has no room for this kind of volume in {zone}; use another zone or disk tier",
        source=EC2,
    ),
    _short(
        id="aws.capacity.addresses",
        code=codes("InsufficientAddressCapacity"),
        block=Scope.REGION,
        hint="AWS has no public address left in {region} now; use internal addresses or another region",
        source=EC2,
    ),
    _short(
        id="aws.capacity.spot-price",
        code=codes("SpotMaxPriceTooLow", "SpotPriceTooLow", "price-too-low"),
        hint="the spot price in {zone} is above the limit that was set; raise the limit or drop it",
        source=SPOT_STATUS,
    ),
    _short(
        id="aws.capacity.reclaimed",
        code=codes(
            "SpotInstance(?:Termination|Shutdown|Interruption)",
            "instance-(?:terminated|stopped)-(?:by-price|no-capacity|capacity-oversubscribed|launch-group-constraint)",
            "marked-for-(?:termination|stop)",
            "BidEvictedEvent",
            "ScheduledStop",
        ),
        hint="AWS took the spot instance in {zone} back; another zone, or on-demand, lasts longer",
        source=STATE_REASON,
    ),
    _short(
        id="aws.capacity.spot-waiting",
        code=codes(
            "capacity-not-available",
            "capacity-oversubscribed",
            "(?:az|launch|placement)-group-constraint",
            "schedule-expired",
        ),
        hint="the spot request for {instance_type} in {zone} can't be filled now",
        source=SPOT_STATUS,
    ),
)

QUOTAS = (
    _quota(
        id="aws.quota.vcpus-none",
        code=codes("VcpuLimitExceeded"),
        message=r"\blimit of 0\b",
        block=Scope.INSTANCE_TYPE_IN_REGION,
        ttl=12 * _HOUR,
        hint="the account may run no {instance_type} in {region}: ask for vCPUs of its family in Service Quotas",
    ),
    _quota(
        id="aws.quota.vcpus",
        code=codes("VcpuLimitExceeded"),
        block=Scope.INSTANCE_TYPE_IN_REGION,
        hint="the vCPU quota of {instance_type}'s family in {region} is used up: end instances, or raise it in "
        "Service Quotas",
    ),
    _quota(
        id="aws.quota.instances",
        code=codes("InstanceLimitExceeded", "HostLimitExceeded", "AttachmentLimitExceeded"),
        block=Scope.INSTANCE_TYPE_IN_REGION,
        hint="the account's limit for {instance_type} in {region} is used up: end some, or raise it in Service Quotas",
    ),
    _quota(
        id="aws.quota.spot",
        code=codes(
            "MaxSpotInstanceCountExceeded",
            "MaxSpotFleetRequestCountExceeded",
            "SpotInstanceCountLimitExceeded",
            "SpotInstanceRequestLimitExceeded",
        ),
        block=Scope.SPOT,
        hint="the account's spot quota in {region} is used up: raise it in Service Quotas, or use on-demand",
    ),
    _quota(
        id="aws.quota.fleets",
        code=codes("MaxFleetCountExceeded", "FleetCountExceeded", "Fleet(?:Request)?LimitExceeded"),
        hint="too many EC2 fleets in {region}: delete old ones, or raise the quota",
    ),
    _quota(
        id="aws.quota.iam",
        code=codes("LimitExceeded"),
        block=Scope.CLOUD,
        hint="the account has no room for one more IAM role or instance profile: delete unused ones",
        source="IAM API, common errors, docs.aws.amazon.com, read 2026-11-30",
    ),
    _quota(
        id="aws.quota.disks",
        code=codes(
            "VolumeLimitExceeded",
            "SnapshotLimitExceeded",
            "Max(?:IOPS|Volume|Snapshot)\\w*LimitExceeded",
            "VolumeIOPSLimit",
            "ConcurrentSnapshotLimitExceeded",
        ),
        hint="the EBS quota of {region} is used up: delete volumes, use a smaller disk or another tier, or raise it",
    ),
    _quota(
        id="aws.quota.network",
        code=codes(
            "AddressLimitExceeded",
            "Elastic\\w*LimitExceeded",
            "(?:Vpc|Subnet|NetworkInterface|InternetGateway|NatGateway|RouteTable|Route|NetworkAcl)s?LimitExceeded",
            "SecurityGroups?(?:PerInterface|PerInstance)?LimitExceeded",
            "RulesPerSecurityGroupLimitExceeded",
            "PrivateIpAddressLimitExceeded",
        ),
        hint="a network quota of {region} is used up: delete what is unused there, or raise it in Service Quotas",
    ),
    _quota(
        id="aws.quota.other",
        code=codes(
            "(?!Request|Bandwidth|Tag)[A-Z]\\w*LimitExceeded(?:Exception|Fault)?",
            "LimitExceededException",
            "ResourceCountExceeded",
            "ResourceLimitExceededException",
            "ServiceQuotaExceeded(?:Exception)?",
        ),
        hint="a quota of the account in {region} is used up: see Service Quotas",
    ),
)

CAPACITY_TEXTS = (
    _quota(
        id="aws.quota.vcpus-told",
        message=r"more vcpu capacity than your current vcpu limit|reached the limit on the number of vcpus",
        block=Scope.INSTANCE_TYPE_IN_REGION,
        hint="the vCPU quota of {instance_type}'s family in {region} is used up: raise it in Service Quotas",
        source=AUTOSCALING,
    ),
    _quota(
        id="aws.quota.spot-told",
        message=r"max spot instance count exceeded",
        block=Scope.SPOT,
        hint="the account's spot quota in {region} is used up: raise it in Service Quotas, or use on-demand",
        source=AUTOSCALING,
    ),
    _quota(
        id="aws.quota.fleets-told",
        message=r"quota for maximum fleet requests",
        hint="too many EC2 fleets in {region}: delete old ones, or raise the quota",
        source=AUTOSCALING,
    ),
    _short(
        id="aws.capacity.spot-price-told",
        message=r"spot (?:request )?price .{0,60}is lower than the minimum",
        hint="the spot price in {zone} is above the limit that was set; raise the limit or drop it",
        source=AUTOSCALING,
    ),
    _short(
        id="aws.capacity.told-elsewhere",
        message=rf"\bsufficient [\w.]+ capacity\b.{{0,300}}{_PLACES}",
        hint="no {instance_type} in {zone} now; AWS names {places}, which are tried next",
        source=AUTOSCALING,
    ),
    _short(
        id="aws.capacity.told",
        message=r"(?:not|n't) (?:currently )?have (?:sufficient|enough) (?:[\w.]+ )?capacity"
        r"|no spot capacity available|insufficient (?:instance |host )?capacity|capacity is unavailable at this time",
        hint="no {instance_type} in {zone} now",
        source=AUTOSCALING,
    ),
    _short(
        id="aws.capacity.placeholder",
        code="placeholder-cannot-be-fulfilled",
        hint="the Auto Scaling group could not get {instance_type} in {zone}",
        source="cluster-autoscaler, cloudprovider/aws, read 2026-11-30",
    ),
)
