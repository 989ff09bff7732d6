"""Error rules: kubernetes, where new nodes come from: autoscalers and queues."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import (
    ARRIVING,
    CAPACITY,
    CONFIG,
    HOUR,
    NOT_FOUND,
    PERMISSION,
    QUOTA,
    REGION,
    TRANSIENT,
    TYPE,
    UNSUPPORTED,
    Rows,
)

_CA = Rows("kubernetes", "cluster-autoscaler FAQ and GKE autoscaler visibility events, read 2026-11-30")
_KARPENTER = Rows("kubernetes", "Karpenter troubleshooting pages and events, read 2026-11-30")
_KUEUE = Rows("kubernetes", "Kueue concepts: workload conditions, read 2026-11-30")
_NOT = r"NotTriggerScaleUp|no\.scale\.up.*"
_FAILED = r"FailedScaleUp|scale\.up\.error.*|FailedToScaleUpGroup|ScaleUpTimedOut"
_OUT = (
    r"out[ _.]?of[ _.]?(?:resources|stock|capacity|host)|stock ?out|RESOURCE_POOL_EXHAUSTED"
    r"|insufficient\S* ?\S*capacity"
    r"|not enough (?:resources|capacity)|does not have enough resources|AllocationFailed|SkuNotAvailable"
)

AUTOSCALER: tuple[ErrorRule, ...] = (
    _CA.again(
        "scale-up-triggered",
        TRANSIENT,
        TYPE,
        ARRIVING,
        code=r"TriggeredScaleUp|scale\.up",
        hint="a new node is being added in {region}; it is waited for",
    ),
    _CA.block(
        "no-scale-up.backoff",
        CAPACITY,
        TYPE,
        code=_NOT,
        message=r"backoff|back-off",
        hint="the fitting node group of {region} could not grow lately and pauses; it is tried again in minutes",
    ),
    _CA.block(
        "no-scale-up.full",
        QUOTA,
        TYPE,
        code=_NOT,
        message=r"max\S* (?:node )?(?:group )?(?:pool )?(?:size|limit)[^,]*reached|max(?:imum)? cluster|max\S* limit"
        r"|(?:cpu|memory) limit",
        hint="the node group that fits is at its largest size in {region}; raise its maximum",
    ),
    _CA.block(
        "no-scale-up.not-ready",
        CAPACITY,
        TYPE,
        code=_NOT,
        message=r"not ready|unhealthy|being deleted",
        hint="the fitting node group of {region} is not ready",
    ),
    _CA.block(
        "no-scale-up.never-fits",
        UNSUPPORTED,
        TYPE,
        code=_NOT,
        hint="no node group of {region} would fit, not even with a new node; create one or ask for less",
    ),
    _CA.block(
        "scale-up-failed.quota",
        QUOTA,
        TYPE,
        code=_FAILED,
        message=r"quota|limit ?exceeded|(?:vcpu|instance) limit",
        hint="a quota of the account behind {region} is used up; request more there",
    ),
    _CA.block(
        "scale-up-failed.addresses",
        CONFIG,
        REGION,
        code=_FAILED,
        message=r"ip[ _.]?(?:space|address|range)\S*[ _.]?(?:is |are )?(?:exhausted|full)|(?:free"
        r"|enough) (?:ip )?addresses|IP_SPACE",
        ttl=HOUR,
        hint="the node or pod address range of {region} is full; add a range",
    ),
    _CA.block(
        "scale-up-failed.identity",
        PERMISSION,
        REGION,
        code=_FAILED,
        message=r"service.?account|permission|forbidden|unauthorized|access denied|not authorized",
        hint="the autoscaler of {region} lacks a right in its cloud account; ask the cluster's administrator",
    ),
    _CA.block(
        "scale-up-failed.stock", CAPACITY, TYPE, code=_FAILED, hint="the cloud behind {region} has no such machine now"
    ),
    _CA.block(
        "scale-up-failed.stock-told",
        CAPACITY,
        TYPE,
        message=rf"scale.?up.{{0,200}}(?:{_OUT})",
        hint="the cloud behind {region} has no such machine now",
    ),
)

KARPENTER: tuple[ErrorRule, ...] = (
    _KARPENTER.again(
        "nominated",
        TRANSIENT,
        TYPE,
        ARRIVING,
        code=r"Nominated|NodeClaimCreated|Launched|WaitingOnNode\w*|Provisioning",
        hint="a node is on its way for this pod; it is waited for",
    ),
    _KARPENTER.block(
        "nodepool.limits",
        QUOTA,
        TYPE,
        message=r"exceeds? limits for nodepool|nodepool\S* .{0,60}limits? (?:is |are |has been )?(?:exceeded|reached)",
        hint="the node pool's limits in {region} are reached; raise spec.limits",
    ),
    _KARPENTER.block(
        "nodepool.stock",
        CAPACITY,
        TYPE,
        code=r"Insufficient\w*Capacity\w*",
        hint="the cloud behind {region} has no such machine now",
    ),
    _KARPENTER.block(
        "nodepool.stock-told",
        CAPACITY,
        TYPE,
        message=r"all requested instance types were unavailable"
        r"|filtered out all (?:compatible )?available instance types",
        hint="the cloud behind {region} has no such machine now",
    ),
    _KARPENTER.block(
        "nodeclass.not-ready",
        CONFIG,
        REGION,
        message=r"no nodepools? found|node ?(?:class|pool)\S*.{0,40}not ready",
        code=r"FailedScheduling|NodePoolNotReady|NodeClassNotReady|",
        hint="Karpenter has no usable node pool in {region}",
    ),
    _KARPENTER.block(
        "nodepool.incompatible",
        UNSUPPORTED,
        TYPE,
        message=r"incompatible (?:with|requirements).{0,300}nodepool|no instance type (?:satisfied|met|has enough"
        r"|which)|incompatible with nodepool",
        hint="no node pool of {region} may make such a node; adapt its requirements or ask for something else",
    ),
)

QUEUES: tuple[ErrorRule, ...] = (
    _KUEUE.again(
        "queue.gated",
        TRANSIENT,
        TYPE,
        ARRIVING,
        code=r"SchedulingGated|QuotaReserved|AdmissionCheck\w*|Suspended",
        hint="the pod waits in a queue (Kueue or the like) of {region}",
    ),
    _KUEUE.block(
        "queue.preempted",
        CAPACITY,
        TYPE,
        code=r"TerminationTarget|Preempted|Preempting|PreemptionByScheduler|PreemptionByKubeScheduler|EvictedDueTo\w*",
        hint="a workload of higher priority took the place in {region}",
    ),
    _KUEUE.block(
        "queue.preempted-told",
        CAPACITY,
        TYPE,
        message=r"preempted (?:to accommodate|in order to|by|due to)|preempting to",
        hint="a workload of higher priority took the place in {region}",
    ),
    _KUEUE.block(
        "queue.never",
        QUOTA,
        TYPE,
        message=r"insufficient quota .{0,80}(?:maximum capacity|request >)|exceeds? (?:the )?(?:nominal"
        r"|maximum) (?:quota|capacity)",
        ttl=12 * HOUR,
        hint="the queue's quota in {region} is smaller than the request",
    ),
    _KUEUE.block(
        "queue.full",
        QUOTA,
        TYPE,
        message=r"couldn.t assign flavors|insufficient unused quota",
        hint="the queue's quota in {region} is in use",
    ),
    _KUEUE.block(
        "queue.missing",
        NOT_FOUND,
        REGION,
        message=r"(?:local|cluster) ?queue \S+ (?:doesn.t exist|not found|is inactive|is stopped)",
        hint="the queue is missing or stopped in {region}; fix its name in the labels",
    ),
)
