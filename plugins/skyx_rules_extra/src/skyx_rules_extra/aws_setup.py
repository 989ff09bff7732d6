"""AWS: how the account and its networks are set up."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Scope
from skyx_rules_extra.aws_codes import AUTOSCALING, BOTOCORE, EC2, codes, raised

_HOUR = 3600.0

_setup = partial(ErrorRule, category=Category.CONFIG, block=Scope.REGION, source=EC2)

SETUP = (
    _setup(
        id="aws.config.marketplace",
        code=codes("OptInRequired", "SubscriptionRequired(?:Exception)?"),
        message=r"marketplace|accept (?:the )?terms|product",
        block=Scope.CLOUD,
        hint="accept the terms of the image in AWS Marketplace first, or use another image",
    ),
    _setup(
        id="aws.config.not-subscribed",
        code=codes("OptInRequired", "SubscriptionRequired(?:Exception)?", "RegionDisabledException"),
        hint="the account isn't subscribed in {region}, or its sign-up (payment, phone check) is unfinished",
    ),
    _setup(
        id="aws.config.region-pending",
        code=codes("PendingVerification"),
        message=r"\bregions?\b",
        ttl=4 * _HOUR,
        hint="AWS is checking the account for {region}; this takes up to four hours",
        source="EC2 API error codes and skyplane #799, read 2026-11-30",
    ),
    _setup(
        id="aws.config.account-pending",
        code=codes("PendingVerification"),
        block=Scope.CLOUD,
        ttl=2 * _HOUR,
        hint="AWS is still checking the account; this takes up to two hours",
        source="EC2 API error codes and cloudlaunch #150, read 2026-11-30",
    ),
    _setup(
        id="aws.config.account",
        code=codes(
            "Blocked",
            "NotSignedUp",
            "AccountProblem",
            "AccountSuspended",
            "InactiveAccount",
            "AccountDisabled",
            "BlockedException",
        ),
        block=Scope.CLOUD,
        hint="AWS has blocked the account or it isn't signed up fully; contact AWS support",
    ),
    _setup(
        id="aws.config.no-region",
        code=raised("NoRegionError", "InvalidRegionError", "UnknownRegionError"),
        block=Scope.CLOUD,
        hint="set a region for AWS ('aws configure set region ...')",
        source=BOTOCORE,
    ),
    _setup(
        id="aws.config.addresses",
        code=codes("InsufficientFreeAddressesInSubnet", "InsufficientCidrBlocks", "InsufficientFreeIPs?"),
        block=Scope.ZONE,
        ttl=600,
        hint="the subnet in {zone} has no free addresses; use a larger one, or end instances",
    ),
    _setup(
        id="aws.config.no-zone-subnet",
        code=codes("MissingInput", "InvalidInput", "DefaultSubnetDoesNotExist(?:InAvailabilityZone)?"),
        message=r"\bsubnet.{0,80}\b(?:availability )?zone|no default subnet (?:for|in)",
        block=Scope.ZONE,
        hint="the default VPC has no subnet in {zone}; create one, or name a subnet",
    ),
    _setup(
        id="aws.config.no-network",
        code=codes("VPCIdNotSpecified", "VPCResourceNotSpecified", "DefaultVpcDoesNotExist", "DefaultSubnet\\w+"),
        hint="there is no default VPC in {region}; create one ('aws ec2 create-default-vpc') or name a VPC",
    ),
    _setup(
        id="aws.config.no-subnet",
        code=codes("MissingInput", "InvalidInput"),
        message=r"(?:no|lacks?|without|missing)\b.{0,40}\b(?:subnet|vpc)|(?:subnet|vpc).{0,40}(?:missing|required)",
        hint="the VPC in {region} has no usable subnet; create one, or name it",
    ),
    _setup(
        id="aws.config.other-network",
        code=codes("InvalidParameter(?:Value|Combination)?", "InvalidGroup\\.\\w+"),
        message=r"belong to different (?:networks|vpcs)|different vpc|(?:vpc|ec2-classic).{0,40}security group.{0,60}"
        r"(?:may not|cannot) be (?:used|specified)",
        hint="subnet and security group in {region} must be of the same VPC",
    ),
    _setup(
        id="aws.config.network-clash",
        code=codes(r"InvalidSubnet\.(?:Conflict|Range)", r"InvalidVpc(?:ID)?\.(?:Range|State)", "InvalidVpcState"),
        hint="the address range of the network in {region} clashes with another; choose a free one",
    ),
    _setup(
        id="aws.config.key",
        code=codes(
            r"InvalidKmsKey\.\w+", r"InvalidKMSKey\.\w+", "KMSKeyNotAccessibleFault", r"KMS\.\w+", "KMS\\w+Exception"
        ),
        hint="the KMS key for disks in {region} can't be used; enable it, or choose another",
    ),
)

SETUP_TEXTS = (
    _setup(
        id="aws.config.addresses-told",
        message=r"insufficient free addresses|not enough free addresses",
        block=Scope.ZONE,
        ttl=600,
        hint="the subnet in {zone} has no free addresses; use a larger one, or end instances",
        source=AUTOSCALING,
    ),
    _setup(
        id="aws.config.region-off-told",
        message=r"region .{0,40}(?:is not enabled|is disabled|not opted in|not-opted-in)",
        hint="{region} must be switched on for the account first ('aws account enable-region --region-name {region}')",
        source="account guide, regions to opt in to, docs.aws.amazon.com, read 2026-11-30",
    ),
)
