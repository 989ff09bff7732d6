"""Google Cloud: no hardware now, and reservations."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Scope
from skyx_rules_extra.gcp_codes import AUTOSCALER, AVAILABILITY, COMPUTE, REFERENCE

_HOUR = 3600.0
_PLACES = r"request in the (?P<places>[a-z]+-[a-z0-9-]+(?:,? (?:and |or )?[a-z]+-[a-z0-9-]+)*),? zone"
_POOL = r"\w*RESOURCE_POOL_EXHAUSTED\w*|STOCKOUT|insufficientCapacity|INSUFFICIENT_CAPACITY|resource_availability"

_short = partial(ErrorRule, category=Category.CAPACITY, block=Scope.INSTANCE_TYPE_IN_ZONE, source=AVAILABILITY)
_UNMET = r"CONDITION_NOT_MET|conditionNotMet|FAILED_PRECONDITION|INVALID_USAGE|invalidUsage|INVALID_FIELD_VALUE|invalid"

CAPACITY = (
    ErrorRule(
        id="gcp.unsupported.zone-configuration",
        code="configuration_availability",
        category=Category.UNSUPPORTED,
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="{zone} has no {instance_type} in this form at all; another zone is tried",
        source="karpenter-provider-gcp, providers/instance, read 2026-11-30",
    ),
    _short(
        id="gcp.capacity.region",
        code=r"REGION_RESOURCE_POOL_EXHAUSTED\w*",
        block=Scope.INSTANCE_TYPE_IN_REGION,
        hint="no {instance_type} in all of {region} now; another region is tried",
        source=AUTOSCALER,
    ),
    _short(
        id="gcp.capacity.elsewhere",
        code=_POOL,
        message=_PLACES,
        hint="no {instance_type} in {zone} now; Google names {places}, tried next",
    ),
    _short(
        id="gcp.capacity.zone",
        code=_POOL,
        hint="no {instance_type} in {zone} now; another zone is tried",
    ),
    _short(
        id="gcp.capacity.not-all",
        code=r"\w*MIN_COUNT_NOT_REACHED",
        hint="{zone} can't give all nodes at once; another zone is tried",
        source=COMPUTE,
    ),
    _short(
        id="gcp.capacity.preempted",
        code=r"PREEMPTED|INSTANCE_PREEMPTED|compute\.instances\.preempted|instancePreempted",
        hint="the spot instance was taken back in {zone}; another zone, or on-demand, lasts longer",
        source=COMPUTE,
    ),
    _short(
        id="gcp.capacity.vanished",
        code=r"RESOURCE_NOT_FOUND|notFound|NOT_FOUND|resourceNotFound",
        message=r"/instances/|\binstances? .{0,80}not found",
        hint="the instance vanished right after it was asked for: most often {zone} has no capacity",
        source=REFERENCE,
    ),
    _short(
        id="gcp.capacity.timeout",
        code=r"TIMEOUT|\w+_TIMEOUT|operationTimeout|TIMED_OUT",
        hint="Google did not finish the creation in time in {zone}; it is undone, another zone is tried",
        source=REFERENCE,
    ),
)

RESERVATIONS = (
    ErrorRule(
        id="gcp.not-found.reservation",
        message=r"\breservations?\b.{0,160}(?:do(?:es)? not exist|was not found|could not be found)"
        r"|could not find the given reservation",
        category=Category.NOT_FOUND,
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="the reservation is not in {zone}; check its name, project and place",
        source=AUTOSCALER,
    ),
    _short(
        id="gcp.capacity.reservation-not-ready",
        code=_UNMET,
        message=r"reservation with status|reservation .{0,80}(?:is not|isn't|be) (?:yet )?(?:in )?ready",
        hint="the reservation in {zone} is not ready yet",
        source=AUTOSCALER,
    ),
    _short(
        id="gcp.capacity.reservation-full",
        message=r"reservations? .{0,120}does not have (?:enough |sufficient )?available resources"
        r"|no available resources in specified reservation|insufficient reserved capacity",
        ttl=_HOUR,
        hint="the reservation in {zone} is used up: enlarge it, or use on-demand or spot",
        source=AUTOSCALER,
    ),
    ErrorRule(
        id="gcp.config.reservation",
        message=r"reservation must exist in the same project|must use reservationaffinity|aggregate ?reservation"
        r"|reservation .{0,120}(?:is incorrect for|incompatible|do(?:es)? not match)|target a reservation with",
        category=Category.CONFIG,
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="the reservation does not fit this request; check machine type, accelerators and project",
        source=AUTOSCALER,
    ),
)

CAPACITY_TEXTS = (
    _short(
        id="gcp.capacity.told-elsewhere",
        message=rf"currently unavailable in the .{{1,80}} zone.{{0,300}}{_PLACES}",
        hint="no {instance_type} in {zone} now; Google names {places}, tried next",
    ),
    _short(
        id="gcp.capacity.told-region",
        message=r"the region .{1,120}does not have enough resources",
        block=Scope.INSTANCE_TYPE_IN_REGION,
        hint="no {instance_type} in all of {region} now; another region is tried",
    ),
    _short(
        id="gcp.capacity.told",
        message=r"does not have enough resources available|currently unavailable in the .{1,80} zone"
        r"|no more capacity in the zone|not (?:currently )?have (?:sufficient|enough) capacity|\bstockout\b"
        r"|(?:instance|vm|node) was preempted|while in state preempted|not enough resources available",
        hint="no {instance_type} in {zone} now; another zone is tried",
    ),
)
