"""Error rules: azure, machines that there are not now, and limits of the subscription."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import (
    CAPACITY,
    CONFIG,
    HOUR,
    MINUTE,
    QUOTA,
    REGION,
    SPOT,
    TYPE,
    UNSUPPORTED,
    ZONE_TYPE,
    Rows,
)

_STOCK = Rows(
    "azure",
    "learn.microsoft.com: allocation failures, SKU errors, Spot error codes; Karpenter for Azure, read 2026-11-30",
)
_QUOTA = Rows("azure", "learn.microsoft.com: vCPU, network and deployment quota errors, read 2026-11-30")

_OVER = r"(?:exceeding approved|exceeds?(?: the)? approved|exceeding quota limits? of|approved quota)"
_QUOTAS = (
    r"OperationNotAllowed|.*QuotaExceeded.*|QuotaExceeded|Conflict|BadRequest|AllocationFailed"
    r"|InvalidTemplateDeployment|"
)

STOCK: tuple[ErrorRule, ...] = (
    _STOCK.block(
        "sku.zone",
        CAPACITY,
        ZONE_TYPE,
        code="SkuNotAvailable",
        message=r"zones? '\d|zone\(s\) '\d",
        ttl=HOUR,
        hint="Azure has no {instance_type} in {region} zone {zone}; another zone is tried",
    ),
    _STOCK.block(
        "sku.short",
        CAPACITY,
        TYPE,
        code="SkuNotAvailable",
        message="capacity",
        ttl=HOUR,
        hint="Azure is short of {instance_type} in {region}; try another size or region",
    ),
    _STOCK.block(
        "sku.spot",
        CAPACITY,
        TYPE,
        code="SkuNotAvailable",
        use_spot=True,
        ttl=HOUR,
        hint="Azure has no spot {instance_type} in {region}; try on-demand, another size or region",
    ),
    _STOCK.block(
        "sku.closed",
        UNSUPPORTED,
        TYPE,
        code="SkuNotAvailable|NotAvailableForSubscription",
        message=r"subscription",
        hint="{instance_type} is closed to this subscription in {region}; ask Azure to open it, or use another region",
    ),
    _STOCK.block(
        "sku.other",
        CAPACITY,
        TYPE,
        code="SkuNotAvailable",
        ttl=HOUR,
        hint="{instance_type} is not available in {region}; try another size or region",
    ),
    _STOCK.block(
        "allocation.zone",
        CAPACITY,
        ZONE_TYPE,
        code="ZonalAllocationFailed|OverconstrainedZonalAllocationRequest|ZoneAllocationFailed",
        hint="no room for {instance_type} in {region} zone {zone}; another zone is tried",
    ),
    _STOCK.block(
        "allocation.region",
        CAPACITY,
        TYPE,
        code=r"AllocationFailed|OverconstrainedAllocationRequest|AllocationTimedOut|CapacityNotAvailable"
        r"|InsufficientCapacity|OutOfCapacity|.*AllocationFailure",
        hint="Azure has no room for {instance_type} in {region} now",
    ),
    _STOCK.block(
        "reservation.full",
        CAPACITY,
        ZONE_TYPE,
        code=r".*CapacityReservation(?:Exceeded|Full|Overallocat).*|.*ReservationCapacityExceeded"
        r"|OverallocationNotAllowed",
        hint="the capacity reservation is full",
    ),
    _STOCK.block(
        "spot.price",
        CAPACITY,
        TYPE,
        code="SpotPriceGreaterThanProvidedMaxPrice|SpotMaxPriceTooLow",
        hint="the spot price in {region} is above your highest price; raise it, or set -1 to follow the market",
    ),
    _STOCK.block(
        "spot.evicted",
        CAPACITY,
        TYPE,
        code=r".*Evict(?:ed|ion)|.*Preempted|VMDeallocatedBySpot.*",
        use_spot=True,
        hint="Azure took the spot machine back",
    ),
    _STOCK.block(
        "spot.closed",
        CONFIG,
        SPOT,
        code="AzureSpotFeatureNotEnabledForSubscription|VMPriorityCannotBeApplied"
        "|AzureSpotIsNotSupportedForThisAPIVersion",
        account_wide=True,
        hint="this subscription may not use spot machines; use on-demand or another subscription",
    ),
    _STOCK.block(
        "spot.size",
        UNSUPPORTED,
        TYPE,
        code=r"AzureSpot.*NotSupported.*|.*NotSupportedForSpot.*",
        hint="{instance_type} is not offered as spot; use on-demand",
    ),
    _STOCK.block(
        "spot.size-told",
        UNSUPPORTED,
        TYPE,
        message=r"(?:spot|low priority).{0,60}(?:not supported|cannot be used|not available) (?:for|with)",
        hint="{instance_type} is not offered as spot; use on-demand",
    ),
    _STOCK.block(
        "stock-told",
        CAPACITY,
        TYPE,
        code=r"Conflict|InternalError|HttpResponseError|Failed|",
        message=r"(?:not|n.t) have (?:sufficient|enough) capacity|insufficient capacity|allocation failed",
        hint="Azure has no room for {instance_type} in {region} now",
    ),
)

QUOTAS: tuple[ErrorRule, ...] = (
    _QUOTA.block(
        "quota.spot",
        QUOTA,
        SPOT,
        code=_QUOTAS,
        message=rf"{_OVER}.{{0,40}}(?:low ?priority|spot)",
        hint="the quota of spot cores in {region} is used up; request more, or use on-demand",
    ),
    _QUOTA.block(
        "quota.disks",
        QUOTA,
        REGION,
        code=_QUOTAS,
        message=rf"{_OVER}.{{0,60}}(?:disk|storage|snapshot)",
        hint="the disk quota in {region} is used up; delete disks or request more",
    ),
    _QUOTA.block(
        "quota.addresses",
        QUOTA,
        REGION,
        code=_QUOTAS,
        message=rf"{_OVER}.{{0,60}}(?:public ?ip|ip ?address|network)",
        hint="the quota of addresses in {region} is used up; delete unused ones or request more",
    ),
    _QUOTA.block(
        "quota.total",
        QUOTA,
        REGION,
        code=_QUOTAS,
        message=rf"{_OVER} (?:total ?regional ?(?:v?cpus?|cores)|regional cores|total cores|cores?|virtual ?machines"
        r"|vm ?count)\b",
        hint="the quota of all cores in {region} is used up; request more (az vm list-usage --location {region})",
    ),
    _QUOTA.block(
        "quota.family-none",
        QUOTA,
        TYPE,
        code=_QUOTAS,
        message=rf"{_OVER} (?P<bucket>\S+).{{0,300}}current limit: 0\b",
        ttl=12 * HOUR,
        hint="the quota {bucket} in {region} is 0; request some (az vm list-usage --location {region})",
    ),
    _QUOTA.block(
        "quota.family",
        QUOTA,
        TYPE,
        code=_QUOTAS,
        message=rf"{_OVER} (?P<bucket>\S+)",
        hint="the quota {bucket} in {region} is used up; request more (az vm list-usage --location {region})",
    ),
    _QUOTA.block(
        "quota.deployments",
        QUOTA,
        REGION,
        code="DeploymentQuotaExceeded",
        ttl="until_fixed",
        hint="the resource group holds as many deployment records as it may; delete old ones",
    ),
    _QUOTA.block(
        "quota.count",
        QUOTA,
        REGION,
        code=r".*CountLimit(?:Reached|Exceeded).*|.*CountPerSubscription\w*Exceeded|.*CountExceed.*|.*LimitReached.*"
        r"|PublicIPAddress\w*Quota\w*"
        r"|ResourceGroupQuotaExceeded|StorageAccountQuota\w*|SubscriptionQuotaReached|NetworkingQuota\w*"
        r"|ResourceCountExceeds.*",
        hint="a count of network or storage objects in {region} is at its limit; delete unused ones",
    ),
    _QUOTA.block(
        "quota.subnet",
        CONFIG,
        REGION,
        code="SubnetIsFull|InsufficientSubnetSize|SubnetWithoutFreeAddresses|.*AddressSpaceExhausted"
        "|.*IPAddressesExhausted",
        ttl=10 * MINUTE,
        hint="the subnet in {region} has no free addresses; use a larger one",
    ),
    _QUOTA.block(
        "quota.subnet-told",
        CONFIG,
        REGION,
        message=r"subnet .{0,200}(?:is full|not have enough capacity|not enough (?:free )?(?:ip )?addresses)",
        ttl=10 * MINUTE,
        hint="the subnet in {region} has no free addresses; use a larger one",
    ),
    _QUOTA.block(
        "quota.other",
        QUOTA,
        TYPE,
        code=r".*QuotaExceeded|QuotaExceeded.*|ResourceQuota.*|.*QuotaReached",
        hint="a quota of the subscription in {region} is used up; see the message",
    ),
    _QUOTA.block(
        "quota.told",
        QUOTA,
        TYPE,
        code=_QUOTAS,
        message=r"quota (?:limit )?(?:has been |is |was )?(?:exceeded|reached)|exceeds? .{0,60}quota",
        hint="a quota of the subscription in {region} is used up; see the message",
    ),
)
